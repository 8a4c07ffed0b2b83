// SPDX-License-Identifier: Apache-2.0
//
// Control flow, special registers and barriers of PowerPC. Words come from
//   llvm-mc-22 -triple=powerpc64 -mcpu=pwr10 -show-encoding
// (relative branches and rfscv from the drawings of the manual), expectations from Power ISA 3.1 Book I chapter 2, Book
// II chapters 3 and 4, Book III chapters 2 and 4.
#include <doctest/doctest.h>

#include <optional>

#include "powerpc_support.h"

using namespace trapline;
using namespace trapline::ppc_test;

namespace {

Insn be(std::uint32_t word) { return lift(Kind::be64, {word}); }

}  // namespace

TEST_CASE("powerpc unconditional branches") {
  const std::uint64_t here = text_address(Kind::be64);
  const Insn b = be(0x48000008);
  CHECK(b.flow == Flow::jump);
  CHECK(b.cls == InsnClass::branch);
  CHECK(b.target == here + 8);
  CHECK_FALSE(b.sets_link);
  const Insn back = be(0x4bfffff0);
  CHECK(back.target == here - 16);
  const Insn bl = be(0x48000005);  // bl .+4
  CHECK(bl.flow == Flow::call);
  CHECK(bl.cls == InsnClass::call);
  CHECK(bl.sets_link);
  CHECK(bl.target == here + 4);
  CHECK(be(0x48000000).flow == Flow::halt);  // b .
  CHECK(be(0x48000102).target == 0x100);     // ba 0x100
  const Insn bcl = be(0x429f0005);           // bcl 20,31,.+4
  CHECK(bcl.flow == Flow::call);
  CHECK(bcl.sets_link);
  CHECK_FALSE(bcl.when);
  CHECK(bcl.target == here + 4);
  CHECK(lift(Kind::le64, {0x48000008}).target == text_address(Kind::le64) + 8);
  CHECK(lift(Kind::be32, {0x48000008}).target == text_address(Kind::be32) + 8);
}

TEST_CASE("powerpc branches on a condition field") {
  struct Case {
    std::uint32_t word;
    std::string_view field;
    Rel rel;
  };
  for (const Case& t : std::initializer_list<Case>{
           {0x41820008, "cr0", Rel::eq},  // beq .+8
           {0x40860008, "cr1", Rel::ne},  // bne 1
           {0x419c0008, "cr7", Rel::lt},  // blt 7
           {0x41810008, "cr0", Rel::gt},  // bgt
           {0x40810008, "cr0", Rel::le},  // ble
           {0x40800008, "cr0", Rel::ge},  // bge
       }) {
    CAPTURE(t.word);
    const Insn insn = be(t.word);
    CHECK(insn.flow == Flow::jump);
    CHECK(insn.target == text_address(Kind::be64) + 8);
    CHECK(insn.ops.empty());
    REQUIRE(insn.when);
    CHECK(insn.when->flags == place(t.field));
    CHECK(insn.when->rel == t.rel);
    CHECK_FALSE(insn.when->guards_effects);
  }
}

TEST_CASE("powerpc branches on summary overflow ask one question of the field") {
  const Predicate set = *be(0x41830008).when, clear = *be(0x40830008).when, other = *be(0x418b0008).when;
  CHECK(set.rel == Rel::opaque);
  CHECK(clear.rel == Rel::opaque_not);
  CHECK(set.a.index == place("cr0"));
  CHECK(clear.a.index == place("cr0"));
  CHECK(set.tag == clear.tag);
  CHECK(other.a.index == place("cr2"));
}

TEST_CASE("powerpc branches that count") {
  Machine m(Kind::be64);
  const Insn bdnz = be(0x4200fffc);  // bdnz .-4
  CHECK(bdnz.flow == Flow::jump);
  CHECK(bdnz.target == text_address(Kind::be64) - 4);
  CHECK(m.set("ctr", 2).run(bdnz).holds(*bdnz.when) == true);
  CHECK(m["ctr"] == 1);
  CHECK(m.run(bdnz).holds(*bdnz.when) == false);
  CHECK(m["ctr"] == 0);
  const Insn bdz = be(0x42400008);
  CHECK(m.set("ctr", 1).run(bdz).holds(*bdz.when) == true);
  CHECK(m.set("ctr", 0).run(bdz).holds(*bdz.when) == false);  // it wraps around
  const Insn both = be(0x41020008);                           // bdnzt eq: no relation says that
  CHECK(both.when->rel == Rel::opaque);
  CHECK(m.set("ctr", 3).run(both)["ctr"] == 2);
  const Insn narrow = lift(Kind::be32, {0x4200fffc});
  CHECK(narrow.when->width == 4);
}

