// SPDX-License-Identifier: Apache-2.0
//
// Findings for people, in the shape of the kernel's own build messages:
//
//   vmlinux: warning: trapline: handle_syscall+0x20: message [rule]
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/findings.h"
#include "cli/format/formats.h"
#include "cli/format/listing.h"
#include "cli/format/path_rows.h"
#include "cli/format/text_parts.h"

namespace trapline {
namespace {

Style level_style(Level level) {
  switch (level) {
    case Level::error:
      return Style::error;
    case Level::warning:
      return Style::warning;
    default:
      return Style::heading;
  }
}

// "file:line:" is for editors and is never cut; the message goes on below where there is no room beside it.
void print_message(Page& page, const ImageHead& head, const FindingReport& finding) {
  const bool color = page.options().color;
  const std::string where = shown(place_text(finding.where, finding.address), page);
  const std::string file = finding.location
                               ? fmt::format("{}:{}:", shown(finding.location->file, page), finding.location->line)
                               : shown(head.path, page) + ":";
  const std::string level = fmt::format("{}:", level_name(finding.level));
  const std::string place = finding.location ? "" : fmt::format(" trapline: {}:", where);
  const std::size_t used = display_width(file) + 1 + level.size() + display_width(place) + 1;

  constexpr std::size_t hang = 2;
  constexpr std::size_t least_room = 12;  // columns beside the place that are worth a word
  const std::size_t width = page.options().width;
  const std::string message = fmt::format("{} [{}]", shown(finding.message, page), finding.rule);
  const bool beside = used + least_room <= width;
  std::vector<std::string> lines = wrap(message, beside ? width - used : width - hang, width - hang);
  if (!beside) lines.insert(lines.begin(), "");

  page.line(fmt::format("{} {}{} {}", paint(Style::heading, file, color),
                        paint(level_style(finding.level), level, color), place, lines.front()));
  for (std::size_t i = 1; i < lines.size(); ++i) page.line(fmt::format("{:{}}{}", "", hang, lines[i]));
  if (finding.location) page.paragraph(2, 4, fmt::format("in {}", where));
}

void print_steps(Page& page, const FindingReport& finding) {
  const std::size_t all = finding.steps.size();
  // One step more costs no more than saying so.
  const std::size_t count = page.options().all || all <= shown_steps + 1 ? all : shown_steps;
  std::vector<ListingLine> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const StepReport& step = finding.steps[i];
    lines.push_back({step.address, step.where, step.text, step.note});
  }
  print_listing(page, lines, symbol_of(finding.where), 4);
  if (count != all) page.line(fmt::format("    ... and {} (--all lists every one)", counted(all - count, "more step")));
}

}  // namespace

void print_finding(Page& page, const ImageHead& head, const FoldedFinding& folded) {
  const FindingReport& finding = *folded.finding;
  print_message(page, head, finding);
  print_steps(page, finding);
  const std::string further = further_routines(finding, page.options().all ? std::string::npos - 1 : shown_routines);
  if (!further.empty()) page.paragraph(2, 4, shown("also on paths of " + further, page));
  const std::string places = further_places(folded, shown_routines);
  if (!places.empty()) page.paragraph(2, 4, shown("the same at " + places, page));
  if (!finding.fix.empty()) page.paragraph(2, 7, shown("fix: " + finding.fix, page));
  if (finding.suppressed) page.paragraph(2, 4, shown("accepted: " + *finding.suppressed, page));
  if (!page.options().verbose) return;
  std::string identity = fmt::format("at {:#x}", finding.address);
  if (!finding.fingerprint.empty()) identity += ", fingerprint " + finding.fingerprint;
  page.paragraph(2, 4, shown(identity, page), Style::faint);
  for (const std::string& path : finding.paths) page.paragraph(2, 4, shown("path " + path, page), Style::faint);
}

namespace {

// With --all every finding stands for itself.
std::vector<FoldedFinding> to_print(const FindingsReport::ImagePart& part, bool all) {
  const std::vector<const FindingReport*> findings = findings_to_list(part, all);
  if (!all) return folded(findings);
  std::vector<FoldedFinding> each;
  for (const FindingReport* f : findings) each.push_back({f, {}});
  return each;
}

void print_summary(Page& page, const FindingsReport::ImagePart& part) {
  print_head(page, part.head);
  page.paragraph(2, 4, examined_text(part.summary));
  page.paragraph(2, 4, counts_text(part.summary));
  for (const std::string& item : summary_items(part, page.options().verbose)) page.paragraph(2, 4, shown(item, page));
}

}  // namespace

std::string findings_text(const FindingsReport& report, const TextOptions& options) {
  Page page(options);
  for (const FindingsReport::ImagePart& part : report.images) {
    for (const FoldedFinding& finding : to_print(part, options.all)) {
      page.blank();
      print_finding(page, part.head, finding);
    }
    print_summary(page, part);
  }
  if (!report.remarks.empty()) page.blank();
  for (const std::string& remark : report.remarks) page.paragraph(0, 2, shown(remark, page), Style::warning);
  return page.take();
}

}  // namespace trapline
