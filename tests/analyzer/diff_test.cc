// SPDX-License-Identifier: Apache-2.0
//
// Which routine and path of one build is which of another. Costs are counted by hand in the assembly text.
#include "analyzer/diff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "../cfg/assemble.h"
#include "analyzer/path_match.h"
#include "disasm/error.h"

namespace trapline::test {
namespace {

std::vector<RoutineReport> routines(const std::string& text, const std::string& entry, bool listing = false,
                                    Target target = Target::loongarch64) {
  const auto image = assemble(target, text);
  AnalyzeOptions options;
  options.entries = {entry};
  options.shapes = true;
  options.listing = listing;
  return analyze_paths(*image, options).routines;
}

// The routine `f` of two assembly texts.
RoutineDiff diff(const std::string& before, const std::string& after, bool listing = false) {
  const std::vector<RoutineReport> a = routines(before, "f", listing), b = routines(after, "f", listing);
  REQUIRE(a.size() == 1);
  REQUIRE(b.size() == 1);
  return compare_routines(&a.front(), &b.front());
}

std::size_t count(const RoutineDiff& d, DiffStatus status) {
  return static_cast<std::size_t>(
      std::count_if(d.paths.begin(), d.paths.end(), [&](const PathDiff& p) { return p.status == status; }));
}

// Instructions more on each path, in the order of the report.
std::vector<std::int64_t> deltas(const RoutineDiff& d) {
  std::vector<std::int64_t> out;
  for (const PathDiff& p : d.paths)
    if (p.old_cost && p.new_cost) out.push_back(difference(p.old_cost->instructions, p.new_cost->instructions));
  return out;
}

const std::string head = ".globl f\n.type f, @function\nf:\n";
// Two paths: a0 is 0, or it is not.
const std::string two_ways = head + R"(
    ld.d   $t0, $a1, 0
    beqz   $a0, 1f
    bl     g
    st.d   $t0, $a1, 8
    ertn
1:  ertn
)";

}  // namespace

TEST_CASE("diff_equal_code_elsewhere_is_the_same") {
  const RoutineDiff here = diff(two_ways, two_ways);
  CHECK(here.status == DiffStatus::same);
  CHECK(count(here, DiffStatus::same) == 2);
  const std::string other = ".globl other\n.type other, @function\nother: nop\nnop\nnop\nret\n";
  const RoutineDiff moved = diff(two_ways, other + two_ways);
  CHECK(moved.status == DiffStatus::same);
  CHECK(count(moved, DiffStatus::same) == 2);
}

TEST_CASE("diff_moved_block_and_inverted_branch_keep_the_match") {
  // The same two ways out, the other one first, and the branch turned.
  const RoutineDiff d = diff(two_ways, head + R"(
    ld.d   $t0, $a1, 0
    bnez   $a0, 1f
    ertn
1:  bl     g
    st.d   $t0, $a1, 8
    ertn
)");
  CHECK(count(d, DiffStatus::changed) == 2);
  CHECK(deltas(d) == std::vector<std::int64_t>{0, 0});
  for (const PathDiff& p : d.paths) CHECK(p.old_cost->stores == p.new_cost->stores);
}

TEST_CASE("diff_inserted_load") {
  const RoutineDiff d = diff(two_ways, head + R"(
    ld.d   $t0, $a1, 0
    beqz   $a0, 1f
    bl     g
    ld.d   $t1, $a1, 16
    st.d   $t0, $a1, 8
    ertn
1:  ertn
)");
  REQUIRE(d.paths.size() == 2);
  CHECK(d.status == DiffStatus::changed);
  CHECK(count(d, DiffStatus::same) == 1);
  for (const PathDiff& p : d.paths) {
    const bool calls = p.new_cost->calls == 1;
    CHECK(difference(p.old_cost->loads, p.new_cost->loads) == (calls ? 1 : 0));
    CHECK(p.status == (calls ? DiffStatus::changed : DiffStatus::same));
  }
}

