// SPDX-License-Identifier: Apache-2.0
//
// What Capstone 4 says of PowerPC branches, and where it is known to be wrong: it knows Power ISA 2.06 in part, little
// of 2.07 and 3.0, and nothing of 3.1.
#include "disasm/arch/powerpc/second_decoder.h"

#include <algorithm>
#include <array>

namespace trapline::ppc {
namespace {

struct Row {
  unsigned id;
  FlowKind flow;
  bool conditional;
};

// Capstone gives the same id to all conditions of one form (beq, bne, ...: PPC_INS_BC).
constexpr std::array rows = std::to_array<Row>({
    {PPC_INS_B, FlowKind::jump, false},
    {PPC_INS_BA, FlowKind::jump, false},
    {PPC_INS_BC, FlowKind::jump, true},
    {PPC_INS_BCA, FlowKind::jump, true},
    {PPC_INS_BT, FlowKind::jump, true},
    {PPC_INS_BF, FlowKind::jump, true},
    {PPC_INS_BTA, FlowKind::jump, true},
    {PPC_INS_BFA, FlowKind::jump, true},
    {PPC_INS_BDNZ, FlowKind::jump, true},
    {PPC_INS_BDNZA, FlowKind::jump, true},
    {PPC_INS_BDZ, FlowKind::jump, true},
    {PPC_INS_BDZA, FlowKind::jump, true},
    {PPC_INS_BDNZT, FlowKind::jump, true},
    {PPC_INS_BDNZF, FlowKind::jump, true},
    {PPC_INS_BDZT, FlowKind::jump, true},
    {PPC_INS_BDZF, FlowKind::jump, true},
    {PPC_INS_BDNZTA, FlowKind::jump, true},
    {PPC_INS_BDNZFA, FlowKind::jump, true},
    {PPC_INS_BDZTA, FlowKind::jump, true},
    {PPC_INS_BDZFA, FlowKind::jump, true},
    {PPC_INS_BL, FlowKind::call, false},
    {PPC_INS_BLA, FlowKind::call, false},
    {PPC_INS_BCL, FlowKind::call, true},
    {PPC_INS_BCLA, FlowKind::call, true},
    {PPC_INS_BTL, FlowKind::call, true},
    {PPC_INS_BFL, FlowKind::call, true},
    {PPC_INS_BTLA, FlowKind::call, true},
    {PPC_INS_BFLA, FlowKind::call, true},
    {PPC_INS_BDNZL, FlowKind::call, true},
    {PPC_INS_BDNZLA, FlowKind::call, true},
    {PPC_INS_BDZL, FlowKind::call, true},
    {PPC_INS_BDZLA, FlowKind::call, true},
    {PPC_INS_BDNZTL, FlowKind::call, true},
    {PPC_INS_BDNZFL, FlowKind::call, true},
    {PPC_INS_BDZTL, FlowKind::call, true},
    {PPC_INS_BDZFL, FlowKind::call, true},
    {PPC_INS_BDNZTLA, FlowKind::call, true},
    {PPC_INS_BDNZFLA, FlowKind::call, true},
    {PPC_INS_BDZTLA, FlowKind::call, true},
    {PPC_INS_BDZFLA, FlowKind::call, true},
    {PPC_INS_BLR, FlowKind::ret, false},
    {PPC_INS_BCLR, FlowKind::ret, true},
    {PPC_INS_BTLR, FlowKind::ret, true},
    {PPC_INS_BFLR, FlowKind::ret, true},
    {PPC_INS_BDNZLR, FlowKind::ret, true},
    {PPC_INS_BDZLR, FlowKind::ret, true},
    {PPC_INS_BDNZTLR, FlowKind::ret, true},
    {PPC_INS_BDZTLR, FlowKind::ret, true},
    {PPC_INS_BDZFLR, FlowKind::ret, true},
    {PPC_INS_BLRL, FlowKind::indirect_call, false},
    {PPC_INS_BCLRL, FlowKind::indirect_call, true},
    {PPC_INS_BTLRL, FlowKind::indirect_call, true},
    {PPC_INS_BFLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDNZLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDZLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDNZTLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDNZFLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDZTLRL, FlowKind::indirect_call, true},
    {PPC_INS_BDZFLRL, FlowKind::indirect_call, true},
    {PPC_INS_BCTR, FlowKind::indirect_jump, false},
    {PPC_INS_BCCTR, FlowKind::indirect_jump, true},
    {PPC_INS_BTCTR, FlowKind::indirect_jump, true},
    {PPC_INS_BFCTR, FlowKind::indirect_jump, true},
    {PPC_INS_BCTRL, FlowKind::indirect_call, false},
    {PPC_INS_BCCTRL, FlowKind::indirect_call, true},
    {PPC_INS_BTCTRL, FlowKind::indirect_call, true},
    {PPC_INS_BFCTRL, FlowKind::indirect_call, true},
    {PPC_INS_RFI, FlowKind::exception_return, false},
    {PPC_INS_RFID, FlowKind::exception_return, false},
    {PPC_INS_RFCI, FlowKind::exception_return, false},
    {PPC_INS_RFDI, FlowKind::exception_return, false},
    {PPC_INS_RFMCI, FlowKind::exception_return, false},
    {PPC_INS_SC, FlowKind::syscall, false},
    {PPC_INS_TRAP, FlowKind::trap, false},
    {PPC_INS_TWU, FlowKind::trap, false},
    {PPC_INS_TWUI, FlowKind::trap, false},
    {PPC_INS_TDU, FlowKind::trap, false},
    {PPC_INS_TDUI, FlowKind::trap, false},
});

// Does a trap with this TO field trap whatever it compares: on less, greater and equal, signed or unsigned?
bool traps_always(std::int64_t to) { return (to & 0x1c) == 0x1c || (to & 7) == 7; }

InsnView view(const cs_insn& insn) {
  InsnView v;
  const cs_ppc& ppc = insn.detail->ppc;
  const bool has_to =
      insn.id == PPC_INS_TW || insn.id == PPC_INS_TWI || insn.id == PPC_INS_TD || insn.id == PPC_INS_TDI;
  if (has_to && ppc.op_count != 0 && ppc.operands[0].type == PPC_OP_IMM && traps_always(ppc.operands[0].imm))
    v.flow = FlowKind::trap;
  const auto* const row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id == insn.id; });
  if (row == rows.end()) return v;
  v.flow = row->flow;
  v.conditional = row->conditional;
  if (v.flow != FlowKind::jump && v.flow != FlowKind::call) return v;
  if (ppc.op_count != 0 && ppc.operands[ppc.op_count - 1].type == PPC_OP_IMM)
    v.target = static_cast<std::uint64_t>(ppc.operands[ppc.op_count - 1].imm);
  return v;
}

