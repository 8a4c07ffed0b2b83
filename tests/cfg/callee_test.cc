// SPDX-License-Identifier: Apache-2.0
//
// What a called function does with memory that it was handed. Each answer is read off the text of the function by hand.
#include "cfg/callee.h"

#include <doctest/doctest.h>

#include "assemble.h"
#include "disasm/arch/arch.h"

namespace trapline::test {
namespace {

Place place_named(const Facts& facts, std::string_view name) {
  for (std::size_t i = 0; i < facts.places.size(); ++i)
    if (facts.places[i].name == name) return static_cast<Place>(i);
  FAIL("no place is called " << name);
  return no_place;
}

// The answer about 8 bytes at offset 16 of what a0 points to; `text` begins with the function.
struct Asked {
  explicit Asked(const std::string& text, std::int64_t at = 16, unsigned width = 8)
      : image(assemble(Target::loongarch64, ".globl f\nf:\n" + text)), code(*image) {
    entry = address_of(*image, "f");
    answer = code.callee(entry).ask({{place_named(facts_of(*image), "a0"), at}}, width);
  }
  std::unique_ptr<Image> image;
  Code code;
  std::uint64_t entry = 0;
  SlotAnswer answer;
};

using Fate = SlotAnswer::Fate;

}  // namespace

TEST_CASE("a function that writes first on its only way") {
  CHECK(Asked("st.d $zero, $a0, 16\nret\n").answer.fate == Fate::overwritten);
  CHECK(Asked("addi.d $t0, $a0, 24\nst.d $zero, $t0, -8\nld.d $t0, $a0, 16\nret\n").answer.fate == Fate::overwritten);
  CHECK(Asked("move $s0, $a0\nld.d $t0, $tp, 16\nst.d $t0, $s0, 16\nret\n").answer.fate == Fate::overwritten);
  // A neighbour is none of it.
  CHECK(Asked("ld.d $t0, $a0, 24\nld.d $t0, $a0, 8\nst.d $t0, $a0, 16\nret\n").answer.fate == Fate::overwritten);
}

TEST_CASE("a function that does not write first") {
  CHECK(Asked("ret\n").answer.fate == Fate::kept);
  CHECK(Asked("ld.d $t0, $a0, 16\nst.d $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("ld.b $t0, $a0, 23\nst.d $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("st.w $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("st.d $zero, $a0, 12\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("st.d $zero, $a1, 16\nret\n").answer.fate == Fate::kept);
  // Another function, or a pointer that came from memory, may read it first.
  CHECK(Asked("move $s0, $a0\nbl g\nst.d $zero, $s0, 16\nret\ng:\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("ld.d $t0, $tp, 0\nld.d $t0, $t0, 0\nst.d $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
  CHECK(Asked("syscall 0\nst.d $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
  // The pointer is not followed through an unknown sum, and where two meet.
  CHECK(Asked("add.d $a0, $a0, $a1\nst.d $zero, $a0, 16\nret\n").answer.fate == Fate::kept);
}

TEST_CASE("a function that writes first on some ways names the branch behind which it does not") {
  const Asked a("beqz $a1, 1f\nst.d $zero, $a0, 16\n1: ret\n");
  CHECK(a.answer.fate == Fate::partly);
  CHECK(a.answer.branch == a.entry);
  CHECK(a.answer.taken);
  CHECK_FALSE(a.answer.written_later);

  // Offsets: beqz 0, bnez 4, st.d 8, b 12, bl 16, st.d 20, ret 24.
  const Asked b(
      "beqz $a1, 1f\nbnez $a2, 2f\n1: st.d $zero, $a0, 16\nb 3f\n2: bl g\nst.d $zero, $a0, 16\n3: ret\ng: ret\n");
  CHECK(b.answer.fate == Fate::partly);
  CHECK(b.answer.branch == b.entry + 4);
  CHECK(b.answer.taken);

  // Where the branch is not taken, a copy of the pointer writes behind the call.
  const Asked c("move $s0, $a0\nbeqz $a1, 1f\nbl g\n1: st.d $zero, $s0, 16\nret\ng: ret\n");
  CHECK(c.answer.fate == Fate::partly);
  CHECK(c.answer.branch == c.entry + 4);
  CHECK_FALSE(c.answer.taken);
  CHECK(c.answer.written_later);
}

TEST_CASE("both sides of a branch, a loop and a trap") {
  CHECK(Asked("beqz $a1, 1f\nst.d $a1, $a0, 16\nret\n1: st.d $a2, $a0, 16\nret\n").answer.fate == Fate::overwritten);
  CHECK(Asked("beqz $a1, 1f\nbreak 0\n1: st.d $a2, $a0, 16\nret\n").answer.fate == Fate::overwritten);
  CHECK(Asked("1: addi.d $a1, $a1, -1\nbnez $a1, 1b\nst.d $a2, $a0, 16\nret\n").answer.fate == Fate::overwritten);
  CHECK(Asked("1: addi.d $a1, $a1, -1\nbnez $a1, 1b\nret\n").answer.fate == Fate::kept);
}

TEST_CASE("a slot above the callee's own frame") {
  // The frame lies at the caller's stack pointer; what the callee keeps for itself lies below.
  const auto image = assemble(Target::loongarch64,
                              ".globl f\nf:\naddi.d $sp, $sp, -32\nst.d $ra, $sp, 16\nld.d $t0, $sp, 16\n"
                              "st.d $zero, $sp, 48\naddi.d $sp, $sp, 32\nret\n");
  Code code(*image);
  const Place sp = place_named(facts_of(*image), "sp");
  CHECK(code.callee(address_of(*image, "f")).ask({{sp, 16}}, 8).fate == Fate::overwritten);
  CHECK(code.callee(address_of(*image, "f")).ask({{sp, 24}}, 8).fate == Fate::kept);
}

TEST_CASE("nothing is known of code that is not there") {
  const auto image = assemble(Target::loongarch64, ".globl f\nf:\nret\n");
  Code code(*image);
  CHECK(code.callee(0x10).ask({{place_named(facts_of(*image), "a0"), 16}}, 8).fate == Fate::kept);
}

}  // namespace trapline::test
