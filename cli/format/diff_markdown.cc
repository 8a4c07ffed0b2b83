// SPDX-License-Identifier: Apache-2.0
//
// A comparison as a comment on a pull request: counts and a table, the details folded.
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/budgets.h"
#include "cli/format/diff_rows.h"
#include "cli/format/findings.h"
#include "cli/format/formats.h"
#include "cli/format/markdown_parts.h"
#include "cli/format/path_rows.h"
#include "cli/table.h"

namespace trapline {
namespace {

Table empty_table() {
  std::vector<Column> columns = {{"path", Align::left}, {"paths", Align::right}};
  for (const DiffColumn& column : diff_columns) {
    columns.push_back({std::string(column.header), Align::right});
    columns.push_back({"new", Align::right});
    columns.push_back({"+/-", Align::right});
  }
  return Table(std::move(columns));
}

std::string listing_markdown(const DiffRow& row, bool all) {
  if (row.path->listing.empty()) return {};
  std::string text = fmt::format("\n{}:\n\n", escaped(row.label));
  // Indented code has no fence that an instruction could end.
  for (const ShownDiffLine& shown : lines_to_show(row.path->listing, all)) {
    const ListingLine& line = shown.line->line;
    if (shown.gap != 0) text += "      ...\n";
    text += fmt::format("    {} {}", side_mark(shown.line->side), printable(one_line(line.text), false));
    if (!line.note.empty()) text += "  ; " + printable(one_line(line.note), false);
    text += "\n";
  }
  return text;
}

std::string routine_markdown(const RoutineDiff& routine, const TextOptions& options) {
  const bool one_sided = routine.status == DiffStatus::added || routine.status == DiffStatus::removed;
  std::string text = fmt::format("\n### {}\n", escaped(routine_text(routine)));
  if (one_sided && !options.all) return fmt::format("{}\n{}\n", text, one_sided_text(routine));
  const std::vector<DiffRow> rows = diff_rows(routine, rows_of(options));
  const std::size_t count = options.all ? rows.size() : std::min(rows.size(), shown_diff_rows);
  Table table = empty_table();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> cells = {escaped(rows[i].label), fmt::format("{}", rows[i].count)};
    for (const DiffColumn& column : diff_columns) {
      cells.push_back(count_text(rows[i].path->old_cost, column.value));
      cells.push_back(count_text(rows[i].path->new_cost, column.value));
      const std::string difference = difference_text(*rows[i].path, column.value);
      cells.push_back(difference == "0" ? difference : fmt::format("**{}**", difference));
    }
    table.add(std::move(cells));
  }
  if (!table.empty()) text += fmt::format("\n{}", table_text(table));
  std::size_t hidden = 0;
  for (std::size_t i = count; i < rows.size(); ++i) hidden += rows[i].count;
  if (hidden != 0) text += fmt::format("\n... and {} (--all lists every one)\n", counted(hidden, "more path"));
  if (const std::size_t left = unlisted_changes(routine, rows_of(options)); left != 0)
    text += fmt::format("\n{} of other instructions, at the same cost\n", counted(left, "path"));
  if (routine.bounded) text += "\nNot all paths were compared (--max-paths).\n";
  std::string listings;
  for (std::size_t i = 0; options.listing && i < count; ++i) listings += listing_markdown(rows[i], options.all);
  if (!listings.empty()) text += fmt::format("\n<details><summary>instructions</summary>\n{}\n</details>\n", listings);
  return text;
}

std::string findings_markdown(const FindingsDiff& findings, bool all) {
  std::string text;
  if (!findings.fresh.empty()) text += "\n### New findings\n";
  for (const FindingReport& f : findings.fresh) text += finding_markdown(f, all);
  if (findings.fixed.empty()) return text;
  text += "\n### Fixed findings\n\n";
  for (const FindingReport& f : findings.fixed)
    text += fmt::format("- {}: {} [{}]\n", code(place_text(f.where, f.address), false), escaped(f.message),
                        code(f.rule, false));
  return text;
}

std::string heading(const ImageDiff& image) {
  const auto name = [](const std::optional<ImageHead>& head) {
    return head ? fmt::format("{} ({})", code(head->path, false), escaped(head_text(*head, false))) : "no such image";
  };
  std::string text = fmt::format("## {} to {}\n", name(image.before), name(image.after));
  for (const std::optional<ImageHead>& head : {image.before, image.after})
    if (head && !head->variant_note.empty())
      text += fmt::format("\n{}: {}\n", code(head->path, false), escaped(head->variant_note));
  return text;
}

std::string image_markdown(const ImageDiff& image, const TextOptions& options) {
  std::string text = heading(image);
  text += fmt::format("\n- routines: {}\n- paths: {}\n- findings: {}\n", routine_counts_text(image),
                      path_counts_text(image), finding_counts_text(image.findings));
  std::string routines;
  std::size_t shown = 0;
  for (const RoutineDiff& routine : image.routines) {
    if (routine.status == DiffStatus::same && routine.renamed_from.empty() && !options.all) continue;
    routines.append(routine_markdown(routine, options));
    ++shown;
  }
  // A comment with many tables is folded.
  constexpr std::size_t unfolded = 3;
  if (shown > unfolded)
    text += fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", counted(shown, "routine"), routines);
  else
    text += routines;
  return text + findings_markdown(image.findings, options.all);
}

}  // namespace

std::string diff_markdown(const DiffReport& report, const TextOptions& options) {
  std::string text = image_markdown(report.main, options);
  for (const ImageDiff& image : report.embedded) text += fmt::format("\n{}", image_markdown(image, options));
  text += budgets_markdown(report.budgets);
  return text;
}

}  // namespace trapline
