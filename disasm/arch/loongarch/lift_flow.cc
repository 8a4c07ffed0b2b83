// SPDX-License-Identifier: Apache-2.0
//
// Branches, calls, returns, traps.
#include <llvm/BinaryFormat/ELF.h>

#include "disasm/arch/loongarch/lift.h"
#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {
namespace {

// Codes of the break instruction (arch/loongarch/include/uapi/asm/break.h).
constexpr unsigned brk_bug = 1;  // BUG and WARN
constexpr unsigned brk_kdb = 2;  // breaks into the kernel debugger, which goes on behind it

}  // namespace

std::uint64_t Lifter::branch_target(std::int64_t offset) const {
  for (const std::uint32_t type : {llvm::ELF::R_LARCH_B26, llvm::ELF::R_LARCH_B21, llvm::ELF::R_LARCH_B16}) {
    if (const auto symbol = fix(type)) return *symbol;
  }
  if (decoded_.target) return *decoded_.target;
  const std::uint64_t target = insn_.address + static_cast<std::uint64_t>(offset);
  return register_bytes_ == 4 ? target & 0xffffffff : target;
}

void Lifter::conditional(Predicate predicate, std::int64_t offset) {
  klass(InsnClass::branch);
  insn_.flow = Flow::jump;
  insn_.target = branch_target(offset);
  predicate.width = register_width();
  insn_.when = predicate;
}

void Lifter::branch_compare(const Opcode&) {
  static constexpr Rel relations[] = {Rel::eq, Rel::ne, Rel::lt, Rel::ge, Rel::ltu, Rel::geu};
  const Rel rel = relations[e_.field(29, 26) - 6];
  conditional({.rel = rel, .a = source(e_.rj()), .b = source(e_.rd())}, e_.offs16());
  // A register compared with itself: the branch is always taken.
  if (e_.rj() == e_.rd() && (rel == Rel::eq || rel == Rel::ge || rel == Rel::geu)) insn_.when.reset();
}

void Lifter::branch_zero(const Opcode&) {
  const Rel rel = e_.field(26, 26) != 0 ? Rel::ne : Rel::eq;
  conditional({.rel = rel, .a = source(e_.rj()), .b = Operand::value(0)}, e_.offs21());
  if (e_.rj() == zero && rel == Rel::eq) insn_.when.reset();
}

// Bits 9 and 8 choose: 00 bceqz, 01 bcnez, 1x a jump through a scratch register of the binary translation unit.
void Lifter::branch_condition(const Opcode&) {
  if (e_.field(9, 9) != 0) {
    klass(InsnClass::branch);
    insn_.flow = Flow::indirect_jump;
    insn_.jump_to = compute_to_temporary(Op::clobber, {}, {});
    return;
  }
  const Rel rel = e_.field(8, 8) != 0 ? Rel::ne : Rel::eq;
  conditional({.rel = rel, .a = Operand::reg(fcc(e_.cj())), .b = Operand::value(0)}, e_.offs21());
}

void Lifter::branch(const Opcode&) {
  klass(InsnClass::branch);
  insn_.target = branch_target(e_.offs26());
  insn_.flow = *insn_.target == insn_.address ? Flow::halt : Flow::jump;
}

void Lifter::branch_and_link(const Opcode&) {
  klass(InsnClass::call);
  insn_.flow = Flow::call;
  insn_.sets_link = true;
  insn_.target = branch_target(e_.offs26());
  set(ra, constant(static_cast<std::int64_t>(insn_.address) + 4));
}

// jirl rd, rj, offs16: the forms that mean call and return are fixed by convention, not by the encoding.
void Lifter::jump_and_link(const Opcode&) {
  const std::int64_t offset = e_.offs16();
  insn_.jump_to = source(e_.rj());
  if (e_.rd() == zero && e_.rj() == ra && offset == 0) {
    klass(InsnClass::ret);
    insn_.flow = Flow::ret;
    return;
  }
  if (offset != 0) {
    insn_.jump_to = compute_to_temporary(Op::add, source(e_.rj()), constant(offset));
  } else if (e_.rd() == e_.rj()) {
    insn_.jump_to = compute_to_temporary(Op::set, source(e_.rj()), {});
  }
  if (e_.rd() == zero) {
    klass(InsnClass::branch);
    insn_.flow = Flow::indirect_jump;
    return;
  }
  klass(InsnClass::call);
  insn_.flow = Flow::indirect_call;
  insn_.sets_link = e_.rd() == ra;
  set(e_.rd(), constant(static_cast<std::int64_t>(insn_.address) + 4));
}

// BUG and WARN are the same instruction; only the record in __bug_table tells which of them comes back.
void Lifter::break_(const Opcode&) {
  klass(InsnClass::system);
  insn_.system = true;
  const bool comes_back = e_.code() == brk_kdb || (e_.code() == brk_bug && break_is_warning(image_, insn_.address));
  insn_.flow = comes_back ? Flow::next : Flow::trap;
}

void Lifter::syscall(const Opcode&) {
  klass(InsnClass::system);
  insn_.system = true;
  insn_.flow = Flow::syscall;
}

void Lifter::exception_return(const Opcode&) {
  klass(InsnClass::ret);
  insn_.flow = Flow::exception_return;
  insn_.returns_by = ReturnsBy::status;
  insn_.status = csr_place(csr::prmd);
}

}  // namespace trapline::loongarch
