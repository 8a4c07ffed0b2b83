// SPDX-License-Identifier: Apache-2.0
//
// ARM-state encodings (ARM ARM DDI 0406, A5): the top level, data processing, loads and stores, branches.
#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

void Lifter::arm() {
  const unsigned cond = bits(w_, 31, 28);
  if (cond == 15) return arm_unconditional();
  condition(cond);
  switch (bits(w_, 27, 25)) {
    case 0:
    case 1:
      return arm_data_or_misc();
    case 2:
      return arm_load_store();
    case 3:
      return bit(w_, 4) ? media() : arm_load_store();
    case 4:
      return block_transfer();
    case 5: {
      // cond 1 0 1 L imm24
      const std::int64_t displacement = 4 * sign_extend(bits(w_, 23, 0), 24);
      const std::uint64_t target = branch_target(displacement);
      return bit(w_, 24) ? call(target) : jump(target);
    }
    case 6:
      return coprocessor_load_store();
    default:
      if (!bit(w_, 24)) return coprocessor();
      out_.cls = InsnClass::system;  // svc
      out_.system = true;
      out_.flow = Flow::syscall;
  }
}

// cond = 1111 (A5.7).
void Lifter::arm_unconditional() {
  switch (bits(w_, 27, 25)) {
    case 0: {
      if (bits(w_, 24, 20) != 0x10) return;
      if (bit(w_, 16)) return other();  // setend
      // cps: 1111 0001 0000 imod M 0 0000 000 A I F 0 mode
      return change_processor_state((bits(w_, 19, 18) & 2) != 0, bits(w_, 19, 18), bit(w_, 7), bit(w_, 17),
                                    bits(w_, 4, 0));
    }
    case 1:
      return fall_back(InsnClass::other);  // Advanced SIMD data processing
    case 2:
    case 3: {
      if (bits(w_, 27, 24) == 4 && !bit(w_, 20)) return neon_load_store();
      if (bits(w_, 31, 8) == 0xf57ff0) return barrier_or_clrex(bits(w_, 7, 4));
      return other();  // pld, pldw, pli
    }
    case 4:
      // srs: S bit (22) set; rfe: L bit (20) set
      if (bit(w_, 22)) return store_return_state(bits(w_, 4, 0), bit(w_, 24), bit(w_, 23), bit(w_, 21));
      return return_from_exception(bits(w_, 19, 16), bit(w_, 24), bit(w_, 23), bit(w_, 21));
    case 5: {
      // blx: H (bit 24) is the halfword of the Thumb target
      const std::int64_t displacement = 4 * sign_extend(bits(w_, 23, 0), 24) + (bit(w_, 24) ? 2 : 0);
      return call(branch_target(displacement));
    }
    case 6:
      return coprocessor_load_store();
    default:
      return bit(w_, 24) ? void() : coprocessor();
  }
}

// Bits 27 to 26 are 00 (A5.2).
void Lifter::arm_data_or_misc() {
  const bool immediate = bit(w_, 25);
  const bool misc = bits(w_, 24, 23) == 2 && !bit(w_, 20);
  if (!immediate && bit(w_, 7) && bit(w_, 4)) {
    if (bits(w_, 6, 5) != 0) return arm_extra_load_store();
    return bit(w_, 24) ? synchronisation() : multiply();
  }
  if (!misc) return arm_data_processing();
  if (!immediate) return bit(w_, 7) ? halfword_multiply() : arm_miscellaneous();
  // cond 0011 0 op 00
  if (bits(w_, 21, 20) != 0) return arm_hints_and_msr_immediate();
  const std::uint32_t imm16 = bits(w_, 19, 16) << 12 | bits(w_, 11, 0);
  const Operand rd = reg(bits(w_, 15, 12));
  other();
  if (const std::optional<std::uint64_t> address = half_address()) return set(rd, Operand::value(*address));
  if (bit(w_, 22)) return field(Op::insert, rd, rd, Operand::value(imm16), 16, 16);  // movt
  set(rd, Operand::value(imm16));                                                    // movw
}

