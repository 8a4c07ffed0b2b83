// SPDX-License-Identifier: Apache-2.0
//
// Findings for a pull request: one line each, the details folded.
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/findings.h"
#include "cli/format/formats.h"
#include "cli/format/markdown_parts.h"
#include "cli/format/path_rows.h"
#include "cli/layout.h"

namespace trapline {
namespace {

std::string steps_markdown(const FindingReport& finding, std::size_t most) {
  std::string text;
  const std::size_t count = finding.steps.size() <= most + 1 ? finding.steps.size() : most;
  std::size_t where_width = 0, text_width = 0;
  std::vector<std::pair<std::string, std::string>> columns;
  for (std::size_t i = 0; i < count; ++i) {
    const StepReport& step = finding.steps[i];
    columns.emplace_back(printable(place_text(step.where, step.address), false) + ":",
                         printable(one_line(step.text), false));
    where_width = std::max(where_width, display_width(columns.back().first));
    text_width = std::max(text_width, display_width(columns.back().second));
  }
  // Indented code has no fence that an instruction could end.
  for (std::size_t i = 0; i < count; ++i) {
    const std::string note = printable(one_line(finding.steps[i].note), false);
    const auto& [where, insn] = columns[i];
    text += fmt::format("    {:<{}}  {}", where, where_width, insn);
    if (!note.empty()) text += fmt::format("{:{}}  ; {}", "", text_width - display_width(insn), note);
    text += "\n";
  }
  if (count != finding.steps.size()) text += fmt::format("    ... and {} more\n", finding.steps.size() - count);
  return text;
}

}  // namespace

std::string finding_markdown(const FindingReport& finding, bool all) {
  std::string text = fmt::format("\n**{}** {}: {} [{}]\n\n", level_name(finding.level),
                                 code(place_text(finding.where, finding.address), false), escaped(finding.message),
                                 code(finding.rule, false));
  if (finding.location)
    text += fmt::format("{}\n\n", code(fmt::format("{}:{}", finding.location->file, finding.location->line), false));
  if (finding.suppressed) text += fmt::format("Accepted: {}\n\n", escaped(*finding.suppressed));
  text += "<details><summary>steps and fix</summary>\n";
  const std::size_t unlimited = std::string::npos - 1;
  if (!finding.steps.empty()) text += fmt::format("\n{}", steps_markdown(finding, all ? unlimited : shown_steps));
  const std::string further = further_routines(finding, all ? unlimited : shown_routines);
  if (!further.empty()) text += fmt::format("\nAlso on paths of {}\n", escaped(further));
  if (!finding.fix.empty()) text += fmt::format("\nFix: {}\n", escaped(finding.fix));
  return text + "\n</details>\n";
}

std::string findings_markdown(const FindingsReport& report, const TextOptions& options) {
  std::string text;
  for (const FindingsReport::ImagePart& part : report.images) {
    if (!text.empty()) text += "\n";
    text += head_markdown(part.head, options.verbose);
    text += fmt::format("\n{}; {}\n", escaped(counts_text(part.summary)), escaped(examined_text(part.summary)));
    std::string list;
    for (const std::string& item : summary_items(part, options.verbose)) list += fmt::format("- {}\n", escaped(item));
    if (!list.empty()) text += "\n" + list;
    for (const FindingReport* finding : findings_to_list(part, options.all))
      text += finding_markdown(*finding, options.all);
  }
  if (!report.remarks.empty()) text += "\n";
  for (const std::string& remark : report.remarks) text += fmt::format("- {}\n", escaped(remark));
  return text;
}

}  // namespace trapline
