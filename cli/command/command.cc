// SPDX-License-Identifier: Apache-2.0
#include "cli/command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/baseline_file.h"
#include "cli/output.h"

namespace trapline {

AnalyzeOptions analyze_options(const Options& options, const Config& config) {
  AnalyzeOptions analyze = options.analyze;
  analyze.entry_rules = config.entries;
  return analyze;
}

std::optional<Baseline> read_baseline(const Options& options) {
  return options.baseline ? std::optional(read_baseline(*options.baseline)) : std::nullopt;
}

void print_unchecked(const Options& options, const Console& console, const BudgetCheck& check) {
  if (options.quiet) return;
  for (const std::string& note : check.unchecked)
    write_descriptor(console.err, fmt::format("trapline: {}\n", printable(one_line(note), true)), "standard error");
}

bool any_exceeded(const std::vector<BudgetReport>& budgets) {
  return std::any_of(budgets.begin(), budgets.end(), [](const BudgetReport& b) { return b.exceeded(); });
}

void for_each_image(const Options& options, const Console& console, const std::function<void(ImageSet&)>& analyze) {
  Progress progress(console, options.quiet);
  const std::size_t count = options.images.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& path = options.images[i];
    const std::string of = count > 1 ? fmt::format(" ({} of {})", i + 1, count) : std::string();
    progress.show(fmt::format("reading{} {}", of, path));
    ImageSet images(path);
    progress.show(fmt::format("analysing{} {}", of, path));
    analyze(images);
  }
}

void write_reports(const Options& options, const Console& console,
                   const std::function<std::string(Format, const TextOptions&)>& render) {
  std::vector<std::string> texts;
  for (const OutputRequest& output : options.outputs) {
    texts.push_back(render(output.format, text_options(console, options, output)));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (options.outputs[i].file != "-") write_output(options.outputs[i].file, texts[i]);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (options.outputs[i].file == "-") write_descriptor(console.out, texts[i], "standard output");
  }
}

}  // namespace trapline