TEST_CASE("diff_branch_in_front_splits_the_paths") {
  const RoutineDiff d = diff(two_ways, head + R"(
    bnez   $a2, 2f
    ld.d   $t0, $a1, 0
    beqz   $a0, 1f
    bl     g
    st.d   $t0, $a1, 8
    ertn
1:  ertn
2:  ld.d   $t0, $a1, 0
    beqz   $a0, 1b
    bl     g
    ertn
)");
  REQUIRE(d.paths.size() == 4);
  CHECK(count(d, DiffStatus::changed) == 4);
  std::size_t split = 0;
  for (const PathDiff& p : d.paths) {
    CHECK(p.old_cost->calls == p.new_cost->calls);  // with the one that calls, and that which does not
    if (p.relation == PathDiff::Relation::split) ++split;
  }
  CHECK(split == 2);
  // The reverse merges them.
  const RoutineDiff back = diff(head + R"(
    bnez   $a2, 2f
    ertn
2:  ertn
)",
                                head + "ertn\n");
  REQUIRE(back.paths.size() == 2);
  CHECK(count(back, DiffStatus::changed) == 2);
  CHECK(deltas(back) == std::vector<std::int64_t>{-1, -1});
  CHECK(std::count_if(back.paths.begin(), back.paths.end(),
                      [](const PathDiff& p) { return p.relation == PathDiff::Relation::merged; }) == 1);
}

TEST_CASE("diff_same_value_tested_for_something_else") {
  const auto text = [](const std::string& test) {
    return head + "ld.d $t0, $a1, 0\nandi $t1, $t0, " + test + "\nbeqz $t1, 1f\nst.d $t0, $a1, 8\n1: ertn\n";
  };
  const RoutineDiff d = diff(text("4"), text("8"));
  CHECK(count(d, DiffStatus::changed) == 2);
  for (const PathDiff& p : d.paths) CHECK(p.old_cost->stores == p.new_cost->stores);
}

TEST_CASE("diff_call_of_another_function") {
  const auto text = [](const std::string& callee) {
    return head + "beqz $a0, 1f\nbl " + callee + "\nst.d $t0, $a1, 8\n1: ertn\n";
  };
  const RoutineDiff d = diff(text("g"), text("h"));
  CHECK(count(d, DiffStatus::same) == 1);
  CHECK(count(d, DiffStatus::changed) == 1);
}

TEST_CASE("diff_another_end_is_another_path") {
  const RoutineDiff d = diff(head + "beqz $a0, 1f\nertn\n1: ertn\n", head + "beqz $a0, 1f\nertn\n1: break 0\n");
  CHECK(count(d, DiffStatus::same) == 1);
  CHECK(count(d, DiffStatus::added) == 1);
  CHECK(count(d, DiffStatus::removed) == 1);
}

TEST_CASE("diff_listing_is_aligned") {
  const RoutineDiff d = diff(head + "ld.d $t0, $a1, 0\nld.d $t1, $a1, 8\nst.d $t0, $a1, 16\nertn\n",
                             head + "ld.d $t0, $a1, 0\nst.d $t0, $a1, 16\nst.d $zero, $a1, 24\nertn\n", true);
  REQUIRE(d.paths.size() == 1);
  std::string said;
  for (const DiffLine& line : d.paths.front().listing) {
    said += line.side == DiffLine::Side::both ? "  " : line.side == DiffLine::Side::old_only ? "- " : "+ ";
    said += line.line.text + "\n";
  }
  CHECK(said ==
        "  ld.d $t0, $a1, 0\n"
        "- ld.d $t1, $a1, 8\n"
        "  st.d $t0, $a1, 16\n"
        "+ st.d $zero, $a1, 24\n"
        "  ertn\n");
}

// ---- Routines of a whole image ----