TEST_CASE("powerpc conditional calls") {
  const Insn insn = be(0x41820009);  // beql .+8
  CHECK(insn.flow == Flow::call);
  CHECK(insn.sets_link);
  REQUIRE(insn.when);
  CHECK(insn.when->rel == Rel::eq);
}

TEST_CASE("powerpc branches to a register") {
  struct Case {
    std::uint32_t word;
    Flow flow;
    InsnClass cls;
    bool conditional, sets_link;
  };
  for (const Case& t : std::initializer_list<Case>{
           {0x4e800020, Flow::ret, InsnClass::ret, false, false},               // blr
           {0x4d820020, Flow::ret, InsnClass::ret, true, false},                // beqlr
           {0x4e000020, Flow::ret, InsnClass::ret, true, false},                // bdnzlr
           {0x4e800820, Flow::indirect_jump, InsnClass::branch, false, false},  // bclr 20,0,1: "not a return"
           {0x4e800420, Flow::indirect_jump, InsnClass::branch, false, false},  // bctr
           {0x4c820420, Flow::indirect_jump, InsnClass::branch, true, false},   // bnectr
           {0x4e800421, Flow::indirect_call, InsnClass::call, false, true},     // bctrl
           {0x4d820421, Flow::indirect_call, InsnClass::call, true, true},      // beqctrl
           {0x4e800021, Flow::indirect_call, InsnClass::call, false, true},     // blrl
           {0x4e800460, Flow::indirect_jump, InsnClass::branch, false, false},  // bctar
       }) {
    CAPTURE(t.word);
    const Insn insn = be(t.word);
    CHECK(insn.flow == t.flow);
    CHECK(insn.cls == t.cls);
    CHECK(insn.when.has_value() == t.conditional);
    CHECK(insn.sets_link == t.sets_link);
    CHECK(insn.jump_to.kind != Operand::Kind::none);
  }
  CHECK(be(0x4e800020).jump_to.index == place("lr"));
  CHECK(be(0x4e800420).jump_to.index == place("ctr"));
  CHECK(be(0x4e800460).jump_to.index == place("tar"));
}

TEST_CASE("powerpc exception returns name the register with the MSR") {
  struct Case {
    std::uint32_t word;
    std::string_view status, address;
  };
  for (const Case& t : std::initializer_list<Case>{
           {0x4c000024, "srr1", "srr0"},      // rfid
           {0x4c000064, "srr1", "srr0"},      // rfi
           {0x4c000224, "hsrr1", "hsrr0"},    // hrfid
           {0x4c0000a4, "ctr", "lr"},         // rfscv, which LLVM does not know
           {0x4c000066, "csrr1", "csrr0"},    // rfci
           {0x4c00004e, "dsrr1", "dsrr0"},    // rfdi
           {0x4c00004c, "mcsrr1", "mcsrr0"},  // rfmci
       }) {
    CAPTURE(t.word);
    for (const Kind kind : {Kind::be64, Kind::le64, Kind::be32}) {
      const Insn insn = lift(kind, {t.word});
      CHECK(insn.flow == Flow::exception_return);
      CHECK(insn.cls == InsnClass::ret);
      CHECK(insn.size == 4);
      CHECK(insn.returns_by == ReturnsBy::status);
      CHECK(insn.status == place(t.status));
      CHECK(insn.jump_to.index == place(t.address));
    }
  }
}

