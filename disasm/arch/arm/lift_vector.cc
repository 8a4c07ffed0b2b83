// SPDX-License-Identifier: Apache-2.0
//
// Memory traffic of floating point and Advanced SIMD (ARM ARM DDI 0406, A7.6, A7.7). Their registers are no places:
// what is loaded is not followed, what is stored is unknown.
#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

// `bytes` in all are read or written from `address` up.
void Lifter::vector_memory(unsigned registers, unsigned bytes, bool load, Operand address) {
  other(load ? InsnClass::load : InsnClass::store);
  if (load) return memory_load(registers, bytes);
  memory_store(registers, bytes);
  const Operand unknown = temp();
  const Operand next = temp();
  clobber(unknown);
  for (unsigned at = 0; at < bytes;) {
    const unsigned left = bytes - at;
    const unsigned width = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    if (at != 0) op(Op::add, next, address, Operand::value(at));
    op(Op::store, {}, at == 0 ? address : next, unknown, width);
    at += width;
  }
}

// cond 110 P U D W L Rn Vd 101 sz imm8
void Lifter::vfp_load_store() {
  const bool before = bit(w_, 24);
  const bool up = bit(w_, 23);
  const bool writeback = bit(w_, 21);
  const unsigned rn = bits(w_, 19, 16);
  const unsigned imm8 = bits(w_, 7, 0);
  const unsigned number = bits(w_, 11, 8);
  const bool load = bit(w_, 20);
  const Operand base = rn == 15 ? Operand::value(pc_ & ~std::uint64_t{3}) : reg(rn);
  if (before && !writeback) {  // vldr, vstr: one register; half precision is coprocessor 9 with a scale of two
    const unsigned width = number == 11 ? 8 : number == 9 ? 2 : 4;
    return vector_memory(1, width, load, summed(base, Operand::value((number == 9 ? 2 : 4) * imm8), up));
  }
  // vldm, vstm, vpush, vpop; an odd count of words with double registers is the old fldmx/fstmx
  const unsigned registers = number == 11 ? imm8 / 2 : imm8;
  const unsigned bytes = number == 11 ? 8 * registers : 4 * registers;
  const Operand low = temp();
  sum(low, base, Operand::value(up ? 0 : 4 * imm8), up);
  vector_memory(registers, bytes, load, low);
  if (writeback && rn != 15) sum(reg(rn), base, Operand::value(4 * imm8), up);
}

// 1111 0100 A D L 0 Rn Vd type|size|.. align Rm: element and structure loads and stores
void Lifter::neon_load_store() {
  unsigned registers = 0;
  unsigned bytes = 0;
  if (!bit(w_, 23)) {
    // By type, bits 11 to 8: vld4 4, vld4 4, vld1 4, vld2 4, vld3 3, vld3 3, vld1 3, vld1 1, vld2 2, vld2 2, vld1 2.
    static constexpr std::uint8_t counts[] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};
    if (bits(w_, 11, 8) >= sizeof counts) return;
    registers = counts[bits(w_, 11, 8)];
    bytes = 8 * registers;
  } else {
    registers = bits(w_, 9, 8) + 1;
    const unsigned size = bits(w_, 11, 10);
    // One lane, or with size 3 one structure to all lanes, whose element size is in bits 7 to 6.
    const unsigned lane = size < 3 ? size : (bits(w_, 7, 6) == 3 ? 2 : bits(w_, 7, 6));
    bytes = registers << lane;
  }
  const unsigned rn = bits(w_, 19, 16);
  const unsigned rm = bits(w_, 3, 0);
  vector_memory(registers, bytes, bit(w_, 21), reg(rn));
  if (rm == 15) return;
  sum(reg(rn), reg(rn), rm == 13 ? Operand::value(bytes) : reg(rm));
}

}  // namespace trapline::arm_arch
