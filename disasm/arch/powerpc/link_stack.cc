// SPDX-License-Identifier: Apache-2.0
//
// Power ISA 3.1 Book I section 2.4: a branch with LK=1 is a call and pushes, bclr with BH=0b00 is a return and pops;
// bclr with another BH and bcctr are no returns. Of the branches with LK=1 one is exempt: bcl 20,31,$+4, to be used
// "to obtain the address of the next instruction" (programming note there). bclrl is both a return and a call.
#include "disasm/arch/powerpc/link_stack.h"

#include <algorithm>

#include "disasm/arch/powerpc/encoding.h"

namespace trapline::ppc {
namespace {

constexpr std::uint32_t bcl_20_31_4 = 0x429f0005;
constexpr std::uint32_t blr = 0x4e800020;

constexpr bool is_bclr(Encoding e) { return e.opcd() == 19 && e.xo() == 16; }

LinkEffect effect(const Insn& insn) {
  const Encoding e{insn.word};
  if (insn.flow == Flow::ret) return LinkEffect::pop;
  if (!insn.sets_link) return LinkEffect::none;
  if (insn.word == bcl_20_31_4) return LinkEffect::exempt;
  // bclrl: the hint that it is no return takes the pop away.
  return is_bclr(e) && e.bh() == 0 ? LinkEffect::pop_push : LinkEffect::push;
}

constexpr bool is_mtlr(Encoding e) { return e.opcd() == 31 && e.xo() == 467 && e.spr() == 8; }
constexpr bool is_mflr(Encoding e) { return e.opcd() == 31 && e.xo() == 339 && e.spr() == 8; }

// Is the register that mtlr reads one that a function keeps its return address in: read from the link register, or
// from the stack?
bool keeps_return(std::span<const std::uint32_t> words, std::size_t mtlr) {
  constexpr std::size_t far = 64;  // words; prologues and epilogues are closer than that
  const unsigned from = Encoding{words[mtlr]}.rt();
  for (std::size_t i = mtlr; i-- > 0 && mtlr - i <= far;) {
    const Encoding e{words[i]};
    if (words[i] == blr) return false;  // another function
    if (e.rt() != from) continue;
    if (e.opcd() == 14 || e.opcd() == 15) return false;  // addi, addis: computed
    if (is_mflr(e)) return true;
    if ((e.opcd() == 58 || e.opcd() == 32) && e.ra() == 1) return true;  // ld, lwz
  }
  return false;
}

// bclr to an address that mtlr put into the link register just before, and that is none the function was called with.
bool returns_to_made(std::span<const std::uint32_t> words, std::size_t bclr) {
  constexpr std::size_t soon = 16;  // words
  for (std::size_t i = bclr; i-- > 0 && bclr - i <= soon;) {
    const Encoding e{words[i]};
    if (is_mtlr(e)) return !keeps_return(words, i);
    if (e.opcd() == 18 || e.opcd() == 19) return false;
  }
  return false;
}

bool candidate(std::span<const std::uint32_t> words, std::size_t i) {
  constexpr std::int64_t near = 256;  // bytes: over a table, at most; further on is another function
  const Encoding e{words[i]};
  switch (e.opcd()) {
    case 16:
      return e.lk();
    case 18:  // bl . is what an object has where a relocation will be
      return e.lk() && !e.aa() && e.li() > 0 && e.li() <= near;
    case 19:
      return is_bclr(e) && e.bh() == 0 && (e.lk() || returns_to_made(words, i));
    default:
      return false;
  }
}

}  // namespace

LinkStack link_stack() {
  LinkStack s;
  s.effect = effect;
  s.candidate = candidate;
  s.instead_of_push =
      "learn the address with bcl 20, 31, $+4, the one form that is exempt; jump with a branch that does not set the "
      "link register";
  s.call_register = "mtctr and bctrl";
  s.jump_register = "mtctr and bctr";
  return s;
}

}  // namespace trapline::ppc
