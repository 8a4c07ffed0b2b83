// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/baseline_file.h"
#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {
namespace {

// Suppressions that match nothing, of rules that this command alone applies: others may match in the other.
std::vector<std::string> unused_remarks(const Config& config, const FindingsReport& report) {
  std::vector<std::string> remarks;
  for (const Config::Suppression* suppression : unused(config, report)) {
    if (is_swept(suppression->rule)) continue;
    remarks.push_back(
        fmt::format("{}:{}: this suppression matches no finding; remove it", config.path, suppression->line));
  }
  return remarks;
}

using Analysis = std::vector<FindingsReport::ImagePart>(ImageSet& images, const AnalyzeOptions& options,
                                                        const Config& config);

int report_findings(const Options& options, const Console& console, Analysis* analysis) {
  const Config config = read_config(options, console);
  const AnalyzeOptions analyze = analyze_options(options, config);
  FindingsReport report;
  report.config = config.path;
  for_each_image(options, console, [&](ImageSet& images) {
    for (FindingsReport::ImagePart& part : analysis(images, analyze, config)) report.images.push_back(std::move(part));
  });
  // Neither single routines nor a sweep say anything of the findings of the others.
  if (analysis == analyze_lint && analyze.entries.empty()) report.remarks = unused_remarks(config, report);
  std::optional<Baseline> everything;  // what is accepted below, too
  if (options.write_baseline) everything = baseline_of(report);
  if (const std::optional<Baseline> baseline = read_baseline(options)) accept_known(report, *baseline);
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
  if (options.write_baseline) move_baseline(*options.write_baseline, *everything, options.reason);
  return has_findings(report, options.fail_on) ? 1 : 0;
}

}  // namespace

bool has_findings(const FindingsReport& report, Level least) {
  if (least == Level::none) return false;
  return std::any_of(report.images.begin(), report.images.end(), [&](const FindingsReport::ImagePart& part) {
    return std::any_of(part.findings.begin(), part.findings.end(),
                       [&](const FindingReport& finding) { return !finding.suppressed && finding.level >= least; });
  });
}

int run_lint(const Options& options, const Console& console) { return report_findings(options, console, analyze_lint); }

int run_sweep(const Options& options, const Console& console) {
  return report_findings(options, console, analyze_sweep);
}

}  // namespace trapline
