// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and read-modify-write. Floating-point and vector registers are not followed: such a store makes the
// memory it hits unknown, 8 bytes at a time.
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>

#include "disasm/arch/loongarch/lift.h"
#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {

Operand Lifter::address(unsigned base, std::int64_t displacement) {
  if (const auto symbol = low_part_fix()) {
    if (base != zero) return Operand::value(*symbol);
    displacement = sign_extend(*symbol, 12);
  }
  if (base == zero) return constant(displacement);
  if (displacement == 0) return source(base);
  return compute_to_temporary(Op::add, source(base), constant(displacement));
}

Operand Lifter::indexed_address() {
  if (e_.rk() == zero) return source(e_.rj());
  if (e_.rj() == zero) return source(e_.rk());
  return compute_to_temporary(Op::add, source(e_.rj()), source(e_.rk()));
}

void Lifter::count_load(unsigned width) {
  insn_.memory.loads = true;
  insn_.memory.registers_loaded = 1;
  insn_.memory.bytes_loaded = static_cast<std::uint16_t>(width);
  klass(insn_.memory.stores ? InsnClass::load_store : InsnClass::load);
}

void Lifter::count_store(unsigned width) {
  insn_.memory.stores = true;
  insn_.memory.registers_stored = 1;
  insn_.memory.bytes_stored = static_cast<std::uint16_t>(width);
  klass(insn_.memory.loads ? InsnClass::load_store : InsnClass::store);
}

void Lifter::load_from(Operand from, unsigned width, Op extension) {
  count_load(width);
  const bool extended = extension == Op::sext && width < register_bytes_;
  const Operand value = extended || e_.rd() == zero ? temporary() : source(e_.rd());
  emit(Op::load, value, from, {}, width);
  if (extended) set_result(e_.rd(), value, width);
}

void Lifter::store_to(Operand to, unsigned width, Operand value) {
  count_store(width);
  emit(Op::store, {}, to, value, width);
}

void Lifter::load(const Opcode& row) {
  // The linker's table of addresses holds the symbol's address: that is what is loaded.
  auto symbol = fix(llvm::ELF::R_LARCH_GOT_PC_LO12);
  if (!symbol) {
    if (const auto upper = fix(llvm::ELF::R_LARCH_GOT_PCADD_LO12)) {
      for (const Relocation& relocation : image_.relocations_at(*upper, 4)) {
        if (relocation.type == llvm::ELF::R_LARCH_GOT_PCADD_HI20) symbol = relocation.target;
      }
    }
  }
  if (symbol) {
    count_load(row.width);
    return set(e_.rd(), Operand::value(*symbol));
  }
  load_from(address(e_.rj(), e_.si12()), row.width, Op::sext);
}

void Lifter::load_unsigned(const Opcode& row) { load_from(address(e_.rj(), e_.si12()), row.width, Op::zext); }
void Lifter::load_shifted(const Opcode& row) { load_from(address(e_.rj(), e_.si14() * 4), row.width, Op::sext); }
void Lifter::load_indexed(const Opcode& row) { load_from(indexed_address(), row.width, Op::sext); }
void Lifter::load_indexed_unsigned(const Opcode& row) { load_from(indexed_address(), row.width, Op::zext); }
void Lifter::load_checked(const Opcode& row) { load_from(address(e_.rj(), 0), row.width, Op::sext); }

void Lifter::load_part(const Opcode& row) {
  count_load(row.width);
  clobber(e_.rd());
}

void Lifter::load_linked(const Opcode& row) {
  insn_.memory.atomic = true;
  load_from(address(e_.rj(), e_.si14() * 4), row.width, Op::sext);
}

void Lifter::load_linked_acquire(const Opcode& row) {
  insn_.memory.atomic = true;
  load_from(address(e_.rj(), 0), row.width, Op::sext);
}

void Lifter::store(const Opcode& row) { store_to(address(e_.rj(), e_.si12()), row.width, source(e_.rd())); }
void Lifter::store_shifted(const Opcode& row) { store_to(address(e_.rj(), e_.si14() * 4), row.width, source(e_.rd())); }
void Lifter::store_indexed(const Opcode& row) { store_to(indexed_address(), row.width, source(e_.rd())); }
void Lifter::store_checked(const Opcode& row) { store_to(address(e_.rj(), 0), row.width, source(e_.rd())); }

// Writes between 1 and `width` bytes around an unaligned address: which ones is not followed.
void Lifter::store_part(const Opcode& row) {
  const Operand unknown = compute_to_temporary(Op::clobber, {}, {});
  store_to(address(e_.rj(), e_.si12()), row.width, unknown);
}

