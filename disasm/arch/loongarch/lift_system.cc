// SPDX-License-Identifier: Apache-2.0
//
// Control and status registers, TLB, barriers.
#include "disasm/arch/loongarch/lift.h"
#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {

// One opcode, three instructions, chosen by rj: 0 csrrd, 1 csrwr, else csrxchg with rj as the mask. The last two
// also put the old content into rd.
void Lifter::csr(const Opcode&) {
  klass(InsnClass::system);
  insn_.system = true;
  const unsigned rd = e_.rd(), rj = e_.rj(), number = e_.csr();
  // CRMD.IE: what is written may set it, unless register 0 is written.
  if (number == csr::crmd && rj != 0 && rd != zero) insn_.irq_on = true;
  const Place place = csr_place(number);
  if (place == no_place) return clobber(rd);
  const Operand reg = Operand::reg(place);
  if (rj == 0) return set(rd, reg);
  if (rj == 1) {
    const Operand old = compute_to_temporary(Op::set, reg, {});
    emit(Op::set, reg, source(rd));
    return set(rd, old);
  }
  const Operand old = compute_to_temporary(Op::set, reg, {});
  const Operand inverted = compute_to_temporary(Op::not_, source(rj), {});
  const Operand kept = compute_to_temporary(Op::and_, old, inverted);
  if (rd == zero) return emit(Op::set, reg, kept);
  const Operand written = compute_to_temporary(Op::and_, source(rd), source(rj));
  emit(Op::or_, reg, kept, written);
  set(rd, old);
}

void Lifter::guest_csr(const Opcode&) {
  klass(InsnClass::system);
  insn_.system = true;
  clobber(e_.rd());
}

void Lifter::system(const Opcode&) {
  klass(InsnClass::system);
  insn_.system = true;
}

void Lifter::system_read(const Opcode& row) {
  system(row);
  clobber(e_.rd());
}

// Comes back with the hypervisor's answer in a0.
void Lifter::hypercall(const Opcode& row) {
  system(row);
  clobber(a0);
}

void Lifter::tlb_search(const Opcode& row) {
  system(row);
  emit(Op::clobber, Operand::reg(csr_place(csr::tlbidx)), {});
}

void Lifter::tlb_read(const Opcode& row) {
  system(row);
  for (const unsigned number : {csr::tlbidx, csr::tlbehi, csr::tlbelo0, csr::tlbelo1, csr::asid}) {
    emit(Op::clobber, Operand::reg(csr_place(number)), {});
  }
}

void Lifter::barrier(const Opcode&) {
  klass(InsnClass::barrier);
  insn_.barrier = true;
}

}  // namespace trapline::loongarch
