// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the lifter share: one instruction under construction, and short ways to say what it does.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "disasm/arch/powerpc/encoding.h"
#include "disasm/arch/powerpc/places.h"
#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::ppc {

struct Builder {
  const Image& image;
  const Decoded& decoded;
  Encoding e;                // the word; of a prefixed instruction the suffix
  std::uint32_t prefix = 0;  // of a prefixed instruction, else 0
  std::uint8_t width;        // bytes of a general register: 8 or 4
  Insn insn;

  void op(Op kind, Operand dst, Operand a = {}, Operand b = {}) { op_width(kind, width, dst, a, b); }
  void op_width(Op kind, std::uint8_t w, Operand dst, Operand a = {}, Operand b = {}) {
    insn.ops.push_back({kind, w, 0, 0, dst, a, b});
  }
  void op_bits(Op kind, unsigned lsb, unsigned bits, Operand dst, Operand a, Operand b = {}) {
    insn.ops.push_back({kind, width, static_cast<std::uint8_t>(lsb), static_cast<std::uint8_t>(bits), dst, a, b});
  }
  void clobber(Place p) { op(Op::clobber, Operand::reg(p)); }
  void clobber(std::initializer_list<Place> places) {
    for (Place p : places) clobber(p);
  }
  void record(Place dst) {  // a record form: cr0 = the result compared with zero
    op(Op::test, Operand::reg(cr(0)), Operand::reg(dst));
  }
  void cls(InsnClass c) {
    insn.cls = c;
    insn.system = c == InsnClass::system;
    insn.barrier = c == InsnClass::barrier;
    insn.landing_pad = c == InsnClass::nop;
  }
  static Operand reg(unsigned n) { return Operand::reg(gpr(n)); }
  // (RA|0): a zero in the field means the value 0, not r0.
  static Operand reg_or_zero(unsigned n) { return n == 0 ? Operand::value(0) : Operand::reg(gpr(n)); }
  static Operand imm(std::int64_t v) { return Operand::value(static_cast<std::uint64_t>(v)); }
};

// Each says whether it knows the instruction; flow, class, traffic and ops are filled then.
bool lift_branch(Builder& b);   // branches, system calls, exception returns, traps
bool lift_memory(Builder& b);   // all loads and stores, prefixed ones too
bool lift_integer(Builder& b);  // arithmetic, logic, rotates, compares, condition fields
bool lift_system(Builder& b);   // special registers, barriers, caches, address translation

}  // namespace trapline::ppc
