// SPDX-License-Identifier: Apache-2.0
//
// Thumb encodings of 32 bits (ARM ARM DDI 0406, A6.3). w_ holds the first halfword above the second.
#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

namespace {
std::uint8_t register_field(std::uint32_t w, unsigned lo) { return static_cast<std::uint8_t>(bits(w, lo + 3, lo)); }
}  // namespace

void Lifter::thumb32() {
  const bool coprocessor_space = bits(w_, 27, 26) == 3 && bits(w_, 31, 29) == 7;
  if (coprocessor_space && bits(w_, 27, 24) != 0xf) {
    // The same fields as in ARM state.
    return bits(w_, 27, 25) == 6 ? coprocessor_load_store() : coprocessor();
  }
  switch (bits(w_, 28, 27)) {
    case 1:
      if (bits(w_, 26, 25) != 0) return bits(w_, 26, 25) == 1 ? thumb32_data_register() : void();
      return bit(w_, 22) ? thumb32_dual_exclusive() : thumb32_multiple();
    case 2:
      if (bit(w_, 15)) return thumb32_branch_misc();
      return bit(w_, 25) ? thumb32_plain_immediate() : thumb32_data_immediate();
    default:
      if (bits(w_, 27, 24) == 0xf) return fall_back(InsnClass::other);  // Advanced SIMD data processing
      if (bits(w_, 31, 24) == 0xf9 && !bit(w_, 20)) return neon_load_store();
      if (!bit(w_, 25)) return thumb32_single();
      return bit(w_, 24) ? thumb32_multiply() : thumb32_register_ops();
  }
}

// 1110 100 op 0 W L Rn list: op 01 increment after, 10 decrement before; 00 and 11 are srs and rfe
void Lifter::thumb32_multiple() {
  const unsigned what = bits(w_, 24, 23);
  const bool load = bit(w_, 20);
  if (what == 0 || what == 3) {
    const bool up = what == 3;
    return load ? return_from_exception(bits(w_, 19, 16), !up, up, bit(w_, 21))
                : store_return_state(bits(w_, 4, 0), !up, up, bit(w_, 21));
  }
  block({.load = load,
         .rn = register_field(w_, 16),
         .list = static_cast<std::uint16_t>(bits(w_, 15, 0)),
         .before = what == 2,
         .up = what == 1,
         .writeback = bit(w_, 21)});
}

// 1110 100 P U 1 W L Rn Rt Rt2 imm8: ldrd, strd, exclusives, table branches (A6.3.6)
void Lifter::thumb32_dual_exclusive() {
  const bool load = bit(w_, 20);
  if (bit(w_, 24) || bit(w_, 21)) {
    return transfer({.load = load,
                     .rt = register_field(w_, 12),
                     .rt2 = register_field(w_, 8),
                     .rn = register_field(w_, 16),
                     .offset = Operand::value(4 * bits(w_, 7, 0)),
                     .add = bit(w_, 23),
                     .pre = bit(w_, 24),
                     .writeback = bit(w_, 21)});
  }
  if (bit(w_, 23)) return thumb32_exclusive_narrow();
  const unsigned offset = 4 * bits(w_, 7, 0);
  const unsigned none = Transfer::no_register;
  load ? load_exclusive(bits(w_, 15, 12), none, bits(w_, 19, 16), 4, offset, true)
       : store_exclusive(bits(w_, 11, 8), bits(w_, 15, 12), none, bits(w_, 19, 16), 4, offset, true);
}

// 1110 1000 110 L Rn Rt Rt2 op Rd: byte, halfword and doubleword exclusives, load-acquire, store-release, tbb, tbh
void Lifter::thumb32_exclusive_narrow() {
  const unsigned what = bits(w_, 7, 4);
  const bool load = bit(w_, 20);
  if (what < 2) return load ? thumb32_table_branch() : void();
  static constexpr unsigned widths[] = {1, 2, 4, 4};
  const unsigned width = widths[what & 3];
  const bool exclusive = (what & 0xc) != 8;
  const unsigned second = (what & 3) == 3 ? bits(w_, 11, 8) : unsigned{Transfer::no_register};
  load ? load_exclusive(bits(w_, 15, 12), second, bits(w_, 19, 16), width, 0, exclusive)
       : store_exclusive(bits(w_, 3, 0), bits(w_, 15, 12), second, bits(w_, 19, 16), width, 0, exclusive);
}

