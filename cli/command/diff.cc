// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff.h"

#include <vector>

#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

int run_diff(const Options& options, const Console& console) {
  const Config config = read_config(options, console);
  AnalyzeOptions analyze = analyze_options(options, config);
  analyze.listing = analyze.listing || !config.budgets.empty();  // which instructions exceed a budget
  std::vector<DiffSide> sides;
  for_each_image(options, console, [&](ImageSet& images) { sides.push_back(analyze_side(images, analyze, config)); });
  DiffReport report = compare(sides[0], sides[1]);
  BudgetCheck check = check_budgets(config, report, !analyze.entries.empty());
  print_unchecked(options, console, check);
  report.budgets = std::move(check.budgets);
  if (!options.analyze.listing) report.drop_listings();
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