void Lifter::arm_data_processing() {
  // cond 00 I opcode S Rn Rd shifter-operand
  const Alu what = static_cast<Alu>(bits(w_, 24, 21));
  const bool s = bit(w_, 20);
  const unsigned rn = bits(w_, 19, 16);
  const unsigned rd = bits(w_, 15, 12);
  if (w_ == 0xe1a00000) return other(InsnClass::nop);  // mov r0, r0: the no-operation of ARMv4 to v6
  Operand b;
  if (bit(w_, 25)) {
    b = Operand::value(arm_immediate(bits(w_, 11, 0)));
  } else if (bit(w_, 4)) {
    b = shifted_by_register(bits(w_, 3, 0), bits(w_, 6, 5), bits(w_, 11, 8));
  } else {
    b = shifted(bits(w_, 3, 0), bits(w_, 6, 5), bits(w_, 11, 7));
  }
  const bool compares = bits(w_, 24, 23) == 2;
  if (rd == 15 && !compares && s) {
    // movs pc, lr; subs pc, lr, #n: return from an exception through the mode's saved status.
    const bool plain = what == Alu::mov && b.kind == Operand::Kind::place;
    if (plain) return exception_return(b, saved_status(mode_));
    alu(what, false, 15, rn, b);
    const Operand where = out_.target ? Operand::value(*out_.target) : out_.jump_to;
    out_.target.reset();
    out_.via_table = false;
    return exception_return(where, saved_status(mode_));
  }
  const bool plain_move = what == Alu::mov && !bit(w_, 25) && bits(w_, 11, 4) == 0;
  if (rd == 15 && plain_move && bits(w_, 3, 0) != 15) {
    return jump_to(reg(bits(w_, 3, 0)), bits(w_, 3, 0) == 14);
  }
  alu(what, s, rd, rn, b);
  if (rd == 15 && !compares) out_.via_table = rn == 15 && !bit(w_, 25);  // add pc, pc, rM, lsl #2
}

// cond 0001 0 op 0 .... 0 op2 .... with op2 in bits 6 to 4 (A5.2.12).
void Lifter::arm_miscellaneous() {
  const unsigned op = bits(w_, 22, 21);
  const unsigned rm = bits(w_, 3, 0);
  switch (bits(w_, 6, 4)) {
    case 0:
      return status_register_move();
    case 1:
      if (op == 1) return rm == 15 ? jump(image_.resolve(pc_, in_.address)) : jump_to(reg(rm), rm == 14);  // bx
      other();
      return clobber(reg(bits(w_, 15, 12)));  // clz
    case 2:
      return jump_to(read(rm), rm == 14);  // bxj
    case 3:
      return call_to(read(rm));  // blx
    case 4:
      return fall_back(InsnClass::other);  // crc32
    case 5:
      other();
      return clobber(reg(bits(w_, 15, 12)));  // qadd, qsub, qdadd, qdsub
    case 6:
      // eret: only the hypervisor stub has it, which runs in hyp mode
      return op == 3 ? exception_return(Operand::reg(elr_hyp), spsr_hyp) : void();
    default:
      if (op == 1) return trap();  // bkpt
      if (op == 0) return trap();  // hlt
      out_.cls = InsnClass::system;
      out_.system = true;  // hvc, smc: a call into another world, which comes back
      out_.flow = Flow::syscall;
  }
}

void Lifter::arm_hints_and_msr_immediate() {
  // cond 0011 0 R 10 mask 1111 imm12
  const unsigned mask = bits(w_, 19, 16);
  if (!bit(w_, 22) && mask == 0) return hint(bits(w_, 7, 0));
  write_status(bit(w_, 22), mask, Operand::value(arm_immediate(bits(w_, 11, 0))));
}

