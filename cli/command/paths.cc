// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

int run_paths(const Options& options, const Console& console) {
  PathsReport report;
  AnalyzeOptions analyze = analyze_options(options, read_config(options, console));
  analyze.details = options.verbose || std::any_of(options.outputs.begin(), options.outputs.end(),
                                                   [](const OutputRequest& o) { return o.format == Format::json; });
  for_each_image(options, console, [&](ImageSet& images) {
    for (PathsReport::ImagePart& part : analyze_paths(images, analyze)) report.images.push_back(std::move(part));
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
  return 0;
}

}  // namespace trapline