// A primary opcode with an extended one in bits 21 to 30 (XO-form of ten bits), bit 31 either way.
constexpr WordPattern x_form(std::uint32_t opcode, std::uint32_t xo) { return {0xfc0007fe, opcode << 26 | xo << 1}; }

// hrfid, rfscv, rfgi, urfid
constexpr std::array returns = std::to_array<WordPattern>(
    {{0xffffffff, 0x4c000224}, {0xffffffff, 0x4c0000a4}, {0xffffffff, 0x4c0000cc}, {0xffffffff, 0x4c000264}});
constexpr std::array vectored_call = std::to_array<WordPattern>({{0xfc000003, 0x44000001}});
constexpr std::array power_saving = std::to_array<WordPattern>({{0xffffffff, 0x4c000364}, {0xffffffff, 0x4c0002e4}});
// tlbie, tlbiel, slbia, slbmfev, slbfee.
constexpr std::array translation =
    std::to_array<WordPattern>({x_form(31, 306), x_form(31, 274), x_form(31, 498), x_form(31, 851), x_form(31, 979)});
// msgsnd, msgclr, msgsndp, msgclrp, msgsync
constexpr std::array messages =
    std::to_array<WordPattern>({x_form(31, 206), x_form(31, 238), x_form(31, 142), x_form(31, 174), x_form(31, 886)});
// lbarx, lharx, lqarx, stbcx., sthcx., stqcx., and lwarx, ldarx with EH = 1
constexpr std::array reservations = std::to_array<WordPattern>({x_form(31, 52),
                                                                x_form(31, 116),
                                                                x_form(31, 276),
                                                                x_form(31, 694),
                                                                x_form(31, 726),
                                                                x_form(31, 182),
                                                                {0xfc0007ff, 31U << 26 | 20 << 1 | 1},
                                                                {0xfc0007ff, 31U << 26 | 84 << 1 | 1}});
