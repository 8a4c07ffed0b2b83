// SPDX-License-Identifier: Apache-2.0
//
// Special registers, barriers, caches and address translation: Power ISA 3.1 Book II chapters 3 to 5, Book III chapters
// 4 to 7; the embedded ones from Book III-E of version 2.07. Prefetches and cache instructions read or write no memory
// here (dcbz does and is in lift_memory.cc).
#include <algorithm>
#include <array>

#include "disasm/arch/powerpc/builder.h"

namespace trapline::ppc {
namespace {

constexpr std::uint64_t msr_ee = 0x8000, msr_pr = 0x4000;
constexpr unsigned ee_search_limit = 8;  // instructions

void classify(Builder& b, InsnClass c) {
  b.insn.flow = Flow::next;
  b.cls(c);
}

// May the value of register `source`, just before the instruction, have MSR[EE] set where the MSR has it clear? Entry
// code makes its MSR images in the few instructions before: from a constant, from the MSR itself, or from the kernel's
// MSR image in the PACA (PACAKMSR), which has EE clear. What is made in another way, or before a branch, may.
bool may_set_ee(const Builder& b, unsigned source) {
  std::uint64_t address = b.decoded.address;
  for (unsigned i = 0; i < ee_search_limit; ++i) {
    address -= 4;
    const std::optional<std::uint64_t> word = b.image.read(address, 4);
    if (!word) return true;
    const Encoding e{static_cast<std::uint32_t>(*word)};
    const bool to_ra = e.ra() == source, to_rt = e.rt() == source;
    switch (e.opcd()) {
      case 16:
      case 17:
      case 18:
      case 19:
        return true;
      case 14:
        if (to_rt) return e.ra() != 0 || (e.ui() & msr_ee) != 0;
        break;
      case 15:
        if (to_rt) return e.ra() != 0;
        break;
      case 24:
      case 26:  // ori, xori
        if (to_ra && (e.rt() != source || (e.ui() & msr_ee) != 0)) return true;
        break;
      case 25:
      case 27:  // oris, xoris
        if (to_ra && e.rt() != source) return true;
        break;
      case 21:  // rlwinm that clears the bit
        if (to_ra && e.sh() == 0 && (mask64(e.mb() + 32, e.me() + 32) & msr_ee) == 0) return false;
        if (to_ra) return true;
        break;
      case 58:
      case 32:
        if (to_rt) return b.width == 4 || e.ra() != r13;
        break;
      case 31:
        if (to_rt && e.xo() == 83) return false;               // mfmsr
        if (to_ra && e.xo() == 60 && e.rt() == source) break;  // andc
        if (to_rt && e.xo() != 467 && e.xo() != 146 && e.xo() != 178) return true;
        if (to_ra && (e.xo() == 444 || e.xo() == 28 || e.xo() == 316)) return true;
        break;
      default:
        if (to_rt || to_ra) return true;
        break;
    }
  }
  return true;
}

// Numbers of special registers with this bit need privilege.
bool is_privileged_spr(unsigned number) { return (number & 0x10) != 0; }

void move_from_spr(Builder& b) {
  const unsigned number = b.e.spr();
  classify(b, is_privileged_spr(number) ? InsnClass::system : InsnClass::other);
  const Place p = spr_place(number);
  if (p == no_place)
    b.clobber(gpr(b.e.rt()));
  else
    b.op(Op::set, Builder::reg(b.e.rt()), Operand::reg(p));
}

void move_to_spr(Builder& b) {
  const unsigned number = b.e.spr();
  classify(b, is_privileged_spr(number) ? InsnClass::system : InsnClass::other);
  const Place p = spr_place(number);
  if (p != no_place) b.op(Op::set, Operand::reg(p), Builder::reg(b.e.rt()));
  if (number >= 80 && number <= 82) b.insn.irq_on = number == 80;  // EIE, EID, NRI of the 8xx: EE and RI by themselves
}

void move_from_msr(Builder& b) {
  classify(b, InsnClass::system);
  // Only privileged code can read it: PR is known to be 0.
  b.op(Op::and_, Builder::reg(b.e.rt()), Operand::reg(msr), Operand::value(~msr_pr));
}

void move_to_msr(Builder& b) {
  classify(b, InsnClass::system);
  const bool only_ee_ri = b.e.bit(15);  // L
  if (only_ee_ri)
    b.clobber(msr);
  else
    b.op(Op::set, Operand::reg(msr), Builder::reg(b.e.rt()));
  b.insn.irq_on = may_set_ee(b, b.e.rt());
}

// Opcode 31.
// sync and its kin, eieio (mbar), tlbsync, slbsync, msgsync.
constexpr std::array<std::uint16_t, 5> barriers = {598, 854, 566, 338, 886};
// dcbf dcbst dcbt dcbtst icbi dcba icbt, dst dstst dss, cp_abort, the lock forms of the embedded processors.
constexpr std::array<std::uint16_t, 15> user_caches = {86,  54,  278, 246, 982, 758, 22, 342,
                                                       374, 822, 838, 166, 134, 390, 230};
constexpr std::array privileged = std::to_array<std::uint16_t>(
    {306, 274, 370,  402, 434, 466, 498,  915,
     851, 979,                                  // tlbie tlbiel tlbia slbmte slbie slbieg slbia slbmf{ee,ev} slbfee.
     210, 242, 595,  659, 82,  114,             // mtsr mtsrin mfsr mfsrin mtsrd mtsrdin
     946, 978, 914,  786, 18,  850, 1010,       // tlbre tlbwe/tlbld tlbsx tlbivax tlbilx tlbsrx. tlbli
     206, 238, 142,  174,                       // msgsnd msgclr msgsndp msgclrp
     323, 451, 462,  470, 454, 966, 486,  998,  // mfdcr mtdcr mtpmr dcbi dccci iccci dcread icread
     270, 942, 1006, 131, 163});                // ehpriv treclaim. trechkpt. wrtee wrteei

template <std::size_t n>
bool holds(const std::array<std::uint16_t, n>& list, unsigned code) {
  return std::find(list.begin(), list.end(), code) != list.end();
}

// The registers that the listed instructions write.
void privileged_results(Builder& b) {
  switch (b.e.xo()) {
    case 915:
    case 851:
    case 979:
    case 595:
    case 659:
    case 323:
      b.clobber(gpr(b.e.rt()));
      break;
    case 946:  // tlbre of the 4xx has a target
      b.clobber(gpr(b.e.rt()));
      break;
    case 131:
      b.insn.irq_on = may_set_ee(b, b.e.rt());
      break;  // wrtee
    case 163:
      b.insn.irq_on = b.e.bit(16);
      break;  // wrteei
    default:
      break;
  }
  if (b.e.xo() == 979 || ((b.e.xo() == 914 || b.e.xo() == 850) && b.e.rc())) b.clobber(cr(0));
  if (b.e.xo() == 131 || b.e.xo() == 163) b.clobber(msr);
}

bool lift_31(Builder& b) {
  const unsigned xo = b.e.xo();
  switch (xo) {
    case 339:
      move_from_spr(b);
      return true;
    case 467:
      move_to_spr(b);
      return true;
    case 371:  // mftb
      classify(b, InsnClass::other);
      b.clobber(gpr(b.e.rt()));
      return true;
    case 83:
      move_from_msr(b);
      return true;
    case 146:
    case 178:
      move_to_msr(b);
      return true;
    case 334:  // mfpmr
      classify(b, InsnClass::system);
      b.clobber(gpr(b.e.rt()));
      return true;
    case 30:
    case 62:
      classify(b, InsnClass::other);
      return true;  // wait
    default:
      break;
  }
  if (holds(barriers, xo)) {
    classify(b, InsnClass::barrier);
  } else if (holds(user_caches, xo)) {
    classify(b, InsnClass::other);
  } else if (holds(privileged, xo)) {
    classify(b, InsnClass::system);
    privileged_results(b);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool lift_system(Builder& b) {
  if (b.e.opcd() == 31) return lift_31(b);
  if (b.e.opcd() == 0 && b.e.word == 0x200) {  // attn: stops for the service processor, which may let it go on
    classify(b, InsnClass::system);
    return true;
  }
  if (b.e.opcd() != 19) return false;
  switch (b.e.xo()) {
    case 150:
      classify(b, InsnClass::barrier);
      return true;  // isync
    // Power saving: wakes through the system reset vector or behind itself, where the kernel keeps code for both.
    case 370:
    case 402:
    case 434:
    case 466:
    case 498:
      classify(b, InsnClass::system);
      return true;
    case 198:
      classify(b, InsnClass::system);
      return true;  // dnh
    default:
      return false;
  }
}

}  // namespace trapline::ppc
