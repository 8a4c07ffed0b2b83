// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/baseline_file.h"
#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {
namespace {

// The instructions of budgets that are exceeded. Listings of all paths would take much memory; those of few routines
// are made when they are needed.
void list_instructions(ImageSet& images, const AnalyzeOptions& analyze, std::vector<BudgetReport>& budgets) {
  AnalyzeOptions listed = analyze;
  listed.entries.clear();
  for (const BudgetReport& b : budgets)
    if (b.exceeded() && std::find(listed.entries.begin(), listed.entries.end(), b.routine) == listed.entries.end())
      listed.entries.push_back(b.routine);
  if (listed.entries.empty()) return;
  listed.listing = true;
  const std::vector<PathsReport::ImagePart> parts = analyze_paths(images, listed);
  for (BudgetReport& b : budgets)
    for (const PathsReport::ImagePart& part : parts)
      for (const RoutineReport& routine : part.routines)
        for (const PathReport& path : routine.paths)
          if (b.exceeded() && b.instructions.empty() && routine.name == b.routine && path.label == b.label)
            b.instructions = counting(path.listing, b.count);
}

}  // namespace

int run_paths(const Options& options, const Console& console) {
  PathsReport report;
  const Config config = read_config(options, console);
  const std::optional<Baseline> baseline = read_baseline(options);
  AnalyzeOptions analyze = analyze_options(options, config);
  analyze.details = options.verbose || std::any_of(options.outputs.begin(), options.outputs.end(),
                                                   [](const OutputRequest& o) { return o.format == Format::json; });
  for_each_image(options, console, [&](ImageSet& images) {
    std::vector<PathsReport::ImagePart> parts = analyze_paths(images, analyze);
    BudgetCheck check = check_budgets(config, parts, !analyze.entries.empty(), baseline ? &*baseline : nullptr);
    list_instructions(images, analyze, check.budgets);
    print_unchecked(options, console, check);
    std::move(check.budgets.begin(), check.budgets.end(), std::back_inserter(report.budgets));
    std::move(parts.begin(), parts.end(), std::back_inserter(report.images));
  });
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return paths_json(report);
      case Format::csv:
        return paths_csv(report);
      case Format::markdown:
        return paths_markdown(report, text);
      default:
        return paths_text(report, text);
    }
  });
  if (options.write_baseline) move_baseline(*options.write_baseline, baseline_of(report), options.reason);
  return any_exceeded(report.budgets) ? 1 : 0;
}

}  // namespace trapline