// dcbt, dcbtst, dcbf
constexpr std::array cache_hints = std::to_array<WordPattern>({x_form(31, 278), x_form(31, 246), x_form(31, 86)});
constexpr std::array waits = std::to_array<WordPattern>({x_form(31, 30)});
// copy, paste., cpabort
constexpr std::array copy_paste = std::to_array<WordPattern>({x_form(31, 774), x_form(31, 902), x_form(31, 838)});
// clrbhrb, mfbhrbe
constexpr std::array branch_history = std::to_array<WordPattern>({x_form(31, 430), x_form(31, 302)});
// divde, divdeu (and their Rc and OE forms), popcntb, darn; maddhd, maddhdu, maddld; addpcis
constexpr std::array integers = std::to_array<WordPattern>({{0xfc0003fe, 31U << 26 | 425 << 1},
                                                            {0xfc0003fe, 31U << 26 | 393 << 1},
                                                            x_form(31, 122),
                                                            x_form(31, 755),
                                                            {0xfc00003f, 4U << 26 | 48},
                                                            {0xfc00003f, 4U << 26 | 49},
                                                            {0xfc00003f, 4U << 26 | 51},
                                                            {0xfc00003e, 19U << 26 | 4}});
// lq; stq, the DS-form of opcode 62 with 2 in its last bits
constexpr std::array quadwords = std::to_array<WordPattern>({{0xfc00000f, 56U << 26}, {0xfc000003, 62U << 26 | 2}});
// xsiexpqp, xsmsubqp
constexpr std::array quad_float = std::to_array<WordPattern>({x_form(63, 868), x_form(63, 420)});
constexpr std::array prefixes = std::to_array<WordPattern>({{0xfc000000, 1U << 26}});
// bc and bcl, bclr and bcctr
constexpr std::array always =
    std::to_array<WordPattern>({{0xfe800000, 0x42800000}, {0xfe8007fe, 0x4e800020}, {0xfe8007fe, 0x4e800420}});
// bclr with BH = 1, 2, 3
constexpr std::array no_return =
    std::to_array<WordPattern>({{0xfc001ffe, 0x4c000820}, {0xfc001ffe, 0x4c001020}, {0xfc001ffe, 0x4c001820}});
constexpr std::array target_register = std::to_array<WordPattern>({x_form(19, 560)});
// OE = 1: addo, addco, addeo, subfo, subfco, subfeo, mullwo, mulldo, divwo, divwuo, divdo, divduo
constexpr std::array overflows = std::to_array<WordPattern>(
    {x_form(31, 512 + 266), x_form(31, 512 + 10), x_form(31, 512 + 138), x_form(31, 512 + 40), x_form(31, 512 + 8),
     x_form(31, 512 + 136), x_form(31, 512 + 235), x_form(31, 512 + 233), x_form(31, 512 + 491), x_form(31, 512 + 459),
     x_form(31, 512 + 489), x_form(31, 512 + 457)});
constexpr std::array zero_displacement = std::to_array<WordPattern>({{0xfc00ffff, 0x40000000}});
constexpr std::array warnings = std::to_array<WordPattern>({{0xffff0000, 0x0fe00000}, {0xffffffff, 0x7fe00008}});

