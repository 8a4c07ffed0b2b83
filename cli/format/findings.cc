// SPDX-License-Identifier: Apache-2.0
#include "cli/format/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/layout.h"

namespace trapline {

std::string examined_text(const FindingsReport::Summary& summary) {
  return fmt::format("{}, {} examined, {} refused, {} infeasible", counted(summary.routines, "routine"),
                     counted(summary.paths_examined, "path"), summary.paths_refused, summary.infeasible);
}

std::string counts_text(const FindingsReport::Summary& summary) {
  std::string text = fmt::format("{}, {}, {}", counted(summary.errors, "error"), counted(summary.warnings, "warning"),
                                 counted(summary.notes, "note"));
  if (summary.suppressed != 0) text += fmt::format(", {} accepted", summary.suppressed);
  return text;
}

std::string candidates_text(const FindingsReport::Candidates& c) {
  std::string text = counted(c.all(), "candidate");
  const std::pair<std::uint64_t, std::string_view> parts[] = {
      {c.found, "at fault"},    {c.exempt, "exempt"},         {c.flush, "deliberate flushes"}, {c.calls, "calls"},
      {c.balanced, "balanced"}, {c.undecided, "not decided"}, {c.unreached, "on no path"}};
  std::string_view separator = ": ";
  for (const auto& [count, what] : parts) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, what);
    separator = ", ";
  }
  return text;
}

std::vector<std::string> summary_items(const FindingsReport::ImagePart& part, bool verbose) {
  std::vector<std::string> items;
  if (part.candidates) items.push_back(candidates_text(*part.candidates));
  if (part.summary.either != 0) {
    items.push_back(fmt::format("on {} nothing decides whether the return goes to user mode or to the kernel",
                                counted(part.summary.either, "path")));
  }
  for (const std::string& layout : part.layouts) items.push_back("pt_regs: " + layout);
  if (!part.thread_flags.empty()) items.push_back("thread flags: " + part.thread_flags);
  if (verbose)
    for (const auto& [rule, reason] : part.not_applicable)
      items.push_back(fmt::format("{}: not applicable: {}", rule, reason));
  items.insert(items.end(), part.remarks.begin(), part.remarks.end());
  return items;
}

std::vector<const FindingReport*> findings_to_list(const FindingsReport::ImagePart& part, bool all) {
  std::vector<const FindingReport*> findings;
  for (const FindingReport& finding : part.findings) {
    if (all || !finding.suppressed) findings.push_back(&finding);
  }
  return findings;
}

std::vector<FoldedFinding> folded(const std::vector<const FindingReport*>& findings) {
  std::vector<FoldedFinding> out;
  for (const FindingReport* f : findings) {
    auto same = [f](const FoldedFinding& known) {
      const FindingReport& k = *known.finding;
      return f->level == Level::note && k.level == Level::note && k.rule == f->rule && k.message == f->message &&
             k.fix == f->fix && k.suppressed == f->suppressed;
    };
    if (auto it = std::find_if(out.begin(), out.end(), same); it != out.end())
      it->others.push_back(f);
    else
      out.push_back({f, {}});
  }
  return out;
}

namespace {

std::string first_of(const std::vector<std::string>& names, std::size_t most) {
  // "and 1 more" is no shorter than the name.
  const std::size_t count = names.size() <= most + 1 ? names.size() : most;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  return count == names.size() ? text : fmt::format("{} and {} more", text, names.size() - count);
}

}  // namespace

std::string further_routines(const FindingReport& finding, std::size_t most) {
  std::vector<std::string> names = finding.routines;
  std::erase(names, finding.routine);
  return first_of(names, most);
}

std::string further_places(const FoldedFinding& finding, std::size_t most) {
  std::vector<std::string> places;
  for (const FindingReport* f : finding.others) places.push_back(f->where);
  return first_of(places, most);
}

}  // namespace trapline
