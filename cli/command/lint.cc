// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {
namespace {

// Whether a finding that is not accepted has the level of --fail-on or a worse one.
bool fails(const FindingsReport& report, Level fail_on) {
  if (fail_on == Level::none) return false;
  return std::any_of(report.images.begin(), report.images.end(), [&](const FindingsReport::ImagePart& part) {
    return std::any_of(part.findings.begin(), part.findings.end(),
                       [&](const FindingReport& finding) { return !finding.suppressed && finding.level >= fail_on; });
  });
}

}  // namespace

int run_lint(const Options& options, const Console& console) {
  const Config config = read_config(options, console);
  FindingsReport report;
  report.config = config.path;
  for_each_image(options, console, [&](ImageSet& images) {
    for (FindingsReport::ImagePart& part : analyze_lint(images, options.analyze, config))
      report.images.push_back(std::move(part));
  });
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return findings_json(report);
      case Format::csv:
        return findings_csv(report);
      case Format::markdown:
        return findings_markdown(report, text);
      default:
        return findings_text(report, text);
    }
  });
  return fails(report, options.fail_on) ? 1 : 0;
}

}  // namespace trapline
