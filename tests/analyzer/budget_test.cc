// SPDX-License-Identifier: Apache-2.0
//
// Budgets and baselines, on reports filled by hand.
#include "analyzer/budget.h"

#include <doctest/doctest.h>

#include <string>

#include "disasm/error.h"

namespace trapline::test {
namespace {

Cost cost(std::uint64_t instructions, std::uint64_t loads) {
  Cost c;
  c.instructions = instructions;
  c.loads = loads;
  return c;
}

PathsReport report(std::uint64_t loads) {
  PathReport full, partial;
  full.label = "user full #1";
  full.cost = cost(90, loads);
  partial.label = "user full #2";
  partial.cost = cost(95, loads + 5);
  RoutineReport routine;
  routine.name = "handle_syscall";
  routine.paths = {full, partial};
  PathsReport out;
  out.images.resize(1);
  out.images[0].head = {
      .path = "vmlinux", .kind = "vmlinux", .arch = "loongarch64", .build_id = {}, .variant_note = {}};
  out.images[0].routines = {routine};
  return out;
}

Config budget(const std::string& limit, const std::string& label = "user full #1",
              const std::string& routine = "handle_*") {
  return parse_config("[[budget]]\nroutine = \"" + routine + "\"\nlabel = \"" + label + "\"\nlimit = \"" + limit +
                          "\"\nreason = \"measured\"\n",
                      "trapline.toml");
}

BudgetCheck check(const Config& config, const PathsReport& paths, const Baseline* baseline = nullptr,
                  bool single = false) {
  return check_budgets(config, paths.images, single, baseline);
}

}  // namespace

TEST_CASE("budget_absolute_limit") {
  const BudgetCheck within = check(budget("loads <= 36"), report(36));
  REQUIRE(within.budgets.size() == 1);
  CHECK_FALSE(within.budgets[0].exceeded());
  const BudgetCheck over = check(budget("loads <= 36"), report(37));
  REQUIRE(over.budgets.size() == 1);
  CHECK(over.budgets[0].exceeded());
  CHECK(over.budgets[0].where == "trapline.toml:1");
  CHECK(over.budgets[0].routine == "handle_syscall");
  CHECK(over.budgets[0].limit == 36);
  CHECK(over.budgets[0].actual == 37);
  CHECK(over.budgets[0].reason == "measured");
}

TEST_CASE("budget_label_without_number_is_for_all_of_these_words") {
  const BudgetCheck both = check(budget("loads <= 36", "user full"), report(36));
  REQUIRE(both.budgets.size() == 2);
  CHECK_FALSE(both.budgets[0].exceeded());
  CHECK(both.budgets[1].exceeded());
}

TEST_CASE("budget_relative_to_a_baseline") {
  const Baseline baseline = baseline_of(report(30));
  CHECK_FALSE(check(budget("loads <= +0"), report(30), &baseline).budgets[0].exceeded());
  CHECK(check(budget("loads <= +0"), report(31), &baseline).budgets[0].exceeded());
  CHECK_FALSE(check(budget("loads <= +1"), report(31), &baseline).budgets[0].exceeded());
  const BudgetReport less = check(budget("loads <= -2"), report(29), &baseline).budgets[0];
  CHECK(less.exceeded());
  CHECK(less.limit == 28);
  CHECK(less.base == 30);
  const BudgetCheck without = check(budget("loads <= +0"), report(31));
  CHECK(without.budgets.empty());
  CHECK(without.unchecked.size() == 1);
}

TEST_CASE("budget_that_fits_nothing_is_an_error") {
  CHECK_THROWS_WITH_AS(check(budget("loads <= 1", "user partial"), report(1)),
                       doctest::Contains("no path of 'handle_*' is labelled 'user partial' any more; its labels are "
                                         "'user full #1', 'user full #2'"),
                       Error);
  CHECK_THROWS_WITH_AS(check(budget("loads <= 1", "user full", "gone"), report(1)),
                       doctest::Contains("there is no such routine"), Error);
  // Other routines were not asked for.
  CHECK(check(budget("loads <= 1", "user full", "gone"), report(1), nullptr, true).budgets.empty());
  Baseline baseline = baseline_of(report(1));
  baseline.images[0].routines->clear();
  CHECK_THROWS_WITH_AS(check(budget("loads <= +0"), report(1), &baseline),
                       doctest::Contains("the baseline has no path"), Error);
}

TEST_CASE("budget_of_another_architecture") {
  Config config = budget("loads <= 1", "user full", "gone");
  config.budgets[0].arch = "arm";
  CHECK(check(config, report(1)).budgets.empty());
}

TEST_CASE("budget_of_a_comparison_takes_the_old_build_as_baseline") {
  PathDiff path;
  path.old_label = "user full";
  path.new_label = "user partial";
  path.old_cost = cost(90, 30);
  path.new_cost = cost(91, 31);
  const auto line = [](const std::string& text, bool loads) {
    ListingLine l;
    l.text = text;
    l.loads = loads;
    return l;
  };
  path.listing = {{DiffLine::Side::both, line("ld.d $a0, $sp, 0", true)},
                  {DiffLine::Side::old_only, line("ld.d $a1, $sp, 0", true)},
                  {DiffLine::Side::new_only, line("ld.d $a2, $sp, 0", true)},
                  {DiffLine::Side::new_only, line("move $a2, $sp", false)}};
  DiffReport diff;
  diff.main.before = diff.main.after = report(0).images[0].head;
  diff.main.routines.resize(1);
  diff.main.routines[0].name = "handle_syscall";
  diff.main.routines[0].paths = {path};
  const BudgetCheck over = check_budgets(budget("loads <= +0", "user partial"), diff, false);
  REQUIRE(over.budgets.size() == 1);
  CHECK(over.budgets[0].exceeded());
  REQUIRE(over.budgets[0].instructions.size() == 1);
  CHECK(over.budgets[0].only_new);
  CHECK(over.budgets[0].instructions[0].text == "ld.d $a2, $sp, 0");
  CHECK(check_budgets(budget("loads <= 30", "user partial"), diff, false).budgets[0].instructions.size() == 2);
  diff.main.routines[0].paths[0].old_cost.reset();
  CHECK(check_budgets(budget("loads <= +0", "user partial"), diff, false).unchecked.size() == 1);
}

TEST_CASE("budget_in_trapline_toml") {
  const auto error = [](const std::string& body) {
    try {
      (void)parse_config("[[budget]]\n" + body, "t");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string who = "routine = \"f\"\nlabel = \"user full\"\n";
  CHECK(error(who + "limit = \"loads <= 3\"\n").find("t:1: this budget has no 'reason'") == 0);
  CHECK(error(who + "reason = \"r\"\n").find("t:1: this budget has no 'limit'") == 0);
  CHECK(error(who + "limit = \"loads < 3\"\nreason = \"r\"\n").find("t:4: 'loads < 3' is no limit") == 0);
  CHECK(error(who + "limit = \"loads <= x\"\nreason = \"r\"\n").find("t:4: 'loads <= x' is no limit") == 0);
  CHECK(error(who + "limit = \"lods <= 3\"\nreason = \"r\"\n").find("t:4: unknown count 'lods'") == 0);
  CHECK(error("label = \"user full\"\n").find("this budget has no 'routine'") != std::string::npos);

  const Config config = parse_config(
      "[[arch.arm.budget]]\n" + who + "limit = [\"loads <= 36\", \"stores <= +0\", \"nops <= -2\"]\nreason = \"r\"\n",
      "t");
  REQUIRE(config.budgets.size() == 1);
  CHECK(config.budgets[0].arch == "arm");
  REQUIRE(config.budgets[0].limits.size() == 3);
  CHECK_FALSE(config.budgets[0].limits[0].relative);
  CHECK(config.budgets[0].limits[1].relative);
  CHECK(config.budgets[0].limits[2].most == -2);
  const std::string printed = config_text(config);
  CHECK(printed.find("limit = [\"loads <= 36\", \"stores <= +0\", \"nops <= -2\"]\n") != std::string::npos);
  CHECK(config_text(parse_config(printed, "t")).find("[\"loads <= 36\"") != std::string::npos);
}

// ---- Baselines ----

TEST_CASE("baseline_is_moved_with_what_changed") {
  const Baseline before = baseline_of(report(30)), now = baseline_of(report(29));
  CHECK(changes(before, before).empty());
  const std::vector<std::string> what = changes(before, now);
  REQUIRE(what.size() == 2);
  CHECK(what[0] == "loongarch64 vmlinux: handle_syscall, user full #1: loads 30 -> 29");
  const Baseline after = moved(before, now, "a patch");
  REQUIRE(after.history.size() == 1);
  CHECK(after.history[0].reason == "a patch");
  CHECK(after.history[0].changes == what);
  CHECK(base_cost(after, report(0).images[0].head, "handle_syscall", "user full #1")->loads == 29);
  CHECK(moved(after, now, "").history.size() == 1);
  // Up again.
  CHECK(moved(after, before, "another").history.size() == 2);
}

TEST_CASE("baseline_accepts_what_it_knows") {
  FindingReport known;
  known.rule = "kernel-value-leak";
  known.where = "f+0x10";
  known.fingerprint = "1";
  known.data = {{"registers", {"t0", "t1"}}};
  FindingReport fresh = known;
  fresh.where = "g+0x10";
  fresh.fingerprint = "2";
  FindingsReport old_findings;
  old_findings.images.resize(1);
  old_findings.images[0].head = report(0).images[0].head;
  old_findings.images[0].findings = {known};
  Baseline baseline = baseline_of(old_findings);
  baseline.path = "old.json";
  FindingsReport now = old_findings;
  now.images[0].head.path = "/elsewhere/vmlinux";
  known.fingerprint = "3";  // of fewer registers
  known.data = {{"registers", {"t1"}}};
  now.images[0].findings = {fresh, known};
  accept_known(now, baseline);
  CHECK_FALSE(now.images[0].findings[0].suppressed);
  CHECK(now.images[0].findings[1].suppressed == "in the baseline old.json");
  CHECK(now.images[0].summary.warnings == 1);
  CHECK(now.images[0].summary.suppressed == 1);
}

}  // namespace trapline::test
