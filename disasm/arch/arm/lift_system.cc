// SPDX-License-Identifier: Apache-2.0
//
// Status registers, hints, barriers, coprocessors, return from an exception (ARM ARM DDI 0406, A5.2.11, A5.6, B9).
#include <array>

#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

namespace {

constexpr unsigned irq_mask_bit = 7;  // CPSR.I

// The registers of coprocessor 15 that are followed: MRC/MCR p15, op1, Rt, CRn, CRm, op2 (B3.17, B5.8).
struct Cp15 {
  std::uint8_t crn, op1, crm, op2;
  Place place;
};
constexpr std::array cp15 = {
    Cp15{1, 0, 0, 0, sctlr},     Cp15{1, 0, 0, 2, cpacr},     Cp15{2, 0, 0, 0, ttbr0},
    Cp15{2, 0, 0, 2, ttbcr},     Cp15{3, 0, 0, 0, dacr},      Cp15{13, 0, 0, 1, contextidr},
    Cp15{13, 0, 0, 2, tpidrurw}, Cp15{13, 0, 0, 3, tpidruro}, Cp15{13, 0, 0, 4, tpidrprw},
};

// ARMv6 barriers are writes to coprocessor 15: CP15DSB, CP15DMB, CP15ISB.
bool is_cp15_barrier(unsigned crn, unsigned op1, unsigned crm, unsigned op2) {
  if (crn != 7 || op1 != 0) return false;
  return (crm == 10 && (op2 == 4 || op2 == 5)) || (crm == 5 && op2 == 4);
}

}  // namespace

void Lifter::write_status(bool to_spsr, unsigned mask, Operand value) {
  other(InsnClass::system);
  out_.system = true;
  if (to_spsr) {
    const Operand status = Operand::reg(saved_status(mode_));
    // The control byte holds mode and masks; a write of the other bytes alone is not followed bit by bit.
    if ((mask & 9) == 9) {
      set(status, value);
    } else if (mask == 1) {
      field(Op::insert, status, status, value, 0, 8);
    } else if ((mask & 1) != 0) {
      clobber(status);
    }
    return;
  }
  if ((mask & 8) != 0) clobber_flags();
  if ((mask & 1) == 0) return;
  field(Op::insert, Operand::reg(cpsr), Operand::reg(cpsr), value, 0, 8);
  const bool masks_irq = value.kind == Operand::Kind::imm && bit(static_cast<std::uint32_t>(value.imm), irq_mask_bit);
  out_.irq_on = !masks_irq;
}

// cond 0001 0 R op 0 .... .... .. B . 0000 ....: mrs, msr (register), banked forms with bit 9
void Lifter::status_register_move() {
  const bool to_register = !bit(w_, 21);
  if (bit(w_, 9)) return banked_register_move(to_register);
  if (!to_register) return write_status(bit(w_, 22), bits(w_, 19, 16), read(bits(w_, 3, 0)));
  other(InsnClass::system);
  out_.system = true;
  set(reg(bits(w_, 15, 12)), Operand::reg(bit(w_, 22) ? saved_status(mode_) : static_cast<Place>(cpsr)));
}