// tbb, tbh: a byte or halfword of the table, twice, is added to the program counter.
void Lifter::thumb32_table_branch() {
  const bool halfwords = bit(w_, 4);
  const unsigned width = halfwords ? 2 : 1;
  const Operand index = halfwords ? shifted(bits(w_, 3, 0), 0, 1) : read(bits(w_, 3, 0));
  const Operand entry = temp();
  const Operand address = summed(read(bits(w_, 19, 16)), index);
  op(Op::load, entry, address, {}, width);
  op(Op::shl, entry, entry, Operand::value(1));
  const Operand where = summed(Operand::value(pc_), entry);
  jump_to(where, false, true);
  out_.cls = InsnClass::load;
  memory_load(1, width);
}

void Lifter::thumb32_alu(unsigned what, Operand b) {
  const unsigned rn = bits(w_, 19, 16);
  const unsigned rd = bits(w_, 11, 8);
  const bool s = bit(w_, 20);
  const bool tests = rd == 15 && s;
  switch (what) {
    case 0:
      return alu(tests ? Alu::tst : Alu::and_, s, rd, rn, b);
    case 1:
      return alu(Alu::bic, s, rd, rn, b);
    case 2:
      return alu(rn == 15 ? Alu::mov : Alu::orr, s, rd, rn, b);
    case 3:
      return alu(rn == 15 ? Alu::mvn : Alu::orn, s, rd, rn, b);
    case 4:
      return alu(tests ? Alu::teq : Alu::eor, s, rd, rn, b);
    case 8:
      return alu(tests ? Alu::cmn : Alu::add, s, rd, rn, b);
    case 10:
      return alu(Alu::adc, s, rd, rn, b);
    case 11:
      return alu(Alu::sbc, s, rd, rn, b);
    case 13: {
      // subs pc, lr, #imm8 returns from an exception; its encoding is among the branches, so here it is cmp or sub
      return alu(tests ? Alu::cmp : Alu::sub, s, rd, rn, b);
    }
    case 14:
      return alu(Alu::rsb, s, rd, rn, b);
    default:
      return;  // pkhbt, pkhtb and what is not allocated
  }
}

// 1110 101 op S Rn 0 imm3 Rd imm2 type Rm
void Lifter::thumb32_data_register() {
  const unsigned what = bits(w_, 24, 21);
  if (what == 6) return fall_back(InsnClass::other);
  thumb32_alu(what, shifted(bits(w_, 3, 0), bits(w_, 5, 4), bits(w_, 14, 12) << 2 | bits(w_, 7, 6)));
}

// 1111 0 i 0 op S Rn 0 imm3 Rd imm8
void Lifter::thumb32_data_immediate() {
  const std::uint32_t imm12 = bits(w_, 26, 26) << 11 | bits(w_, 14, 12) << 8 | bits(w_, 7, 0);
  thumb32_alu(bits(w_, 24, 21), Operand::value(thumb_immediate(imm12)));
}