namespace {

DiffSide side(const std::string& text, const std::string& entries, Target target = Target::loongarch64) {
  const auto image = assemble(target, text);
  AnalyzeOptions options;
  options.entries = {entries};
  options.shapes = true;
  DiffSide out;
  out.paths = {analyze_paths(*image, options)};
  out.head = out.paths.front().head;
  out.findings.resize(1);
  return out;
}

// f calls g, and h stores.
std::string function(const std::string& name, const std::string& body) {
  return ".globl " + name + "\n.type " + name + ", @function\n" + name + ":\n" + body;
}
const std::string calls_g = "ld.d $t0, $a1, 0\nbl g\nld.d $t0, $a1, 8\nertn\n";
const std::string stores = "st.d $t0, $a1, 0\nbeqz $a0, 1f\nertn\n1: ertn\n";

const RoutineDiff& named(const DiffReport& report, const std::string& name) {
  const auto it = std::find_if(report.main.routines.begin(), report.main.routines.end(),
                               [&](const RoutineDiff& r) { return r.name == name; });
  REQUIRE(it != report.main.routines.end());
  return *it;
}

}  // namespace

TEST_CASE("diff_functions_in_another_order_are_the_same") {
  const DiffReport report = compare(side(function("f1", calls_g) + function("f2", stores), "f?"),
                                    side(function("f2", stores) + function("f1", calls_g), "f?"));
  CHECK(report.main.routines.size() == 2);
  CHECK(count_routines(report.main).same == 2);
  CHECK(count_paths(report.main).same == 3);
}

TEST_CASE("diff_renamed_removed_and_added_routines") {
  const std::string before = function("f1", calls_g) + function("f2", stores) + function("f3", "ertn\n");
  const DiffReport report = compare(side(before, "f*"), side(function("f9", calls_g) + function("f2", stores), "f*"));
  CHECK(named(report, "f2").status == DiffStatus::same);
  CHECK(named(report, "f9").renamed_from == "f1");
  CHECK(named(report, "f9").status == DiffStatus::same);
  CHECK(named(report, "f3").status == DiffStatus::removed);
  CHECK(report.main.routines.back().name == "f3");

  // Built alike, and not the same code: nobody can be sure.
  const std::string longer = "nop\nst.d $t0, $a1, 0\nbeqz $a0, 1f\nertn\n1: ertn\n";
  const DiffReport unsure = compare(side(function("f2", stores), "f*"), side(function("f7", longer), "f*"));
  CHECK(named(unsure, "f7").status == DiffStatus::added);
  CHECK(named(unsure, "f7").renamed_from == "f2");
  CHECK(named(unsure, "f2").status == DiffStatus::removed);
}

TEST_CASE("diff_alias_is_a_name") {
  const DiffReport report =
      compare(side(function("f1", stores), "f1"), side(".globl f0\nf0:\n" + function("f1", stores), "f1"));
  REQUIRE(report.main.routines.size() == 1);
  CHECK(report.main.routines.front().status == DiffStatus::same);
  CHECK(report.main.routines.front().renamed_from.empty());
}

TEST_CASE("diff_of_two_architectures_is_refused") {
  CHECK_THROWS_WITH_AS(compare(side("f: ertn\n", "f"), side("f: blr\n", "f", Target::powerpc64le)),
                       doctest::Contains("compare two builds for one architecture"), Error);
}

// ---- Addresses in instructions ----

TEST_CASE("diff_literals_count_by_what_they_say") {
  const auto text = [](const std::string& between, const std::string& literal) {
    return ".syntax unified\n.arm\n.globl f\n.type f, %function\nf:\nldr r0, 1f\nstr r0, [r1]\nmovs pc, lr\n" +
           between + "1: .word " + literal + "\n";
  };
  const auto status = [&](const std::string& before, const std::string& after) {
    const auto a = routines(before, "f", false, Target::arm), b = routines(after, "f", false, Target::arm);
    return compare_routines(&a.front(), &b.front()).status;
  };
  CHECK(status(text("", "0x12345678"), text(".word 0\n.word 0\n", "0x12345678")) == DiffStatus::same);
  CHECK(status(text("", "0x12345678"), text("", "0x12345679")) == DiffStatus::changed);
}