TEST_CASE("powerpc words that LLVM does not decode have their text") {
  const auto text = [](std::uint32_t word) {
    return Decoder(*image(Kind::le64, {word})).text(text_address(Kind::le64));
  };
  // As GNU objdump -M power10 prints them, in the manner of llvm-objdump.
  CHECK(text(0x4c0000a4) == "rfscv");
  CHECK(text(0x7ce003e4) == "slbia 7");
  CHECK(text(0x7d483a24) == "tlbiel 7, 10, 2, 0, 0");
  CHECK(text(0x7c00499c) == "msgsnd 9");
  CHECK(text(0x00000000) == "<unknown>");
  for (const std::uint32_t word : {0x7ce003e4u, 0x7d483a24u, 0x7c00499cu}) {
    CAPTURE(word);
    CHECK(lift(Kind::le64, {word}).cls == InsnClass::system);
    CHECK(lift(Kind::le64, {word}).flow == Flow::next);
  }
}

TEST_CASE("powerpc words that are no instructions stay unknown") {
  for (const std::uint32_t word : {0u, 0x4c0000a5u, 0xfffffa58u, 0x00000694u}) {
    CAPTURE(word);
    const Insn insn = be(word);
    CHECK(insn.flow == Flow::unknown);
    CHECK(insn.cls == InsnClass::unknown);
    CHECK(insn.size == 4);
  }
}

TEST_CASE("powerpc system calls come back and change what the ABI says") {
  // Documentation/arch/powerpc/syscall64-abi.rst: sc: r0, r3-r12, ctr, xer, cr0; scv also lr, cr1, cr5-cr7.
  for (const std::uint32_t word : {0x44000002u, 0x44000001u}) {
    CAPTURE(word);
    const bool vectored = word == 0x44000001;
    Machine m(Kind::be64);
    for (std::string_view name :
         {"r0", "r1", "r3", "r12", "r13", "r14", "ctr", "xer", "cr0", "cr1", "cr2", "cr5", "lr"})
      m.set(name, 1);
    const Insn insn = be(word);
    CHECK(insn.flow == Flow::syscall);
    m.run(insn);
    for (std::string_view name : {"r0", "r3", "r12", "ctr", "xer", "cr0"}) CHECK(m.was_clobbered(name));
    for (std::string_view name : {"r1", "r13", "r14", "cr2"}) CHECK(m[name] == 1);
    for (std::string_view name : {"cr1", "cr5", "lr"}) CHECK(m.was_clobbered(name) == vectored);
  }
  CHECK(be(0x44000022).flow == Flow::syscall);  // sc 1: a hypercall comes back as well
}

TEST_CASE("powerpc traps") {
  CHECK(be(0x7fe00008).flow == Flow::trap);  // tw 31,0,0
  CHECK(be(0x0fe00000).flow == Flow::trap);  // twi 31,0,0
  CHECK(be(0x7c831808).flow == Flow::trap);  // tw 4,3,3: r3 equals itself
  CHECK(be(0x0981fcf0).flow == Flow::next);  // tdgei 1,-784: an assertion
  CHECK(be(0x0b030000).flow == Flow::next);  // tdnei 3,0
  CHECK(be(0x08000048).flow == Flow::next);  // tdi 0,0,72: never traps; the first word of FIXUP_ENDIAN
}