// 1111 0 i 1 op 0 Rn 0 imm3 Rd imm8 (A6.3.3)
void Lifter::thumb32_plain_immediate() {
  const unsigned rn = bits(w_, 19, 16);
  const Operand rd = reg(bits(w_, 11, 8));
  const std::uint32_t imm12 = bits(w_, 26, 26) << 11 | bits(w_, 14, 12) << 8 | bits(w_, 7, 0);
  const unsigned lsb = bits(w_, 14, 12) << 2 | bits(w_, 7, 6);
  const unsigned last = bits(w_, 4, 0);
  other();
  switch (bits(w_, 24, 20)) {
    case 0:
    case 10: {  // addw, subw; adr from the aligned program counter
      const Operand base = rn == 15 ? Operand::value(literal(0)) : reg(rn);
      return sum(rd, base, Operand::value(imm12), bits(w_, 24, 20) == 0);
    }
    case 4:
    case 12: {
      if (const std::optional<std::uint64_t> address = half_address()) return set(rd, Operand::value(*address));
      const std::uint32_t imm16 = rn << 12 | imm12;
      return bit(w_, 23) ? field(Op::insert, rd, rd, Operand::value(imm16), 16, 16) : set(rd, Operand::value(imm16));
    }
    case 20:
    case 28:  // sbfx, ubfx
      if (lsb + last + 1 > 32) return clobber(rd);
      field(Op::extract, rd, reg(rn), {}, lsb, last + 1);
      return bit(w_, 23) ? void() : field(Op::sext, rd, rd, {}, 0, last + 1);
    case 22:  // bfi, bfc
      if (last < lsb) return clobber(rd);
      return field(Op::insert, rd, rd, rn == 15 ? Operand::value(0) : reg(rn), lsb, last - lsb + 1);
    default:
      return clobber(rd);  // ssat, usat
  }
}

// 1111 0 ... 1 . . .: branches and control (A6.3.4)
void Lifter::thumb32_branch_misc() {
  if (bit(w_, 14) || bit(w_, 12)) return thumb32_branch(false);
  if (bits(w_, 25, 23) != 7) return thumb32_branch(true);
  thumb32_control();
}

// b (T4), bl, blx and, conditional, b (T3)
void Lifter::thumb32_branch(bool conditional) {
  const std::uint32_t s = bits(w_, 26, 26);
  const std::uint32_t j1 = bits(w_, 13, 13);
  const std::uint32_t j2 = bits(w_, 11, 11);
  if (conditional) {
    const std::uint32_t offset = s << 20 | j2 << 19 | j1 << 18 | bits(w_, 21, 16) << 12 | bits(w_, 10, 0) << 1;
    condition(bits(w_, 25, 22));
    return jump(branch_target(sign_extend(offset, 21)));
  }
  const std::uint32_t i1 = ~(j1 ^ s) & 1;
  const std::uint32_t i2 = ~(j2 ^ s) & 1;
  const std::uint32_t offset = s << 24 | i1 << 23 | i2 << 22 | bits(w_, 25, 16) << 12 | bits(w_, 10, 0) << 1;
  const std::int64_t displacement = sign_extend(offset, 25);
  if (!bit(w_, 14)) return jump(branch_target(displacement));
  if (bit(w_, 12)) return call(branch_target(displacement));
  // blx: to ARM state, from the aligned program counter
  const std::uint64_t aligned = pc_ & 2;
  call(branch_target(displacement - static_cast<std::int64_t>(in_.fixes.empty() ? aligned : 0)));
}

// msr, hints, cps, barriers, bxj, subs pc lr, eret, mrs, hvc, smc, udf
void Lifter::thumb32_control() {
  const unsigned rn = bits(w_, 19, 16);
  switch (bits(w_, 26, 20)) {
    case 0x38:
    case 0x39:  // msr; bit 5 marks the banked forms, whose register is in bits 11 to 8 and 4
      if (bit(w_, 5)) return fall_back(InsnClass::system);
      return write_status(bit(w_, 20), bits(w_, 11, 8), read(rn));
    case 0x3a: {
      if (bits(w_, 10, 8) == 0) return hint(bits(w_, 7, 0));
      return change_processor_state(bit(w_, 10), bits(w_, 10, 9), bit(w_, 6), bit(w_, 8), bits(w_, 4, 0));
    }
    case 0x3b:
      return barrier_or_clrex(bits(w_, 7, 4));
    case 0x3c:
      return jump_to(read(rn), rn == 14);  // bxj
    case 0x3d: {
      const std::uint32_t imm8 = bits(w_, 7, 0);
      if (imm8 == 0) {
        // subs pc, lr, #0 is eret: in hyp mode it goes by ELR_hyp. Outside the hypervisor stub it is movs pc, lr.
        return exception_return(reg(14), saved_status(mode_));
      }
      return exception_return(summed(reg(14), Operand::value(imm8), false), saved_status(mode_));
    }
    case 0x3e:
    case 0x3f:  // mrs
      other(InsnClass::system);
      out_.system = true;
      if (bit(w_, 5)) return clobber(reg(bits(w_, 11, 8)));
      return set(reg(bits(w_, 11, 8)), Operand::reg(bit(w_, 20) ? saved_status(mode_) : static_cast<Place>(cpsr)));
    case 0x7e:
    case 0x7f:
      if (bits(w_, 15, 12) == 10 && bit(w_, 20)) return trap();  // udf
      out_.cls = InsnClass::system;
      out_.system = true;
      out_.flow = Flow::syscall;  // hvc, smc
      return;
    default:
      return;
  }
}