TEST_CASE("diff_two_names_of_one_address") {
  // The order of two names in the symbol table is no difference; the variable's is the one that counts.
  const auto text = [](const std::string& labels) {
    return ".syntax unified\n.arm\n.globl f\n.type f, %function\nf:\nldr r0, 1f\nmovs pc, lr\n1: .word "
           "variable\n.data\n" +
           std::string(".fill 4096\n.type variable, %object\n") + labels + ".word 0\n.size variable, 4\n";
  };
  const auto a = routines(text(".globl begin\nbegin:\n.globl variable\nvariable:\n"), "f", false, Target::arm);
  const auto b =
      routines(text(".globl variable\nvariable:\n.globl other_begin\nother_begin:\n"), "f", false, Target::arm);
  CHECK(compare_routines(&a.front(), &b.front()).status == DiffStatus::same);
}

TEST_CASE("diff_distance_of_the_branch_that_asks_where_it_is") {
  const auto text = [](const std::string& distance) {
    return ".globl f\n.type f, @function\nf:\nmflr 12\nbcl 20, 31, .+" + distance +
           "\n.long 0x60000000\nmflr 3\nmtlr 12\nblr\n";
  };
  const auto a = routines(text("8"), "f", false, Target::powerpc64le);
  const auto b = routines(text("4"), "f", false, Target::powerpc64le);
  CHECK(compare_routines(&a.front(), &a.front()).status == DiffStatus::same);
  CHECK(compare_routines(&a.front(), &b.front()).status == DiffStatus::changed);
}

// ---- Findings ----

namespace {

FindingReport finding(const std::string& print, const std::vector<std::string>& registers = {"t0"}) {
  FindingReport f;
  f.rule = "kernel-value-leak";
  f.routine = "f";
  f.where = "f+0x20";
  f.fingerprint = print;
  f.data = {{"registers", registers}};
  return f;
}

}  // namespace

TEST_CASE("diff_findings_by_fingerprint") {
  FindingReport elsewhere = finding("b");
  elsewhere.where = "g+0x4";
  const FindingsDiff d = compare_findings({finding("a"), elsewhere}, {finding("a"), finding("a")});
  CHECK(d.unchanged == 1);
  CHECK(d.fixed.size() == 1);
  CHECK(d.fresh.size() == 1);  // the same twice is one more
}

TEST_CASE("diff_finding_that_holds_for_less_is_not_new") {
  const FindingsDiff less = compare_findings({finding("a", {"t0", "t1"})}, {finding("b", {"t1"})});
  CHECK(less.unchanged == 1);
  CHECK(less.fresh.empty());
  CHECK(less.fixed.empty());
  const FindingsDiff more = compare_findings({finding("a", {"t0"})}, {finding("b", {"t0", "t1"})});
  CHECK(more.unchanged == 0);
  CHECK(more.fresh.size() == 1);
  CHECK(more.fixed.size() == 1);
}

TEST_CASE("diff_accepted_findings_do_not_count") {
  FindingReport accepted = finding("a");
  accepted.suppressed = "known";
  CHECK(compare_findings({}, {accepted}).fresh.empty());
  CHECK(compare_findings({accepted}, {}).fixed.empty());
  DiffReport report;
  report.main.findings = compare_findings({}, {finding("a")});
  CHECK(report.has_new_findings(Level::warning));
  CHECK_FALSE(report.has_new_findings(Level::error));
  CHECK_FALSE(report.has_new_findings(Level::none));
}

// ---- Longest common subsequence ----

TEST_CASE("diff_common_length_against_the_definition") {
  // The textbook's table, for random sequences on both sides of the word size.
  std::mt19937 random(7);
  for (const std::size_t size : {0, 1, 5, 63, 64, 65, 130}) {
    std::vector<std::uint64_t> a(size), b(size + 3);
    for (auto* list : {&a, &b})
      for (std::uint64_t& element : *list) element = random() % 5;
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t k = 1; k <= b.size(); ++k)
        table[i][k] = a[i - 1] == b[k - 1] ? table[i - 1][k - 1] + 1 : std::max(table[i - 1][k], table[i][k - 1]);
    CHECK(CommonLength(a).with(b) == table[a.size()][b.size()]);
  }
}

}  // namespace trapline::test
