// SPDX-License-Identifier: Apache-2.0
//
// Integer computation. On LA64 the .w forms compute in 32 bits and sign-extend the result.
#include <llvm/BinaryFormat/ELF.h>

#include "disasm/arch/loongarch/lift.h"
#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {
namespace {

bool is_zero(const Operand& operand) { return operand.kind == Operand::Kind::imm && operand.imm == 0; }

// Does `op` with 0 on the right leave its left operand alone?
bool neutral_zero(Op op) { return op == Op::add || op == Op::sub || op == Op::or_ || op == Op::xor_; }

}  // namespace

void Lifter::arithmetic(const Opcode& row) {
  if (e_.rd() == zero) return;
  const Operand a = source(e_.rj());
  const Operand b = source(e_.rk());
  if (is_zero(b) && neutral_zero(row.op)) return set_result(e_.rd(), a, row.width);
  if (is_zero(a) && neutral_zero(row.op) && row.op != Op::sub) return set_result(e_.rd(), b, row.width);
  result(row.op, a, b, row.width);
}

void Lifter::arithmetic_not(const Opcode& row) {
  if (e_.rd() == zero) return;
  const Operand inverted = compute_to_temporary(Op::not_, source(e_.rk()), {});
  result(row.op, source(e_.rj()), inverted, register_bytes_);
}

void Lifter::nor(const Opcode&) {
  if (e_.rd() == zero) return;
  const Operand either = compute_to_temporary(Op::or_, source(e_.rj()), source(e_.rk()));
  result(Op::not_, either, {}, register_bytes_);
}

void Lifter::add_immediate(const Opcode& row) {
  if (e_.rd() == zero) return;
  // In the extreme code model the low part stands alone, added to register 0.
  std::int64_t immediate = e_.si12();
  if (const auto symbol = low_part_fix()) {
    if (e_.rj() != zero) return set(e_.rd(), Operand::value(*symbol));
    immediate = sign_extend(*symbol, 12);
  }
  const Operand a = source(e_.rj());
  if (is_zero(a)) return set(e_.rd(), constant(immediate));
  if (immediate == 0) return set_result(e_.rd(), a, row.width);
  result(Op::add, a, constant(immediate), row.width);
}

void Lifter::add_upper(const Opcode&) {
  if (e_.rd() != zero) emit(Op::add, source(e_.rd()), source(e_.rj()), constant(e_.si16() * 0x10000));
}

void Lifter::logic_immediate(const Opcode& row) {
  std::uint64_t immediate = e_.ui12();
  if (const auto symbol = fix(llvm::ELF::R_LARCH_ABS_LO12)) immediate = *symbol & 0xfff;
  if (e_.rd() == zero) {
    // andi $zero, $zero, 0 is the architecture's nop.
    if (e_.rj() == zero && row.op == Op::and_ && immediate == 0) klass(InsnClass::nop);
    return;
  }
  const Operand a = source(e_.rj());
  if (is_zero(a)) return set(e_.rd(), Operand::value(row.op == Op::and_ ? 0 : immediate));
  if (immediate == 0 && neutral_zero(row.op)) return set(e_.rd(), a);
  emit(row.op, source(e_.rd()), a, Operand::value(immediate));
}

void Lifter::shift(const Opcode& row) {
  if (e_.rd() == zero) return;
  const unsigned bits = row.width * 8;
  const Operand amount = compute_to_temporary(Op::and_, source(e_.rk()), Operand::value(bits - 1));
  Operand a = source(e_.rj());
  if (row.op == Op::shr) a = low_bits(a, bits, Op::zext);
  if (row.op == Op::sar) return result(Op::sar, low_bits(a, bits, Op::sext), amount, register_bytes_);
  result(row.op, a, amount, row.width);
}