// 1111 100 S size L Rn Rt ..: loads and stores of one register (A6.3.7 to A6.3.10)
void Lifter::thumb32_single() {
  Transfer t;
  const unsigned size = bits(w_, 22, 21);
  if (size == 3) return;
  t.load = bit(w_, 20);
  t.width = static_cast<std::uint8_t>(1u << size);
  t.sign = bit(w_, 24);
  t.rt = register_field(w_, 12);
  t.rn = register_field(w_, 16);
  if (t.load && t.rt == 15 && size != 2) return other();  // pld, pli
  if (t.rn == 15) {
    t.offset = Operand::value(bits(w_, 11, 0));
    t.add = bit(w_, 23);
  } else if (bit(w_, 23)) {
    t.offset = Operand::value(bits(w_, 11, 0));
  } else if (bit(w_, 11)) {
    t.offset = Operand::value(bits(w_, 7, 0));  // 1 P U W imm8; P U W = 110 is the unprivileged form
    t.pre = bit(w_, 10);
    t.add = bit(w_, 9);
    t.writeback = bit(w_, 8);
  } else {
    t.offset = shifted(bits(w_, 3, 0), 0, bits(w_, 5, 4));
  }
  transfer(t);
}

// 1111 1010 op Rn 1111 Rd op2 Rm (A6.3.12)
void Lifter::thumb32_register_ops() {
  const unsigned what = bits(w_, 23, 20);
  const Operand rd = reg(bits(w_, 11, 8));
  const unsigned rn = bits(w_, 19, 16);
  if (!bit(w_, 23) && bits(w_, 7, 4) == 0) {  // lsl, lsr, asr, ror by a register
    return alu(Alu::mov, bit(w_, 20), bits(w_, 11, 8), 0, shifted_by_register(rn, what >> 1, bits(w_, 3, 0)));
  }
  const bool extends = what < 6 && (what & 6) != 2 && bit(w_, 7);
  other();
  if (!extends) return clobber(rd);
  Operand source = reg(bits(w_, 3, 0));
  const unsigned rotate = 8 * bits(w_, 5, 4);
  if (rotate != 0) {
    const Operand turned = temp();
    op(Op::ror, turned, source, Operand::value(rotate));
    source = turned;
  }
  const Operand result = rn == 15 ? rd : temp();
  field((what & 1) != 0 ? Op::zext : Op::sext, result, source, {}, 0, what < 2 ? 16 : 8);
  if (rn != 15) op(Op::add, rd, reg(rn), result);
}

// 1111 1011 0 op Rn Ra Rd op2 Rm: 32-bit results; 1111 1011 1 op: 64-bit results and divides
void Lifter::thumb32_multiply() {
  const Operand rd = reg(bits(w_, 11, 8));
  const unsigned ra = bits(w_, 15, 12);
  other();
  if (bits(w_, 23, 20) == 0 && bits(w_, 7, 5) == 0) {
    const Operand rn = reg(bits(w_, 19, 16));
    const Operand rm = reg(bits(w_, 3, 0));
    if (ra == 15) return op(Op::mul, rd, rn, rm);
    const Operand product = temp();
    op(Op::mul, product, rn, rm);
    return bit(w_, 4) ? op(Op::sub, rd, reg(ra), product) : op(Op::add, rd, product, reg(ra));
  }
  clobber(rd);
  const bool divides = bits(w_, 22, 20) == 1 || bits(w_, 22, 20) == 3;
  if (bit(w_, 23) && !divides) clobber(reg(ra));  // RdLo
}

}  // namespace trapline::arm_arch