// Whether the store happens is known only at run time, so what the memory then holds is not; rd tells the program.
void Lifter::store_conditional(const Opcode& row) {
  insn_.memory.atomic = true;
  const Operand unknown = compute_to_temporary(Op::clobber, {}, {});
  store_to(address(e_.rj(), e_.si14() * 4), row.width, unknown);
  clobber(e_.rd());
}

void Lifter::store_conditional_release(const Opcode& row) {
  insn_.memory.atomic = true;
  const Operand unknown = compute_to_temporary(Op::clobber, {}, {});
  store_to(address(e_.rj(), 0), row.width, unknown);
  clobber(e_.rd());
}

void Lifter::store_conditional_pair(const Opcode&) {
  insn_.memory.atomic = true;
  fp_store_to(address(e_.rj(), 0), 16);
  insn_.memory.registers_stored = 2;
  clobber(e_.rd());
}

// rd = [rj], [rj] = f(old value, rk). In the order of the manual: the old value reaches rd last.
void Lifter::modify(unsigned width, Op op) {
  insn_.memory.atomic = true;
  count_load(width);
  count_store(width);
  const Operand where = address(e_.rj(), 0);
  const Operand old = temporary();
  emit(Op::load, old, where, {}, width);
  const Operand next = op == Op::set ? source(e_.rk()) : compute_to_temporary(op, old, source(e_.rk()), width);
  emit(Op::store, {}, where, next, width);
  set_result(e_.rd(), old, width);
}

void Lifter::read_modify_write(const Opcode& row) { modify(row.width, row.op); }
void Lifter::swap(const Opcode& row) {
  // amswap.w $rd, $ra, $rd is reserved by the manual, and the assembler's "ud": undefined by design.
  if (row.width == 4 && e_.rk() == ra && e_.rd() == e_.rj()) {
    klass(InsnClass::system);
    insn_.system = true;
    insn_.flow = Flow::trap;
    return;
  }
  modify(row.width, Op::set);
}

void Lifter::compare_and_swap(const Opcode& row) { modify(row.width, Op::clobber); }

void Lifter::fp_load_from(Operand from, unsigned width) {
  count_load(width);
  for (unsigned done = 0; done < width; done += 8) {
    const Operand part = done == 0 ? from : compute_to_temporary(Op::add, from, Operand::value(done));
    emit(Op::load, temporary(), part, {}, std::min(width, 8u));
  }
}

void Lifter::fp_store_to(Operand to, unsigned width) {
  count_store(width);
  const Operand unknown = compute_to_temporary(Op::clobber, {}, {});
  for (unsigned done = 0; done < width; done += 8) {
    const Operand part = done == 0 ? to : compute_to_temporary(Op::add, to, Operand::value(done));
    emit(Op::store, {}, part, unknown, std::min(width, 8u));
  }
}

void Lifter::fp_load(const Opcode& row) { fp_load_from(address(e_.rj(), e_.si12()), row.width); }
void Lifter::fp_load_indexed(const Opcode& row) { fp_load_from(indexed_address(), row.width); }
void Lifter::fp_load_checked(const Opcode& row) { fp_load_from(address(e_.rj(), 0), row.width); }
void Lifter::fp_store(const Opcode& row) { fp_store_to(address(e_.rj(), e_.si12()), row.width); }
void Lifter::fp_store_indexed(const Opcode& row) { fp_store_to(indexed_address(), row.width); }
void Lifter::fp_store_checked(const Opcode& row) { fp_store_to(address(e_.rj(), 0), row.width); }

// vldrepl.d has si9, .w si10, .h si11, .b si12, each from bit 10 on and in units of the element.
void Lifter::fp_load_replicated(const Opcode& row) {
  const unsigned shift = row.width == 8 ? 3 : row.width / 2;
  const std::int64_t units = e_.signed_field(21 - shift, 10);
  fp_load_from(address(e_.rj(), units * row.width), row.width);
}

// vstelm has si8 in bits 17 to 10, in units of the element, and the element's number above it.
void Lifter::fp_store_element(const Opcode& row) {
  fp_store_to(address(e_.rj(), e_.signed_field(17, 10) * row.width), row.width);
}

// The page-table walk of the refill handler: one table entry is read, at an address made of rj, the level, BADV and
// PWCL/PWCH.
void Lifter::page_directory_load(const Opcode&) {
  count_load(register_bytes_);
  clobber(e_.rd());
}

// Reads an entry into TLBRELO0 (an even page) or TLBRELO1 (odd); bit 10, the lowest of `seq`, chooses.
void Lifter::page_entry_load(const Opcode&) {
  count_load(register_bytes_);
  emit(Op::clobber, Operand::reg(csr_place(e_.field(10, 10) != 0 ? csr::tlbrelo1 : csr::tlbrelo0)), {});
}

}  // namespace trapline::loongarch
