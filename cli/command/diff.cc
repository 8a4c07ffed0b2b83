// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff.h"

#include <vector>

#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

int run_diff(const Options& options, const Console& console) {
  const Config config = read_config(options, console);
  const AnalyzeOptions analyze = analyze_options(options, config);
  std::vector<DiffSide> sides;
  for_each_image(options, console, [&](ImageSet& images) { sides.push_back(analyze_side(images, analyze, config)); });
  const DiffReport report = compare(sides[0], sides[1]);
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
  return report.has_new_findings(options.fail_on) ? 1 : 0;
}

}  // namespace trapline
