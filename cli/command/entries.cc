// SPDX-License-Identifier: Apache-2.0
#include "cli/command/command.h"
#include "cli/format/formats.h"

namespace trapline {

int run_entries(const Options& options, const Console& console) {
  EntriesReport report;
  const AnalyzeOptions analyze = analyze_options(options, read_config(options, console));
  for_each_image(options, console, [&](ImageSet& images) {
    for (EntriesReport::ImagePart& part : analyze_entries(images, analyze)) report.images.push_back(std::move(part));
  });
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return entries_json(report);
      case Format::csv:
        return entries_csv(report);
      case Format::markdown:
        return entries_markdown(report);
      default:
        return entries_text(report, text);
    }
  });
  return 0;
}

}  // namespace trapline
