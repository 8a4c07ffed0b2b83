// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/lift.h"

#include "disasm/arch/powerpc/builder.h"
#include "disasm/arch/powerpc/own_words.h"

namespace trapline::ppc {
namespace {

std::uint32_t suffix_word(const Decoded& d, bool little_endian) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) word = word << 8 | d.bytes[4 + (little_endian ? 3 - i : i)];
  return word;
}

// Facts not known to the tables: what LLVM says it writes is clobbered. LLVM's mayLoad and mayStore are not asked: they
// are wrong both ways here, and lift_memory knows every load and store.
void lift_rest(Builder& b) {
  b.insn.flow = Flow::next;
  b.cls(InsnClass::other);
  for (std::string_view name : b.decoded.defs) {
    const Place p = llvm_place(name);
    if (p != no_place) b.clobber(p);
  }
}

}  // namespace

Insn lift(const Image& image, const Decoded& decoded, bool is64) {
  Insn insn;
  insn.address = decoded.address;
  insn.size = 4;
  insn.word = decoded.word;
  if (!decoded.valid && !is_own_word(decoded.word)) return insn;
  Builder b{image, decoded, Encoding{decoded.word}, 0, static_cast<std::uint8_t>(is64 ? 8 : 4), insn};
  if (decoded.size == 8) {
    b.insn.size = 8;
    b.prefix = decoded.word;
    b.e.word = suffix_word(decoded, image.elf().little_endian);
    if (!lift_memory(b)) lift_rest(b);
    return b.insn;
  }
  if (!lift_branch(b) && !lift_memory(b) && !lift_integer(b) && !lift_system(b)) lift_rest(b);
  return b.insn;
}

}  // namespace trapline::ppc
