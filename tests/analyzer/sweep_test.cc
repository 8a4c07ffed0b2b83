// SPDX-License-Identifier: Apache-2.0
//
// What a sweep looks at, in small objects. Counts are by hand.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../cfg/assemble.h"
#include "analyzer/analyze.h"

namespace trapline::test {
namespace {

using Part = FindingsReport::ImagePart;

Part sweep(Target target, std::string_view text, const std::string& config = {}, unsigned jobs = 1) {
  const std::unique_ptr<Image> image = assemble(target, text);
  AnalyzeOptions options;
  options.jobs = jobs;
  return analyze_sweep(*image, options, parse_config(config, "f"));
}

// "warning:get_pc+0x4", one a finding that is not accepted.
std::string found(const Part& part) {
  std::string text;
  for (const FindingReport& f : part.findings) {
    if (f.suppressed) continue;
    if (!text.empty()) text += ' ';
    text += fmt::format("{}:{}", level_name(f.level), f.where);
  }
  return text;
}

constexpr std::string_view get_pc = R"(
    .globl get_pc
    .type get_pc, @function
get_pc:
    mflr 0
    bl 1f
1:  mflr 3
    mtlr 0
    blr
    .size get_pc, .-get_pc
)";

}  // namespace

TEST_CASE("sweep_needs_no_entry_routine_in_any_byte_order_and_width") {
  for (const Target target : {Target::powerpc64le, Target::powerpc64, Target::powerpc}) {
    const Part part = sweep(target, get_pc);
    CHECK(found(part) == "warning:get_pc+0x4");
    REQUIRE(part.candidates);
    CHECK(part.candidates->all() == 1);
    CHECK(part.candidates->found == 1);
    CHECK(part.summary.warnings == 1);
    CHECK(part.findings.at(0).routine == "get_pc");
    CHECK(!part.findings.at(0).fingerprint.empty());
  }
}

TEST_CASE("sweep_looks_at_every_executable_section_and_across_its_chunks") {
  // 70,000 words before the function: more than the 65,536 that one thread looks at.
  const std::string text =
      ".section .init.text, \"ax\"\n .rept 70000\n nop\n .endr\n" + std::string(get_pc) +
      ".text\n .globl other\n .type other, @function\nother:\n mflr 0\n bcl 20, 31, 2f\n .long 0\n2: mtlr 0\n blr\n"
      ".size other, .-other\n";
  const Part one = sweep(Target::powerpc64le, text), two = sweep(Target::powerpc64le, text, {}, 2);
  CHECK(found(one) == "warning:other+0x4 warning:get_pc+0x4");
  CHECK(found(two) == found(one));
  CHECK(two.candidates->all() == one.candidates->all());
}

TEST_CASE("sweep_does_not_take_data_for_code") {
  // The words of bl .+4 and of a bcl, behind a function, in an object in the text, and in a section that is not
  // executed.
  const Part part = sweep(Target::powerpc64le, R"(
    .globl plain
    .type plain, @function
plain:
    blr
    .long 0x48000005, 0x429f0009
    .size plain, .-plain
    .type table, @object
table:
    .long 0, 0x48000005
    .size table, .-table
    .data
    .long 0x48000005
)");
  CHECK(found(part) == "");
  CHECK(part.candidates->all() == 3);
  CHECK(part.candidates->unreached == 3);
  REQUIRE(part.remarks.size() == 1);
  CHECK(part.remarks[0] ==
        "on no path from a symbol: data, or code that only a jump leads to: plain+0x4, plain+0x8, table+0x4");
}

TEST_CASE("sweep_calls_to_other_objects_are_no_candidates") {
  // The branch has no displacement before it is linked.
  const Part part = sweep(Target::powerpc64le, R"(
    .globl caller
    .type caller, @function
caller:
    mflr 0
    bl elsewhere
    nop
    mtlr 0
    blr
    .size caller, .-caller
)");
  CHECK(found(part) == "");
  CHECK(part.candidates->all() == 0);
}

TEST_CASE("sweep_obeys_the_configuration") {
  CHECK(found(sweep(Target::powerpc64le, get_pc, "[rules]\nlink-stack-imbalance = \"off\"\n")) == "");
  CHECK(found(sweep(Target::powerpc64le, get_pc, "[rules]\nlink-stack-imbalance = \"error\"\n")) == "error:get_pc+0x4");
  const Part part = sweep(Target::powerpc64le, get_pc,
                          "[[suppress]]\nrule = \"link-stack-imbalance\"\nroutine = \"get_*\"\nreason = \"cold\"\n");
  CHECK(found(part) == "");
  CHECK(part.summary.suppressed == 1);
  CHECK(part.candidates->found == 1);
}

TEST_CASE("sweep_on_arm_gives_notes_and_leaves_thumb_alone") {
  const Part part = sweep(Target::arm, R"(
    .syntax unified
    .globl learn
    .type learn, %function
learn:
    mov r3, lr
    bl 1f
    .word 0
1:  mov r0, lr
    mov lr, r3
    bx lr
    .size learn, .-learn
    .thumb
    .globl small
    .thumb_func
small:
    bx lr
)");
  CHECK(found(part) == "note:learn+0x4");
  REQUIRE(part.remarks.size() == 1);
  CHECK(part.remarks[0] == "Thumb code was not swept");
}

TEST_CASE("sweep_says_where_it_does_not_apply") {
  const Part part = sweep(Target::loongarch64, ".globl f\n f:\n bl f\n jr $ra\n");
  CHECK(part.candidates->all() == 0);
  REQUIRE(part.remarks.size() == 1);
  CHECK(part.remarks[0].starts_with("link-stack-imbalance: not applicable: "));
}

}  // namespace trapline::test