using enum DifferenceKind;
constexpr std::string_view ours = "trapline";
constexpr std::array explained = std::to_array<ExplainedClass>({
    {"ppc-exception-return", undecoded_there, ours,
     "Capstone does not know hrfid, rfscv, rfgi and urfid, which return from interrupts.",
     "Power ISA 3.1, Book III (hrfid, rfscv, urfid); 2.07, Book III-E (rfgi)", returns},
    {"ppc-scv", undecoded_there, ours, "Capstone does not know scv, the vectored system call.",
     "Power ISA 3.1, Book I (scv)", vectored_call},
    {"ppc-no-return", flow, ours, "bclr with BH other than 0 says that it is no return; Capstone does not look at BH.",
     "Power ISA 3.1, Book I, 2.4 (BH)", no_return},
    {"ppc-branch-always", flow, ours,
     "BO = 20 in bc, bcl, bclr and bcctr always branches and leaves CTR alone; Capstone reads bdnz.",
     "Power ISA 3.1, Book I, 2.4 (BO = 1z1zz)", always},
    {"ppc-target-register", undecoded_there, ours, "Capstone does not know bctar, the branch to the TAR.",
     "Power ISA 3.1, Book I, 2.4 (bctar)", target_register},
    {"ppc-branch-to-itself", target, ours,
     "Capstone leaves the target of a conditional branch with displacement 0 out. The kernel hangs on purpose with it.",
     "Power ISA 3.1, Book I, 2.4 (bc)", zero_displacement},
    {"ppc-trap-comes-back", flow, "both",
     "The word always traps, as Capstone says. Its record in __bug_table says that it is a WARN: control comes back.",
     "Power ISA 3.1, Book I (tw, twi); Linux include/linux/bug.h (BUGFLAG_WARNING)", warnings},
    {"ppc-power-saving", undecoded_there, ours, "Capstone does not know nap and stop.",
     "Power ISA 2.07, Book III-S (nap); 3.1, Book III (stop)", power_saving},
    {"ppc-translation", undecoded_there, ours,
     "Capstone knows tlbie, tlbiel and slbia without the fields RS, RIC, PRS, R and IH, and neither slbmfev nor "
     "slbfee.",
     "Power ISA 3.1, Book III, 6.9.3", translation},
    {"ppc-messages", undecoded_there, ours, "Capstone does not know msgsnd, msgclr, msgsndp, msgclrp and msgsync.",
     "Power ISA 3.1, Book III (msgsnd, msgclr, msgsndp, msgclrp, msgsync)", messages},
    {"ppc-reservations", undecoded_there, ours,
     "Capstone knows reservations of 4 and 8 bytes, without the hint EH: not those of 1, 2 and 16 bytes.",
     "Power ISA 3.1, Book II (lbarx, lharx, lwarx, ldarx, lqarx, stbcx., sthcx., stqcx.)", reservations},
    {"ppc-cache-hints", undecoded_there, ours, "Capstone knows dcbt, dcbtst and dcbf without the fields TH and L.",
     "Power ISA 3.1, Book II, 4.3", cache_hints},
    {"ppc-wait", undecoded_there, ours,
     "The extended opcode of wait is another since 3.0; Capstone knows the older one.", "Power ISA 3.1, Book II (wait)",
     waits},
    {"ppc-copy-paste", undecoded_there, ours, "Capstone does not know copy, paste. and cpabort.",
     "Power ISA 3.1, Book II (copy, paste., cpabort)", copy_paste},
    {"ppc-branch-history", undecoded_there, ours, "Capstone does not know clrbhrb and mfbhrbe.",
     "Power ISA 2.07, Book II (clrbhrb, mfbhrbe)", branch_history},
    {"ppc-integer", undecoded_there, ours,
     "Capstone does not know divde, divdeu, popcntb, darn, maddhd, maddhdu, maddld and addpcis.",
     "Power ISA 3.1, Book I, 3.3", integers},
    {"ppc-overflow", undecoded_there, ours, "Capstone does not know addo, subfo, mullwo, divwo and their kin (OE = 1).",
     "Power ISA 3.1, Book I, 3.3.9", overflows},
    {"ppc-quadwords", undecoded_there, ours, "Capstone does not know lq and stq.", "Power ISA 3.1, Book I (lq, stq)",
     quadwords},
    {"ppc-quad-float", undecoded_there, ours,
     "Capstone does not know the quad-precision instructions of 3.0. In kernels, these words are offsets in jump "
     "tables: "
     "data that decodes by chance.",
     "Power ISA 3.1, Book I (xsiexpqp, xsmsubqp)", quad_float},
    {"ppc-prefixed", undecoded_there, ours, "Capstone does not know prefixed instructions.",
     "Power ISA 3.1, Book I, 1.6.3", prefixes},
});

constexpr cs_mode mode(unsigned bits) { return static_cast<cs_mode>(bits); }

constexpr CapstoneSpec le64{CS_ARCH_PPC, mode(CS_MODE_64), view, explained};
constexpr CapstoneSpec be64{CS_ARCH_PPC, mode(CS_MODE_64 | static_cast<unsigned>(CS_MODE_BIG_ENDIAN)), view, explained};
constexpr CapstoneSpec be32{CS_ARCH_PPC, mode(CS_MODE_32 | static_cast<unsigned>(CS_MODE_BIG_ENDIAN)), view, explained};

}  // namespace

const CapstoneSpec& capstone_spec(bool is64, bool little_endian) {
  if (!is64) return be32;
  return little_endian ? le64 : be64;
}

}  // namespace trapline::ppc