TEST_CASE("powerpc special registers") {
  Machine m(Kind::be64);
  m.set("lr", 1)
      .set("ctr", 2)
      .set("xer", 3)
      .set("sprg1", 4)
      .set("srr0", 5)
      .set("hsrr0", 6)
      .set("cfar", 7)
      .set("dar", 8);
  m.set("ppr", 9).set("r12", 10).set("r13", 11);
  CHECK(m.run(be(0x7c6802a6))["r3"] == 1);           // mflr 3
  CHECK(m.run(be(0x7d2902a6))["r9"] == 2);           // mfctr 9
  CHECK(m.run(be(0x7c6102a6))["r3"] == 3);           // mfxer 3
  CHECK(m.run(be(0x7d7a02a6))["r11"] == 5);          // mfsrr0 11
  CHECK(m.run(be(0x7d7a4aa6))["r11"] == 6);          // mfspr 11,314
  CHECK(m.run(be(0x7d5c02a6))["r10"] == 7);          // mfcfar 10
  CHECK(m.run(be(0x7d5302a6))["r10"] == 8);          // mfdar 10
  CHECK(m.run(be(0x7c60e2a6))["r3"] == 9);           // mfspr 3,896
  CHECK(m.run(be(0x7d9b03a6))["srr1"] == 10);        // mtsrr1 12
  CHECK(m.run(be(0x7db243a6))["sprg2"] == 11);       // mtspr 274,13
  CHECK(m.run(be(0x7db142a6))["r13"] == 4);          // mfspr 13,273
  CHECK(m.run(be(0x7c6c42a6)).was_clobbered("r3"));  // mftb 3
  // A number whose bit 0x10 is set needs privilege (Book III, table of SPR numbers).
  for (const std::uint32_t word : {0x7c6802a6u, 0x7c6903a6u, 0x7c6103a6u, 0x7c60e2a6u, 0x7c6c42a6u, 0x7c600026u}) {
    CAPTURE(word);
    CHECK(be(word).cls == InsnClass::other);  // mflr mtctr mtxer mfppr mftb mfcr
  }
  for (const std::uint32_t word : {0x7db142a6u, 0x7d7a02a6u, 0x7d9b03a6u, 0x7d5c02a6u, 0x7d3603a6u, 0x7c6000a6u,
                                   0x7c602324u, 0x7c001b64u, 0x7c801a64u, 0x7c6001a4u, 0x00000200u, 0x4c0002e4u}) {
    CAPTURE(word);
    CHECK(be(word).cls ==
          InsnClass::system);  // mfspr sprg1 srr0 srr1 cfar mtdec mfmsr slbmte slbie tlbie mtsr attn stop
    CHECK(be(word).system);
    CHECK(be(word).flow == Flow::next);
  }
}

TEST_CASE("powerpc mfmsr is only read by privileged code") {
  CHECK(Machine(Kind::be64).set("msr", 0x900000000000d033).run(be(0x7c6000a6))["r3"] == 0x9000000000009033);
}

TEST_CASE("powerpc barriers") {
  // sync lwsync ptesync isync eieio tlbsync
  for (const std::uint32_t word : {0x7c0004acu, 0x7c2004acu, 0x7c4004acu, 0x4c00012cu, 0x7c0006acu, 0x7c00046cu}) {
    CAPTURE(word);
    CHECK(be(word).cls == InsnClass::barrier);
    CHECK(be(word).barrier);
    CHECK_FALSE(be(word).memory.loads);
    CHECK_FALSE(be(word).memory.stores);
  }
}

TEST_CASE("powerpc knows which writes of the MSR may enable interrupts") {
  const auto last = [](std::vector<std::uint32_t> words) {
    const std::unique_ptr<Image> made = image(Kind::be64, words);
    return Decoder(*made).decode(text_address(Kind::be64) + 4 * (words.size() - 1)).irq_on;
  };
  CHECK(be(0x7c008146).irq_on);                             // wrteei 1
  CHECK_FALSE(be(0x7c000146).irq_on);                       // wrteei 0
  CHECK(last({0x3980ffff, 0x7d810164}));                    // li 12,-1; mtmsrd 12,1
  CHECK_FALSE(last({0x39800002, 0x7d810164}));              // li 12,MSR_RI; mtmsrd 12,1
  CHECK_FALSE(last({0xe94d0020, 0x694a0002, 0x7d400164}));  // ld 10,PACAKMSR(13); xori 10,10,MSR_RI; mtmsrd 10
  CHECK(last({0xe9410108, 0x7d400164}));                    // ld 10,264(1): an MSR from the frame
  CHECK(last({0x7d4000a6, 0x614a8000, 0x7d400164}));        // mfmsr 10; ori 10,10,MSR_EE; mtmsrd 10
  CHECK_FALSE(last({0x7d4000a6, 0x614a1000, 0x7d400164}));  // mfmsr 10; ori 10,10,MSR_ME; mtmsrd 10
  CHECK_FALSE(last({0x7d4000a6, 0x554a045e, 0x7d400164}));  // mfmsr 10; rlwinm 10,10,0,17,15; mtmsrd 10
  CHECK(last({0x7d400164}));                                // nothing is known
}
