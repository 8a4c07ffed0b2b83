// SPDX-License-Identifier: Apache-2.0
#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

int run_cfg(const Options& options, const Console& console) {
  CfgReport report;
  const AnalyzeOptions analyze = analyze_options(options, read_config(options, console));
  for_each_image(options, console, [&](ImageSet& images) { report = analyze_cfg(images, analyze); });
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return cfg_json(report);
      case Format::dot:
        return cfg_dot(report);
      case Format::svg:
        return cfg_svg(report);
      default:
        return cfg_text(report, text);
    }
  });
  return 0;
}

}  // namespace trapline
