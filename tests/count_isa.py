# SPDX-License-Identifier: Apache-2.0
"""Instruction tables of the independent counter (count.py): what each mnemonic of llvm-objdump does.

Written from the lists of instructions in the architecture manuals, not from trapline's lifters. A line of a table is a
kind and the mnemonics that it holds for; "{a,b}" stands for a or b. A kind that touches memory carries the bytes of
one register, and the number of registers where it is not one: "load:8", "store:8x2". Kinds:

  load store rmw          plain access; rmw reads and writes
  ll sc amo               load-linked, store-conditional, atomic read-modify-write
  other system barrier    neither flow nor memory; system: privileged state
  nop
  hint                    may be called nop, barrier, system or other: the design does not say
  jump branch call        direct transfer: always, on a condition, setting the link register
  ccall                   direct transfer on a condition that sets the link register
  ijump icall return eret through a register; eret leaves the exception level
  cijump cicall creturn   the same on a condition
  trap                    raises an exception
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field


class Unclassified(Exception):
    """A mnemonic that no table holds."""


@dataclass
class Insn:
    address: int
    size: int
    word: int
    mnemonic: str
    operands: str
    text: str
    section: str = ""
    relocated: bool = False  # object file: the target is in a relocation, not in the text
    effect: Effect | None = None  # kept, since paths share instructions


@dataclass
class Effect:
    flow: str = "next"  # next branch call return eret trap
    conditional: bool = False
    target: int | None = None  # of a direct transfer
    classes: set = field(default_factory=lambda: {"other"})  # those that trapline may put it into
    counts: dict = field(default_factory=dict)
    loose: set = field(default_factory=set)  # fields of `counts` that have no single right answer
    predicate: str | None = None  # ARM: condition of an instruction that may be skipped
    sets_flags: bool = False


def expand(word):
    """ld.{b,h} -> ld.b ld.h"""
    found = re.search(r"\{([^{}]*)\}", word)
    if not found:
        return [word]
    heads = [word[: found.start()] + part + word[found.end() :] for part in found.group(1).split(",")]
    return [full for head in heads for full in expand(head)]


def table(text):
    kinds = {}
    for line in text.strip().splitlines():
        kind, *words = line.split()
        for mnemonic in (full for word in words for full in expand(word)):
            assert mnemonic not in kinds, f"{mnemonic} is in the table twice"
            kinds[mnemonic] = kind
    return kinds


FLOWS = {"jump": "branch", "branch": "branch", "ijump": "branch", "cijump": "branch", "call": "call", "ccall": "call",
         "icall": "call", "cicall": "call", "return": "return", "creturn": "return", "eret": "eret", "trap": "trap"}
CONDITIONAL = {"branch", "cijump", "ccall", "cicall", "creturn"}
INDIRECT = {"ijump", "cijump", "icall", "cicall"}
READS = {"load", "rmw", "ll", "amo"}
WRITES = {"store", "rmw", "sc", "amo"}
COUNTED = {"system": "system", "barrier": "barriers", "nop": "nops"}


def effect_of(kind, registers=None):
    """The effect of one table kind; `registers` overrides the number of registers moved."""
    name, _, shape = kind.partition(":")
    width, _, number = shape.partition("x")
    width = int(width or 0)
    registers = int(number or 1) if registers is None else registers
    effect = Effect(flow=FLOWS.get(name, "next"), conditional=name in CONDITIONAL)
    if name in READS:
        effect.counts |= {"loads": 1, "registers_loaded": registers, "bytes_loaded": registers * width}
    if name in WRITES:
        effect.counts |= {"stores": 1, "registers_stored": registers, "bytes_stored": registers * width}
    if name in ("ll", "sc", "amo"):
        effect.counts["atomics"] = 1
    if name in INDIRECT and effect.flow == "call":
        effect.counts["indirect_calls"] = 1
    if name in COUNTED:
        effect.counts[COUNTED[name]] = 1
    if name in ("trap", "hint"):
        effect.counts |= {"system": 1, "barriers": 1, "nops": 1} if name == "hint" else {"system": 1}
        effect.loose |= {"system", "barriers", "nops"}
    effect.classes = classes_of(name, effect)
    return effect


def classes_of(name, effect):
    memory = {("loads",): "load", ("stores",): "store", ("loads", "stores"): "load_store"}.get(
        tuple(side for side in ("loads", "stores") if side in effect.counts))
    own = {"branch": {"branch"}, "call": {"call"}, "return": {"return"}, "eret": {"return"},
           "trap": {"system", "other"}}.get(effect.flow)
    if own:
        return own | ({memory} if memory else set())
    if memory:
        return {memory}
    return {"hint": {"nop", "barrier", "system", "other"}}.get(name, {name})


class Isa:
    """One architecture: how to call objdump, and what an instruction does."""

    UNDECODED = ("<unknown>", ".byte", ".short", ".word", ".long")
    flags = []  # of objdump
    little_endian = True
    plain_walks = False  # no predicates and no returns to a known address: walks can be counted
    words = {}  # instructions that objdump does not decode: {(mask, word): mnemonic}

    def effect(self, insn):
        if insn.effect is None:
            insn.effect = self.find_effect(insn)
        return insn.effect

    def find_effect(self, insn):
        insn.mnemonic = next((name for (mask, word), name in self.words.items() if insn.word & mask == word),
                             insn.mnemonic)
        if insn.mnemonic in self.UNDECODED:
            return Effect(flow="trap", classes={"unknown"})
        effect = self.classify(insn)
        if effect.flow in ("branch", "call") and not insn.relocated and effect.target is None:
            effect.target = self.target(insn)
        return effect

    def target(self, insn):
        """llvm-objdump prints the absolute target of a direct branch in hexadecimal, as the last operand."""
        found = re.search(r"(?:^|[\s,])0x([0-9a-f]+)$", insn.operands)
        return int(found.group(1), 16) if found else None

    def lookup(self, insn, mnemonic=None):
        kind = self.kinds.get(mnemonic or insn.mnemonic)
        if kind is None:
            raise Unclassified(f"{insn.mnemonic} at {insn.address:#x} ({insn.text})")
        return kind


# ------------------------------------------------------------------------------------------------------- LoongArch
class LoongArch(Isa):
    """LoongArch Reference Manual, volume 1; vector mnemonics only as far as they move memory or appear in kernels."""

    plain_walks = True

    kinds = table("""