// The banked register is SYSm = bit 8 : bits 19 to 16, with R (bit 22) for a saved status register (B9.2.3).
void Lifter::banked_register_move(bool to_register) {
  other(InsnClass::system);
  out_.system = true;
  const unsigned sysm = (bit(w_, 8) ? 16u : 0u) | bits(w_, 19, 16);
  Place banked_place = no_place;
  if (bit(w_, 22)) {
    switch (sysm) {
      case 14:
        banked_place = spsr_fiq;
        break;
      case 16:
        banked_place = spsr_irq;
        break;
      case 18:
        banked_place = spsr;
        break;
      case 20:
        banked_place = spsr_abt;
        break;
      case 22:
        banked_place = spsr_und;
        break;
      case 28:
        banked_place = spsr_mon;
        break;
      case 30:
        banked_place = spsr_hyp;
        break;
      default:
        break;
    }
  } else if (sysm < 7) {
    banked_place = banked(8 + sysm, Mode::usr);
  } else if (sysm >= 8 && sysm < 15) {
    banked_place = banked(sysm, Mode::fiq);
  } else {
    static constexpr Place pairs[] = {lr_irq, sp_irq, lr, sp, lr_abt, sp_abt, lr_und, sp_und};
    if (sysm >= 16 && sysm < 24) banked_place = pairs[sysm - 16];
    if (sysm == 28) banked_place = lr_mon;
    if (sysm == 29) banked_place = sp_mon;
    if (sysm == 30) banked_place = elr_hyp;
    if (sysm == 31) banked_place = sp_hyp;
  }
  const Operand general = reg(to_register ? bits(w_, 15, 12) : bits(w_, 3, 0));
  if (banked_place == no_place) return to_register ? clobber(general) : void();
  const Operand other_side = Operand::reg(banked_place);
  to_register ? set(general, other_side) : set(other_side, general);
}

void Lifter::hint(unsigned number) {
  switch (number) {
    case 2:  // wfe
    case 3:  // wfi
    case 4:  // sev
    case 5:  // sevl
      other(InsnClass::system);
      out_.system = true;
      return;
    case 16:  // esb
    case 18:  // tsb csync
    case 20:  // csdb
      other(InsnClass::barrier);
      out_.barrier = true;
      return;
    default:  // nop, yield, dbg and what is not allocated
      other(InsnClass::nop);
      out_.landing_pad = true;
  }
}

// The option nibble's neighbour of f57ff0x. and f3bf8fx.: 1 and 2 clrex, 4 dsb, 5 dmb, 6 isb, 7 sb
void Lifter::barrier_or_clrex(unsigned what) {
  if (what < 4) return other();
  other(InsnClass::barrier);
  out_.barrier = true;
}

void Lifter::change_processor_state(bool interrupts, unsigned imod, bool irq, bool change_mode, unsigned mode) {
  other(InsnClass::system);
  out_.system = true;
  const Operand status = Operand::reg(cpsr);
  if (interrupts && irq) {
    const bool disables = imod == 3;
    field(Op::insert, status, status, Operand::value(disables ? 1 : 0), irq_mask_bit, 1);
    out_.irq_on = !disables;
  }
  if (change_mode) field(Op::insert, status, status, Operand::value(mode), 0, 5);
}

// rfe: program counter and status from two words (B9.3.13).
void Lifter::return_from_exception(unsigned rn, bool before, bool up, bool writeback) {
  other(InsnClass::load);
  const Operand base = reg(rn);
  const Operand low = temp();
  const std::int64_t first = up ? (before ? 4 : 0) : (before ? -8 : -4);
  first == 0 ? set(low, base)
             : op(first < 0 ? Op::sub : Op::add, low, base,
                  Operand::value(static_cast<std::uint64_t>(first < 0 ? -first : first)));
  const Operand high = temp();
  op(Op::add, high, low, Operand::value(4));
  if (writeback) sum(base, base, Operand::value(8), up);
  const Operand where = temp();
  const Place status = saved_status(mode_);  // stands for the status that is loaded
  op(Op::load, where, low);
  op(Op::load, Operand::reg(status), high);
  exception_return(where, status);
  out_.cls = InsnClass::load;
  memory_load(2, 8);
}

// srs: lr and spsr of this mode onto the stack of `mode` (B9.3.16).
void Lifter::store_return_state(unsigned mode, bool before, bool up, bool writeback) {
  other(InsnClass::store);
  memory_store(2, 8);
  const Operand base = Operand::reg(banked(13, static_cast<Mode>(mode)));
  const Operand low = temp();
  const std::int64_t first = up ? (before ? 4 : 0) : (before ? -8 : -4);
  first == 0 ? set(low, base)
             : op(first < 0 ? Op::sub : Op::add, low, base,
                  Operand::value(static_cast<std::uint64_t>(first < 0 ? -first : first)));
  const Operand high = temp();
  op(Op::add, high, low, Operand::value(4));
  op(Op::store, {}, low, reg(14));
  op(Op::store, {}, high, Operand::reg(saved_status(mode_)));
  if (writeback) sum(base, base, Operand::value(8), up);
}