// Halfwords, signed bytes and doublewords: cond 000 P U I W L Rn Rt imm4H 1 S H 1 imm4L (A5.2.8).
void Lifter::arm_extra_load_store() {
  Transfer t;
  t.pre = bit(w_, 24);
  t.add = bit(w_, 23);
  t.writeback = !t.pre || bit(w_, 21);  // P = 0, W = 1 is the unprivileged form, which is post-indexed
  t.rn = static_cast<std::uint8_t>(bits(w_, 19, 16));
  t.rt = static_cast<std::uint8_t>(bits(w_, 15, 12));
  t.offset = bit(w_, 22) ? Operand::value(bits(w_, 11, 8) << 4 | bits(w_, 3, 0)) : read(bits(w_, 3, 0));
  const unsigned kind = bits(w_, 6, 5);
  t.load = bit(w_, 20);
  t.width = 2;
  if (t.load) {
    t.width = kind == 2 ? 1 : 2;  // 1 ldrh, 2 ldrsb, 3 ldrsh
    t.sign = kind != 1;
  } else if (kind != 1) {  // 2 ldrd, 3 strd
    t.load = kind == 2;
    t.width = 4;
    t.rt2 = static_cast<std::uint8_t>(t.rt + 1);
    if (t.rt2 > 14) return;  // unpredictable
  }
  transfer(t);
}

// Words and bytes: cond 01 R P U B W L Rn Rt offset (A5.3).
void Lifter::arm_load_store() {
  Transfer t;
  t.pre = bit(w_, 24);
  t.add = bit(w_, 23);
  t.width = bit(w_, 22) ? 1 : 4;
  t.writeback = !t.pre || bit(w_, 21);
  t.load = bit(w_, 20);
  t.rn = static_cast<std::uint8_t>(bits(w_, 19, 16));
  t.rt = static_cast<std::uint8_t>(bits(w_, 15, 12));
  t.offset = bit(w_, 25) ? shifted(bits(w_, 3, 0), bits(w_, 6, 5), bits(w_, 11, 7)) : Operand::value(bits(w_, 11, 0));
  transfer(t);
}

// cond 100 P U S W L Rn list (A5.5).
void Lifter::block_transfer() {
  Block b;
  b.before = bit(w_, 24);
  b.up = bit(w_, 23);
  b.caret = bit(w_, 22);
  b.writeback = bit(w_, 21);
  b.load = bit(w_, 20);
  b.rn = static_cast<std::uint8_t>(bits(w_, 19, 16));
  b.list = static_cast<std::uint16_t>(bits(w_, 15, 0));
  block(b);
}

// Swap, exclusives, load-acquire and store-release: cond 0001 op Rn Rt .. 1001 (A5.2.10; ARMv8 F4).
void Lifter::synchronisation() {
  const unsigned rn = bits(w_, 19, 16);
  const unsigned rd = bits(w_, 15, 12);  // Rt of a load, status of a store
  const unsigned low = bits(w_, 3, 0);   // Rt of a store
  if (!bit(w_, 23)) {                    // swp, swpb
    const unsigned width = bit(w_, 22) ? 1 : 4;
    other(InsnClass::load_store);
    memory_load(1, width);
    memory_store(1, width);
    out_.memory.atomic = true;
    const Operand old = temp();
    load_value(old, reg(rn), width, false);
    op(Op::store, {}, reg(rn), reg(low), width);
    return set(reg(rd), old);
  }
  static constexpr unsigned widths[] = {4, 4, 1, 2};  // word, double, byte, halfword
  const unsigned size = bits(w_, 22, 21);
  const unsigned none = Transfer::no_register;
  const bool exclusive = bit(w_, 9);  // bits 9 and 8: 00 lda/stl, 10 ldaex/stlex, 11 ldrex/strex
  const unsigned first = bit(w_, 20) ? rd : low;
  if (size == 1 && first > 13) return;  // unpredictable
  const unsigned second = size == 1 ? first + 1 : none;
  bit(w_, 20) ? load_exclusive(rd, second, rn, widths[size], 0, exclusive)
              : store_exclusive(rd, low, second, rn, widths[size], 0, exclusive);
}

}  // namespace trapline::arm_arch