load:1  ld.{b,bu} ldx.{b,bu} ldgt.b ldle.b vldrepl.b xvldrepl.b
load:2  ld.{h,hu} ldx.{h,hu} ldgt.h ldle.h vldrepl.h xvldrepl.h
load:4  ld.{w,wu} ldx.{w,wu} ldptr.w ldgt.w ldle.w fld.s fldx.s fldgt.s fldle.s vldrepl.w xvldrepl.w ldl.w ldr.w
load:8  ld.d ldx.d ldptr.d ldgt.d ldle.d fld.d fldx.d fldgt.d fldle.d vldrepl.d xvldrepl.d lddir ldpte ldl.d ldr.d
load:16 vld vldx
load:32 xvld xvldx
store:1 st.b stx.b stgt.b stle.b vstelm.b xvstelm.b
store:2 st.h stx.h stgt.h stle.h vstelm.h xvstelm.h
store:4 st.w stx.w stptr.w stgt.w stle.w fst.s fstx.s fstgt.s fstle.s vstelm.w xvstelm.w stl.w str.w
store:8 st.d stx.d stptr.d stgt.d stle.d fst.d fstx.d fstgt.d fstle.d vstelm.d xvstelm.d stl.d str.d
store:16 vst vstx
store:32 xvst xvstx
ll:4    ll.w llacq.w
ll:8    ll.d llacq.d
sc:4    sc.w screl.w
sc:8    sc.d screl.d
sc:8x2  sc.q
amo:1   am{swap,add,cas}{,_db}.b
amo:2   am{swap,add,cas}{,_db}.h
amo:4   am{swap,add,and,or,xor,max,min,cas}{,_db}.w am{max,min}{,_db}.wu
amo:8   am{swap,add,and,or,xor,max,min,cas}{,_db}.d am{max,min}{,_db}.du
other   add.{w,d} addi.{w,d} addu16i.d sub.{w,d} alsl.{w,wu,d} lu12i.w lu32i.d lu52i.d li.{w,d}
other   pcaddi pcaddu12i pcaddu18i pcalau12i slt sltu slti sltui and or xor nor andn orn andi ori xori move
other   mul.{w,d} mulh.{w,wu,d,du} mulw.d.{w,wu} div.{w,wu,d,du} mod.{w,wu,d,du} crc.w.{b,h,w,d}.w crcc.w.{b,h,w,d}.w
other   sll.{w,d} srl.{w,d} sra.{w,d} rotr.{w,d} slli.{w,d} srli.{w,d} srai.{w,d} rotri.{w,d}
other   ext.w.{b,h} clo.{w,d} clz.{w,d} cto.{w,d} ctz.{w,d} bytepick.{w,d} revb.{2h,4h,2w,d} revh.{2w,d}
other   bitrev.{4b,8b,w,d} bstrins.{w,d} bstrpick.{w,d} maskeqz masknez preld preldx cpucfg
other   rdtimel.w rdtimeh.w rdtime.d asrtle.d asrtgt.d movgr2fr.{w,d} movgr2frh.w movfr2gr.{s,d} movfrh2gr.s
other   movgr2fcsr movfcsr2gr movgr2cf movcf2gr movfr2cf movcf2fr fmov.{s,d} movgr2scr movscr2gr
other   x86mftop x86mttop x86mfflag x86mtflag x86clrtm armmfflag armmtflag vinsgr2vr.{b,h,w,d}
other   vpickve2gr.{b,h,w,d,bu,hu,wu,du} xvinsgr2vr.{w,d} xvpickve2gr.{w,d,wu,du} xvpermi.q vori.b xvori.b vxor.v
system  csrrd csrwr csrxchg iocsrrd.{b,h,w,d} iocsrwr.{b,h,w,d} gcsrrd gcsrwr gcsrxchg cacop
system  tlbsrch tlbrd tlbwr tlbfill tlbclr tlbflush gtlbflush invtlb idle
barrier dbar ibar
nop     nop
jump    b
branch  beq bne blt bge bltu bgeu beqz bnez bgez bltz blez bgtz bgt ble bgtu bleu bceqz bcnez
call    bl
ijump   jr
return  ret
eret    ertn
trap    break syscall dbcl hvcl ud
""")

    def classify(self, insn):
        if insn.mnemonic == "jirl":  # jirl rd, rj, offset
            link, base, offset = [part.strip() for part in insn.operands.split(",")]
            if link in ("$zero", "$r0"):
                return effect_of("return" if base in ("$ra", "$r1") and int(offset, 0) == 0 else "ijump")
            return effect_of("icall")
        return effect_of(self.lookup(insn))

    def target(self, insn):
        """Branches show the distance in bytes as their last operand."""
        found = re.search(r"(?:^|[\s,])(-?\d+)$", insn.operands)
        direct = self.kinds.get(insn.mnemonic) in ("jump", "branch", "call")
        return insn.address + int(found.group(1)) if found and direct else None


# ------------------------------------------------------------------------------------------------------------- ARM
CONDITIONS = {  # of the flags N, Z, C, V
    "eq": lambda n, z, c, v: z, "ne": lambda n, z, c, v: not z, "hs": lambda n, z, c, v: c,
    "lo": lambda n, z, c, v: not c, "mi": lambda n, z, c, v: n, "pl": lambda n, z, c, v: not n,
    "vs": lambda n, z, c, v: v, "vc": lambda n, z, c, v: not v, "hi": lambda n, z, c, v: c and not z,
    "ls": lambda n, z, c, v: not c or z, "ge": lambda n, z, c, v: n == v, "lt": lambda n, z, c, v: n != v,
    "gt": lambda n, z, c, v: not z and n == v, "le": lambda n, z, c, v: z or n != v}
CONDITIONS |= {"cs": CONDITIONS["hs"], "cc": CONDITIONS["lo"]}


class Arm(Isa):
    """ARM Architecture Reference Manual, ARMv7-A/R and ARMv8-A AArch32, A32 encoding, UAL names as LLVM prints them."""

    flags = ["--triple=armv8a", "--mattr=+virtualization,+trustzone,+mp"]
    arithmetic = set(expand("{adc,add,and,asr,bic,eor,lsl,lsr,mla,mov,mul,mvn,neg,orr,ror,rrx,rsb,rsc,sbc,smlal,"
                            "smull,sub,umlal,umull}"))  # those that take a trailing "s"
    compare = {"cmp", "cmn", "tst", "teq"}
    kinds = table("""