// 1110 in bits 27 to 24: cdp, mcr, mrc and the floating-point instructions (coprocessors 8 to 11).
void Lifter::coprocessor() {
  const unsigned number = bits(w_, 11, 8);
  if (number >= 8 && number <= 11) {
    // vmrs and vmsr of anything but FPSCR (FPEXC, FPINST, MVFR) are the kernel's; the rest is user-level.
    const bool status_move = number == 10 && bit(w_, 4) && bits(w_, 23, 21) == 7;
    const bool privileged = status_move && bits(w_, 19, 16) != 1;
    fall_back(privileged ? InsnClass::system : InsnClass::other);
    out_.system = privileged;
    return;
  }
  if (bit(w_, 4)) return coprocessor_register_move();
  other(InsnClass::other);  // cdp: works on the coprocessor's own registers
}

// cond 1110 op1 L CRn Rt coproc op2 1 CRm
void Lifter::coprocessor_register_move() {
  const unsigned number = bits(w_, 11, 8);
  const unsigned op1 = bits(w_, 23, 21);
  const unsigned crn = bits(w_, 19, 16);
  const unsigned crm = bits(w_, 3, 0);
  const unsigned op2 = bits(w_, 7, 5);
  const unsigned rt = bits(w_, 15, 12);
  const bool reads = bit(w_, 20);
  const bool system = number >= 14;
  other(system ? InsnClass::system : InsnClass::other);
  out_.system = system;
  Place found = no_place;
  if (number == 15) {
    if (!reads && is_cp15_barrier(crn, op1, crm, op2)) {
      out_.cls = InsnClass::barrier;
      out_.barrier = true;
      out_.system = false;
      return;
    }
    for (const Cp15& r : cp15) {
      if (r.crn == crn && r.op1 == op1 && r.crm == crm && r.op2 == op2) found = r.place;
    }
  }
  if (reads && rt == 15) return clobber_flags();
  if (reads) return found == no_place ? clobber(reg(rt)) : set(reg(rt), Operand::reg(found));
  if (found != no_place) set(Operand::reg(found), read(rt));
}

// cond 1100 010 L Rt2 Rt coproc opc1 CRm: mcrr, mrrc, vmov of two registers
void Lifter::coprocessor_two_registers() {
  const unsigned number = bits(w_, 11, 8);
  const bool system = number >= 14;
  other(system ? InsnClass::system : InsnClass::other);
  out_.system = system;
  if (bit(w_, 20)) {
    clobber(reg(bits(w_, 15, 12)));
    clobber(reg(bits(w_, 19, 16)));
    return;
  }
  // mcrr p15, 0/1, .., c2: the 64-bit translation table bases
  if (number == 15 && bits(w_, 3, 0) == 2 && bits(w_, 7, 4) == 0) clobber(Operand::reg(ttbr0));
}

// cond 110 P U D W L Rn CRd coproc imm8
void Lifter::coprocessor_load_store() {
  const unsigned number = bits(w_, 11, 8);
  if (bits(w_, 24, 21) == 2) return coprocessor_two_registers();
  if (bits(w_, 24, 23) == 0 && !bit(w_, 21)) return;  // undefined
  if (number >= 8 && number <= 11) return vfp_load_store();
  const bool load = bit(w_, 20);
  // ldc and stc move one word; coprocessors 0 and 1 (iWMMXt) two of them in the long form (bit 22).
  const unsigned bytes = number < 2 && bit(w_, 22) ? 8 : 4;
  const bool pre = bit(w_, 24);
  const Operand base = read(bits(w_, 19, 16));
  const Operand updated = summed(base, Operand::value(4 * bits(w_, 7, 0)), bit(w_, 23));
  vector_memory(1, bytes, load, pre ? updated : base);
  if (bit(w_, 21) && bits(w_, 19, 16) != 15) set(reg(bits(w_, 19, 16)), updated);
}

}  // namespace trapline::arm_arch
