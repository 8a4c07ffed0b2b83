// SPDX-License-Identifier: Apache-2.0
//
// What --listing says that an instruction saves and restores. Offsets are those of struct pt_regs in
// arch/loongarch/include/asm/ptrace.h: register n at 8 n.
#include <doctest/doctest.h>

#include <map>

#include "../cfg/assemble.h"
#include "analyzer/analyze.h"

namespace trapline::test {
namespace {

// Notes of the one path of handle_syscall, by offset.
std::map<std::uint64_t, std::string> notes(const std::string& text) {
  const auto image = assemble(Target::loongarch64, ".globl handle_syscall\nhandle_syscall:\n" + text);
  AnalyzeOptions options;
  options.entries = {"handle_syscall"};
  options.listing = true;
  const PathsReport::ImagePart part = analyze_paths(*image, options);
  REQUIRE(part.routines.size() == 1);
  REQUIRE(part.routines.front().paths.size() == 1);
  std::map<std::uint64_t, std::string> out;
  const std::vector<ListingLine>& listing = part.routines.front().paths.front().listing;
  for (const ListingLine& line : listing) out[line.address - listing.front().address] = line.note;
  return out;
}

}  // namespace

TEST_CASE("a listing names the slots that are saved and restored") {
  const auto said = notes(R"(
    addi.d $sp, $sp, -320
    st.d   $a0, $sp, 32
    st.d   $a1, $sp, 40
    csrrd  $t0, 6
    st.d   $t0, $sp, 264
    st.d   $s0, $sp, 184
    st.d   $zero, $sp, 0
    bl     do_syscall
    ld.d   $t0, $sp, 96
    ld.d   $a1, $sp, 40
    ld.w   $s1, $sp, 192
    ld.d   $t1, $tp, 0
    ertn
  )");
  CHECK(said.at(0).empty());
  CHECK(said.at(4) == "PT_R4 <- a0");
  CHECK(said.at(16) == "PT_ERA <- ERA");
  CHECK(said.at(24) == "PT_R0 <- 0");
  CHECK(said.at(28) == "calls do_syscall");
  CHECK(said.at(32) == "t0 <- PT_R12, not saved on this path");
  CHECK(said.at(36) == "a1 <- PT_R5");
  CHECK(said.at(40) == "s1 <- PT_R24, not saved on this path");
  CHECK(said.at(44).empty());
}

TEST_CASE("a listing says whether a store is needed") {
  const std::string enter = R"(
    addi.d $sp, $sp, -320
    st.d   $zero, $sp, 0
    st.d   $a1, $sp, 40
    st.d   $a2, $sp, 48
    st.d   $a3, $sp, 56
    st.d   $zero, $sp, 256
    st.d   $a0, $sp, 256
    move   $a0, $sp
    bl     do_syscall
    ertn
    .type do_syscall, @function
    do_syscall:
  )";
  // The zero in PT_R0 lies at 4, that in PT_ORIG_A0 at 20, its second store at 24.
  const auto always = notes(enter + "st.d $t0, $a0, 0\nret\n");
  CHECK(always.at(4) == "PT_R0 <- 0, overwritten by do_syscall before it reads it");
  CHECK(always.at(20) == "PT_ORIG_A0 <- 0, overwritten at handle_syscall+0x18");
  CHECK(always.at(24) == "PT_ORIG_A0 <- a0");
  CHECK(always.at(8) == "PT_R5 <- a1");

  const auto sometimes = notes(enter + "beqz $a1, 1f\nst.d $t0, $a0, 0\n1: ret\n");
  CHECK(sometimes.at(4) == "PT_R0 <- 0, needed: do_syscall does not write it where the branch at do_syscall is taken");
  const auto late = notes(enter + "beqz $a1, 1f\nld.d $t1, $a0, 0\n1: st.d $t0, $a0, 0\nret\n");
  CHECK(late.at(4) ==
        "PT_R0 <- 0, needed: do_syscall does not write it first where the branch at do_syscall is not taken");
}

TEST_CASE("without a frame a listing names no slot") {
  const auto said = notes("st.d $a0, $t0, 32\nld.d $a1, $t0, 40\nertn\n");
  CHECK(said.at(0).empty());
  CHECK(said.at(4).empty());
}

}  // namespace trapline::test