load:4   ldr ldrt lda
load:1   ldrb ldrbt ldrsb ldrsbt ldab
load:2   ldrh ldrht ldrsh ldrsht ldah
load:4x2 ldrd
load:4m  ldm ldm{ia,ib,da,db} pop
load:v   vldr vldm vldm{ia,db} vpop
store:4  str strt stl
store:1  strb strbt stlb
store:2  strh strht stlh
store:4x2 strd
store:4m stm stm{ia,ib,da,db} push
store:v  vstr vstm vstm{ia,db} vpush
store:4x2 srs{ia,ib,da,db}
ll:4     ldrex ldaex
ll:1     ldrexb ldaexb
ll:2     ldrexh ldaexh
ll:4x2   ldrexd ldaexd
sc:4     strex stlex
sc:1     strexb stlexb
sc:2     strexh stlexh
sc:4x2   strexd stlexd
amo:4    swp
amo:1    swpb
other    adc add and asr bic eor lsl lsr mla mov mul mvn neg orr ror rrx rsb rsc sbc smlal smull sub umlal umull
other    cmp cmn tst teq adr movw movt mls clz rbit rev rev16 revsh ubfx sbfx bfi bfc umaal sdiv udiv sel
other    {u,s}xt{b,h} {u,s}xta{b,h} {u,s}xtb16 {u,s}xtab16 ssat usat ssat16 usat16 qadd qsub qdadd qdsub
other    sm{la,ul}{bb,bt,tb,tt} smlal{bb,bt,tb,tt} smmul smmla smulw{b,t} smlaw{b,t} smuad smlad usad8 usada8
other    uadd8 uadd16 usub8 usub16 uqadd8 uqsub8 uhadd8 pkhbt pkhtb crc32{b,h,w} crc32c{b,h,w}
other    pld pldw pli clrex vmov vmrs vmsr vdup veor
system   mrc mrc2 mcr mcr2 mrrc mrrc2 mcrr mcrr2 cdp cdp2 mrs msr cps cpsid cpsie setend wfi
barrier  dmb dsb isb sb
hint     csdb wfe sev sevl esb tsb
nop      nop yield dbg
jump     b
call     bl
trap     svc hvc smc udf bkpt hlt
""")
    PC = ("pc", "r15")

    def split(self, insn):
        """Mnemonic without predicate and flag suffix: (base, predicate or None, sets flags)."""
        name = insn.mnemonic.removesuffix(".w").removesuffix(".n")
        for predicate in (None, *CONDITIONS):
            if predicate and not name.endswith(predicate):
                continue
            rest = name.removesuffix(predicate) if predicate else name
            if rest in self.kinds or rest in ("bx", "blx", "bxj") or rest.startswith("rfe"):
                return rest, predicate, rest in self.compare
            if rest.endswith("s") and rest[:-1] in self.arithmetic:
                return rest[:-1], predicate, True
        raise Unclassified(f"{insn.mnemonic} at {insn.address:#x} ({insn.text})")

    def classify(self, insn):
        base, predicate, sets = self.split(insn)
        operands = insn.operands
        first = operands.split(",")[0].strip()
        effect = self.memory_or_flow(insn, base, first, operands)
        to_pc = first in self.PC and (base in self.arithmetic or base in ("ldr", "adr"))
        if re.search(r"\{[^}]*\b(pc|r15)\}", operands) and effect.counts.get("loads"):
            self.transfer(effect, "eret" if "^" in operands else "return")
        elif to_pc and base == "ldr":
            self.transfer(effect, "return" if re.search(r"\[sp\], #", operands) else "branch")
        elif to_pc and sets:
            effect = effect_of("eret")
            sets = False  # the flags come from the saved status
        elif to_pc:
            effect = effect_of("return" if base == "mov" and operands.split(",")[1].strip() == "lr" else "ijump")
        effect.predicate = predicate
        effect.conditional = predicate is not None and effect.flow != "next"
        effect.sets_flags = sets or (base in ("mrc", "vmrs") and "apsr_nzcv" in operands.lower()) or (
            base == "msr" and bool(re.match(r"(APSR|CPSR)_\w*(f|nzcv)", operands, re.I)))
        return effect

    def memory_or_flow(self, insn, base, first, operands):
        if base.startswith("rfe"):
            effect = effect_of("load:4x2")
            self.transfer(effect, "eret")
            return effect
        if base in ("bx", "bxj"):
            return effect_of("return" if first in ("lr", "r14") else "ijump")
        if base == "blx":
            return effect_of("call" if re.match(r"(0x|#)", first) else "icall")
        if base == "mov" and re.fullmatch(r"(r\d+), \1", operands) and insn.mnemonic == "mov":
            return effect_of("nop" if operands == "r0, r0" else "hint")  # the no-operation of ARMv4 to ARMv6
        kind = self.lookup(insn, base)
        if kind.endswith(("m", ":v")):
            listed = re.search(r"\{([^}]*)\}", operands)
            registers = [name.strip() for name in listed.group(1).split(",")] if listed else [first]
            width = 4 if kind.endswith("m") else {"s": 4, "d": 8, "q": 16}[registers[0][0]]
            return effect_of(f"{kind.split(':')[0]}:{width}", len(registers))
        return effect_of(kind)

    @staticmethod
    def transfer(effect, flow):
        effect.flow = flow
        effect.classes |= {"branch" if flow == "branch" else "return"}


# --------------------------------------------------------------------------------------------------------- PowerPC
class PowerPc(Isa):
    """Power ISA 3.1 and, for 32-bit, the PowerPC operating environment; names as LLVM prints them."""

    flags = ["--mcpu=pwr10"]
    plain_walks = True
    branches = "b{c,t,f,dnz,dz,dnzt,dnzf,dzt,dzf,eq,ne,lt,gt,le,ge,so,ns,un,nu}"
    kinds = table(f"""