void Lifter::shift_immediate(const Opcode& row) {
  if (e_.rd() == zero) return;
  const unsigned bits = row.width * 8;
  const unsigned amount = row.width == 8 ? e_.ui6() : e_.ui5();
  const Operand a = source(e_.rj());
  const Operand by = Operand::value(amount);
  if (amount == 0) return set_result(e_.rd(), a, row.width);
  if (row.op == Op::shr) {
    const Operand result = temporary();
    emit(Op::extract, result, a, {}, row.width, amount, bits - amount);
    return set_result(e_.rd(), result, row.width);
  }
  if (row.op == Op::sar) return result(Op::sar, low_bits(a, bits, Op::sext), by, register_bytes_);
  result(row.op, a, by, row.width);
}

void Lifter::shift_add(const Opcode& row) {
  if (e_.rd() == zero) return;
  const Operand shifted = compute_to_temporary(Op::shl, source(e_.rj()), Operand::value(e_.sa2() + 1), row.width);
  result(Op::add, shifted, source(e_.rk()), row.width);
}

void Lifter::shift_add_unsigned(const Opcode& row) {
  if (e_.rd() == zero) return;
  const Operand shifted = compute_to_temporary(Op::shl, source(e_.rj()), Operand::value(e_.sa2() + 1), row.width);
  const Operand sum = compute_to_temporary(Op::add, shifted, source(e_.rk()), row.width);
  emit(Op::zext, source(e_.rd()), sum, {}, 0, 0, row.width * 8);
}

void Lifter::multiply_words(const Opcode&) {
  if (e_.rd() == zero) return;
  const Operand a = low_bits(source(e_.rj()), 32, Op::sext);
  const Operand b = low_bits(source(e_.rk()), 32, Op::sext);
  emit(Op::mul, source(e_.rd()), a, b);
}

void Lifter::multiply_words_unsigned(const Opcode&) {
  if (e_.rd() == zero) return;
  const Operand a = low_bits(source(e_.rj()), 32, Op::zext);
  const Operand b = low_bits(source(e_.rk()), 32, Op::zext);
  emit(Op::mul, source(e_.rd()), a, b);
}

void Lifter::extend(const Opcode& row) {
  if (e_.rd() != zero) emit(Op::sext, source(e_.rd()), source(e_.rj()), {}, 0, 0, row.width * 8);
}

void Lifter::insert_bits_word(const Opcode&) {
  if (e_.rd() == zero || e_.msbw() < e_.lsbw()) return;
  const Operand result = temporary();
  emit(Op::insert, result, source(e_.rd()), source(e_.rj()), 4, e_.lsbw(), e_.msbw() - e_.lsbw() + 1);
  set_result(e_.rd(), result, 4);
}

void Lifter::insert_bits(const Opcode&) {
  if (e_.rd() == zero || e_.msbd() < e_.lsbd()) return;
  const Operand d = source(e_.rd());
  emit(Op::insert, d, d, source(e_.rj()), 8, e_.lsbd(), e_.msbd() - e_.lsbd() + 1);
}

void Lifter::pick_bits_word(const Opcode&) {
  if (e_.rd() == zero || e_.msbw() < e_.lsbw()) return;
  const Operand result = temporary();
  emit(Op::extract, result, source(e_.rj()), {}, 4, e_.lsbw(), e_.msbw() - e_.lsbw() + 1);
  set_result(e_.rd(), result, 4);
}

void Lifter::pick_bits(const Opcode&) {
  if (e_.rd() == zero || e_.msbd() < e_.lsbd()) return;
  emit(Op::extract, source(e_.rd()), source(e_.rj()), {}, 8, e_.lsbd(), e_.msbd() - e_.lsbd() + 1);
}

void Lifter::keep_unless_zero(const Opcode&) {
  if (e_.rk() == zero) return set(e_.rd(), Operand::value(0));
  clobber(e_.rd());
}

void Lifter::keep_if_zero(const Opcode&) {
  if (e_.rk() == zero) return set(e_.rd(), source(e_.rj()));
  clobber(e_.rd());
}

