// SPDX-License-Identifier: Apache-2.0
//
// Technical reference manuals, "return stack": Cortex-A8 (DDI 0344) section 5.2, Cortex-A9 (DDI 0388) 7.3.2, Cortex-A15
// (DDI 0438) 6.5.2, Cortex-A53 (DDI 0500), Cortex-A72 (100095) 6.5.2. BL and BLX push; BX lr and loads of pc through sp
// pop. MOV pc, lr pops on Cortex-A9, A15 and A72, and not on A8 and A53. Nothing is exempt; code learns its own address
// by reading pc.
#include "disasm/arch/arm/link_stack.h"

namespace trapline::arm_arch {
namespace {

constexpr std::uint32_t without_condition = 0x0fffffff;

LinkEffect effect(const Insn& insn) {
  if (insn.sets_link) return LinkEffect::push;
  if (insn.flow != Flow::ret) return LinkEffect::none;
  const bool thumb = insn.size == 2;
  const bool mov = thumb ? insn.word == 0x46f7 : (insn.word & without_condition) == 0x01a0f00e;
  return mov ? LinkEffect::maybe_pop : LinkEffect::pop;
}

bool candidate(std::span<const std::uint32_t> words, std::size_t i) {
  constexpr std::uint32_t near = 64;  // words: over a table, at most
  const std::uint32_t word = words[i];
  if (word >> 28 == 0xf) return false;
  // BL: pc is two words ahead.
  if ((word & 0x0f000000) == 0x0b000000) return ((word + 1) & 0x00ffffff) < near;
  return false;
}

}  // namespace

LinkStack link_stack() {
  LinkStack s;
  s.effect = effect;
  s.candidate = candidate;
  s.cores = "Cortex-A8 and later";
  s.advisory = true;
  s.instead_of_push = "learn the address with adr; jump with b";
  s.call_register = "blx";
  s.jump_register = "bx with another register than lr";
  return s;
}

}  // namespace trapline::arm_arch
