// SPDX-License-Identifier: Apache-2.0
#include "cli/format/cross_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/format/path_rows.h"
#include "cli/layout.h"

namespace trapline {
namespace {

using Difference = CrossCheckReport::Difference;
using View = CrossCheckReport::View;

// "Capstone", of "Capstone 4.0.2".
std::string name_of(const CrossCheckReport& report) { return report.decoder.substr(0, report.decoder.find(' ')); }

std::string opinion(const std::optional<View>& view, const std::string& kind) {
  if (!view) return "does not know it";
  std::string text = fmt::format("'{}'", view->text);
  if (kind == "size") text += fmt::format(" of {}", counted(view->size, "byte"));
  if (kind == "flow") text += fmt::format(", {}{}", view->conditional ? "conditional " : "", view->flow);
  if (kind != "target") return text;
  return fmt::format("{} to {}", text, view->target ? place_text(view->target_symbol, *view->target) : "nowhere");
}

std::string opinions(const CrossCheckReport& report, const Difference& d) {
  return fmt::format("{}: trapline {}, {} {}", place_text(d.where, d.address), opinion(d.ours, d.kind), name_of(report),
                     opinion(d.theirs, d.kind));
}

std::string class_item(const CrossCheckReport& report, const Difference& first) {
  const auto same = [&](const Difference& d) { return d.explained == first.explained; };
  const auto count = std::count_if(report.differences.begin(), report.differences.end(), same);
  const std::string right = first.right == "both" ? "both are right" : fmt::format("{} is right", first.right);
  const std::string where = count == 1 ? "At" : fmt::format("In {} places, first", count);
  return fmt::format("{} ({}): {} {} {}", first.explained, right, first.reason, where, opinions(report, first));
}

}  // namespace

std::string cross_check_summary(const CrossCheckReport& report) {
  if (!report.known) return fmt::format("{} does not know this architecture; nothing was compared", report.decoder);
  const std::string compared = counted(report.instructions, "instruction");
  if (report.differences.empty()) return fmt::format("{}: {} compared, all agree", report.decoder, compared);
  return fmt::format("{}: {} compared, {} differ", report.decoder, compared, report.differences.size());
}

std::vector<std::string> cross_check_items(const CrossCheckReport& report, bool all) {
  std::vector<std::string> items;
  std::vector<std::string> seen;
  for (const Difference& d : report.differences) {
    if (all || d.explained.empty() || std::find(seen.begin(), seen.end(), d.explained) != seen.end()) continue;
    seen.push_back(d.explained);
    items.push_back(class_item(report, d));
  }
  std::size_t listed = 0;
  for (const Difference& d : report.differences) {
    if (!all && !d.explained.empty()) continue;
    if (!all && ++listed > shown_rows) continue;
    items.push_back(fmt::format("{} ({})", opinions(report, d), d.explained.empty() ? "not explained" : d.explained));
  }
  if (listed > shown_rows) items.push_back(fmt::format("... and {} more (--all lists every one)", listed - shown_rows));
  return items;
}

}  // namespace trapline
