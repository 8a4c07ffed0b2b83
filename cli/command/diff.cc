// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/image_set.h"
#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

namespace {

using Builds = std::vector<std::unique_ptr<ImageSet>>;  // old, new

// The instructions of budgets that are exceeded. Listings of all paths would take much memory; those of few routines
// are made when they are needed.
void list_instructions(const Builds& builds, const DiffReport& report, const AnalyzeOptions& analyze,
                       const Config& config, std::vector<BudgetReport>& budgets) {
  AnalyzeOptions listed = analyze;
  listed.entries.clear();
  Config exceeded = config;
  std::erase_if(exceeded.budgets, [&](const Config::Budget& budget) {
    return std::none_of(budgets.begin(), budgets.end(),
                        [&](const BudgetReport& b) { return b.exceeded() && b.where == budget_place(config, budget); });
  });
  for (const BudgetReport& b : budgets) {
    if (!b.exceeded()) continue;
    listed.entries.push_back(b.routine);
    for (const ImageDiff* image : report.images())
      for (const RoutineDiff& routine : image->routines)
        if (routine.name == b.routine && !routine.renamed_from.empty()) listed.entries.push_back(routine.renamed_from);
  }
  if (listed.entries.empty()) return;
  std::sort(listed.entries.begin(), listed.entries.end());
  listed.entries.erase(std::unique(listed.entries.begin(), listed.entries.end()), listed.entries.end());
  listed.listing = true;
  const DiffSide before = analyze_side(*builds[0], listed, config);
  const DiffSide after = analyze_side(*builds[1], listed, config);
  const BudgetCheck again = check_budgets(exceeded, compare(before, after), true);
  for (BudgetReport& b : budgets)
    for (const BudgetReport& with : again.budgets)
      if (b.exceeded() && std::tie(b.where, b.routine, b.label, b.count, b.limit, b.actual) ==
                              std::tie(with.where, with.routine, with.label, with.count, with.limit, with.actual))
        b.instructions = with.instructions;
}

}  // namespace

int run_diff(const Options& options, const Console& console) {
  const Config config = read_config(options, console);
  const AnalyzeOptions analyze = analyze_options(options, config);
  Builds builds;
  std::vector<DiffSide> sides;
  for_each_image(options, console, [&](ImageSet& images) {
    builds.push_back(std::make_unique<ImageSet>(std::move(images)));
    sides.push_back(analyze_side(*builds.back(), analyze, config));
  });
  DiffReport report = compare(sides[0], sides[1]);
  BudgetCheck check = check_budgets(config, report, !analyze.entries.empty());
  if (!analyze.listing) list_instructions(builds, report, analyze, config, check.budgets);
  print_unchecked(options, console, check);
  report.budgets = std::move(check.budgets);
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return diff_json(report);
      case Format::csv:
        return diff_csv(report);
      case Format::markdown:
        return diff_markdown(report, text);
      default:
        return diff_text(report, text);
    }
  });
  return report.has_new_findings(options.fail_on) || any_exceeded(report.budgets) ? 1 : 0;
}

}  // namespace trapline