load:1  lbz{{,u,x,ux}} lbzcix
load:2  lhz{{,u,x,ux}} lha{{,u,x,ux}} lhbrx lhzcix
load:4  lwz{{,u,x,ux}} lwa lwax lwaux lwbrx lwzcix lfs{{,u,x,ux}} lfiwax lfiwzx
load:8  ld ldu ldx ldux ldbrx ldcix lfd{{,u,x,ux}}
load:8x2 lq
load:16 lvx lvxl lxv lxvx lxvd2x lxvw4x
store:1 stb{{,u,x,ux}} stbcix
store:2 sth{{,u,x,ux}} sthbrx sthcix
store:4 stw{{,u,x,ux}} stwbrx stwcix stfs{{,u,x,ux}} stfiwx
store:8 std stdu stdx stdux stdbrx stdcix stfd{{,u,x,ux}}
store:8x2 stq
store:16 stvx stvxl stxv stxvx stxvd2x stxvw4x
load:4m lmw
store:4m stmw
ll:1    lbarx
ll:2    lharx
ll:4    lwarx
ll:8    ldarx
ll:8x2  lqarx
sc:1    stbcx.
sc:2    sthcx.
sc:4    stwcx.
sc:8    stdcx.
sc:8x2  stqcx.
other   add addc adde addi addic addis addme addze addpcis lnia li lis pli la sub subc subf subfc subfe subfic subfme
other   subfze subi neg mulli mullw mulld mulhw mulhwu mulhd mulhdu div{{w,wu,d,du,we,weu,de,deu}} mod{{sw,uw,sd,ud}}
other   and andc andi. andis. or orc ori oris xor xori xoris nand nor eqv not mr cmpb cmpw cmpwi cmplw cmplwi cmpd
other   cmpdi cmpld cmpldi cmprb cmpeqb isel cntlzw cntlzd cnttzw cnttzd extsb extsh extsw extswsli popcntb popcntw
other   popcntd rlwinm rlwimi rlwnm rotlw rotlwi rotrwi slwi srwi clrlwi clrrwi clrlslwi insrwi inslwi extlwi extrwi
other   rldicl rldicr rldic rldimi rldcl rldcr rotld rotldi rotrdi sldi srdi clrldi clrrdi clrlsldi insrdi extldi extrdi
other   slw srw sraw srawi sld srd srad sradi cr{{and,andc,eqv,nand,nor,or,orc,xor,set,clr,move,not}} mcrf mcrxrx setb
other   mflr mtlr mfctr mtctr mfxer mtxer mfcr mtcr mtcrf mfocrf mtocrf mftb mftbu mftbl mfvrsave mtvrsave darn
other   maddld maddhd maddhdu brh brw brd fmr mffs mffsl mtfsf mfvscr mtvscr vxor vor vmr vspltisw xxlor xxlxor xxswapd
other   dcbt dcbtst dcbtt dcbtstt dcbst dcbf dcbfl dcbfps dcbstps icbi icbt mfppr mtppr mfudscr mtudscr mfuamr mtuamr
other   tw twi td tdi tw{{eq,ne,lt,gt,lgt,llt,le,ge,u}} tw{{eq,ne,lt,gt,lgt,llt,le,ge,u}}i
other   td{{eq,ne,lt,gt,lgt,llt,le,ge,u}} td{{eq,ne,lt,gt,lgt,llt,le,ge,u}}i
system  mfmsr mtmsr mtmsrd mfsrr0 mfsrr1 mtsrr0 mtsrr1 mfsrr2 mfsrr3 mtsrr2 mtsrr3 mfdar mtdar mfdsisr mtdsisr
system  mfdec mtdec mfcfar mtcfar mfsdr1 mtsdr1 mfamr mtamr mfpvr mfasr mtasr mttbl mttbu mfsprg mtsprg
system  mfsprg{{0,1,2,3}} mtsprg{{0,1,2,3}} mfdbat{{u,l}} mtdbat{{u,l}} mfibat{{u,l}} mtibat{{u,l}} mfsr mtsr mfsrin
system  mtsrin mfesr mtesr mfdear mtdear mfpid mtpid mfdscr mtdscr mfbhrbe clrbhrb
system  tlbie tlbiel tlbsync tlbia tlbld tlbli tlbre tlbwe tlbsx tlbivax slbie slbieg slbia slbiag slbmte slbmfee
system  slbmfev slbfee. slbsync nap doze sleep rvwinkle stop attn wait waitimpl waitrsv msgsnd msgclr msgsync msgsndp
system  msgclrp cpabort dcbi wrtee wrteei
barrier sync lwsync hwsync ptesync phwsync plwsync msync isync eieio mbar
nop     nop
jump    b ba
call    bl bla
branch  {branches}{{,a}}
ccall   {branches}{{l,la}}
return  blr
creturn {branches}lr
ijump   bctr
cijump  {branches}ctr
icall   bctrl blrl
cicall  {branches}{{ctrl,lrl}}
eret    rfid hrfid rfi rfci rfdi rfmci rfscv urfid
trap    sc scv trap
""")
    # Power ISA 3.0, book III: rfscv, and slbia with an IH field that is not 0
    words = {(0xFFFFFFFF, 0x4C0000A4): "rfscv", (0xFF1FFFFF, 0x7C0003E4): "slbia"}

    def __init__(self, little_endian):
        self.little_endian = little_endian

    def classify(self, insn):
        name, operands = insn.mnemonic, insn.operands
        if name in ("mtspr", "mfspr"):  # privileged exactly when bit 0x10 of the number is set (mtspr, book III)
            number = int(operands.split(",")[0 if name == "mtspr" else 1], 0)
            return effect_of("system" if number & 0x10 else "other")
        if name in ("mr", "or", "ori", "xori") and self.is_hint(name, operands):
            return effect_of("nop")
        if name in ("lmw", "stmw"):
            return effect_of(self.kinds[name].removesuffix("m"), 32 - int(operands.split(",")[0]))
        if name in ("dcbz", "dcbzl"):  # a store of one cache block, whose size the instruction does not say
            effect = effect_of("store:0")
            effect.counts |= {"registers_stored": 1, "bytes_stored": 1 << 20}
            effect.loose |= {"registers_stored", "bytes_stored"}
            return effect
        if name.startswith("b"):
            name = name.rstrip("+-")
        if name not in self.kinds and self.kinds.get(name.removesuffix(".")) == "other":
            name = name.removesuffix(".")  # record form
        kind = self.lookup(insn, name)
        if name.startswith("bc") and kind in CONDITIONAL and int(operands.split(",")[0], 0) & 0x14 == 0x14:
            kind = kind.removeprefix("c") if kind != "branch" else "jump"  # BO says "always"
        if kind == "creturn" and name.endswith("lrl"):
            kind = "cicall"
        return effect_of(kind)

    @staticmethod
    def is_hint(name, operands):
        """or rx,rx,rx sets a thread priority or does nothing; ori 0,0,0 is the no-operation."""
        registers = [part.strip() for part in operands.split(",")]
        if name in ("ori", "xori"):
            return registers == ["0", "0", "0"]
        return len(set(registers)) == 1


def isa_for(arch):
    """The table for trapline's "arch", or None where there is none yet."""
    return {"loongarch64": LoongArch, "loongarch32": LoongArch, "arm": Arm,
            "powerpc64le": lambda: PowerPc(True), "powerpc64": lambda: PowerPc(False),
            "powerpc": lambda: PowerPc(False)}.get(arch, lambda: None)()