void Lifter::upper_immediate(const Opcode&) {
  std::int64_t immediate = e_.si20();
  if (const auto symbol = fix(llvm::ELF::R_LARCH_ABS_HI20)) immediate = sign_extend(*symbol >> 12, 20);
  set(e_.rd(), constant(immediate * 0x1000));
}

void Lifter::bits_51_32(const Opcode&) {
  if (e_.rd() == zero) return;
  std::int64_t immediate = e_.si20();
  if (const auto symbol = fix(llvm::ELF::R_LARCH_ABS64_LO20)) immediate = sign_extend(*symbol >> 32, 20);
  const Operand d = source(e_.rd());
  emit(Op::insert, d, d, Operand::value(static_cast<std::uint64_t>(immediate) & 0xffffffff), 8, 32, 32);
}

void Lifter::bits_63_52(const Opcode&) {
  if (e_.rd() == zero) return;
  std::uint64_t immediate = e_.ui12();
  if (const auto symbol = fix(llvm::ELF::R_LARCH_ABS64_HI12)) immediate = *symbol >> 52;
  emit(Op::insert, source(e_.rd()), source(e_.rj()), Operand::value(immediate), 8, 52, 12);
}

void Lifter::address_near(const Opcode&) {
  if (const auto symbol = fix(llvm::ELF::R_LARCH_PCREL20_S2)) return set(e_.rd(), Operand::value(*symbol));
  set(e_.rd(), constant(static_cast<std::int64_t>(insn_.address) + e_.si20() * 4));
}

// The low 12 bits that follow are sign-extended, so the page is the one that is nearest to the symbol.
void Lifter::address_page(const Opcode&) {
  auto symbol = fix(llvm::ELF::R_LARCH_PCALA_HI20);
  if (!symbol) symbol = fix(llvm::ELF::R_LARCH_GOT_PC_HI20);
  if (symbol) return set(e_.rd(), Operand::value((*symbol + 0x800) & ~std::uint64_t{0xfff}));
  const std::int64_t page = static_cast<std::int64_t>(insn_.address & ~std::uint64_t{0xfff});
  set(e_.rd(), constant(page + e_.si20() * 0x1000));
}

// `width` of the row is the shift: 12 or 18. A pcaddu18i that the linker completes together with the jirl behind it
// (CALL36) already holds the whole address, since that jirl still adds 0.
void Lifter::address_upper(const Opcode& row) {
  const auto pc = static_cast<std::int64_t>(insn_.address);
  if (const auto symbol = fix(llvm::ELF::R_LARCH_CALL36)) return set(e_.rd(), Operand::value(*symbol));
  if (const auto symbol = fix(llvm::ELF::R_LARCH_CALL30)) return set(e_.rd(), Operand::value(*symbol));
  if (const auto symbol = fix(llvm::ELF::R_LARCH_PCADD_HI20)) {
    const std::int64_t low = sign_extend(*symbol - insn_.address, 12);
    return set(e_.rd(), constant(static_cast<std::int64_t>(*symbol) - low));
  }
  set(e_.rd(), constant(pc + e_.si20() * (std::int64_t{1} << row.width)));
}

void Lifter::compute(const Opcode&) { clobber(e_.rd()); }

void Lifter::compute_both(const Opcode&) {
  clobber(e_.rd());
  clobber(e_.rj());
}

void Lifter::compute_condition(const Opcode&) { emit(Op::clobber, Operand::reg(fcc(e_.rd() & 7)), {}); }

void Lifter::integer_to_condition(const Opcode&) {
  emit(Op::extract, Operand::reg(fcc(e_.rd() & 7)), source(e_.rj()), {}, 0, 0, 1);
}

void Lifter::condition_to_integer(const Opcode&) { set(e_.rd(), Operand::reg(fcc(e_.cj()))); }

void Lifter::no_effect(const Opcode&) {}

}  // namespace trapline::loongarch
