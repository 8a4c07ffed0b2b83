// SPDX-License-Identifier: Apache-2.0
//
// A comparison for people, in the shape of the kernel's bloat-o-meter: counts first, then a row for each path that
// changed, with the sign on every difference.
#include <fmt/format.h>

#include <algorithm>

#include "cli/format/budgets.h"
#include "cli/format/diff_rows.h"
#include "cli/format/findings.h"
#include "cli/format/formats.h"
#include "cli/format/listing.h"
#include "cli/format/path_rows.h"
#include "cli/format/text_parts.h"

namespace trapline {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t group_gap = 2;    // blanks in front of the three columns of a count
constexpr std::size_t column_gap = 1;   // ... and of each of them
constexpr std::size_t least_label = 8;  // columns for "path"

bool is_one_sided(const RoutineDiff& routine) {
  return routine.status == DiffStatus::added || routine.status == DiffStatus::removed;
}

// Of a routine that only one build has the table shows nothing: a line says it all.
std::vector<DiffRow> table_rows(const RoutineDiff& routine, const TextOptions& options) {
  return is_one_sided(routine) && !options.all ? std::vector<DiffRow>() : diff_rows(routine, rows_of(options));
}

// The columns of numbers, all of one width in one image, so that routines can be compared by eye.
class Columns {
 public:
  Columns(const ImageDiff& image, const TextOptions& options) {
    for (const RoutineDiff& routine : image.routines)
      for (const DiffRow& row : table_rows(routine, options)) {
        any_ = true;
        label_ = std::max(label_, display_width(printable(row.label, options.ascii)));
        shared_ = shared_ || row.count > 1;
        if (row.count > 1) paths_ = std::max(paths_, fmt::format("{}", row.count).size());
        for (std::size_t i = 0; i < diff_columns.size(); ++i) {
          std::uint64_t Cost::* const value = diff_columns[i].value;
          counts_[i] = std::max(
              {counts_[i], count_text(row.path->old_cost, value).size(), count_text(row.path->new_cost, value).size()});
          differences_[i] = std::max(differences_[i], difference_text(*row.path, value).size());
        }
      }
    std::size_t numbers = shared_ ? group_gap + paths_ : 0;
    for (std::size_t i = 0; i < diff_columns.size(); ++i)
      numbers += group_gap + 2 * counts_[i] + differences_[i] + 2 * column_gap;
    const std::size_t room = options.width - std::min(options.width, indent + numbers);
    label_ = std::clamp(label_, least_label, std::max(room, least_label));
  }

  bool any() const { return any_; }

  void print_header(Page& page) const {
    std::string groups(indent + label_ + (shared_ ? group_gap + paths_ : 0), ' ');
    std::string names = fmt::format("{:{}}{:<{}}", "", indent, "path", label_);
    if (shared_) names += fmt::format("{:>{}}", "paths", group_gap + paths_);
    for (std::size_t i = 0; i < diff_columns.size(); ++i) {
      const std::size_t width = 2 * counts_[i] + differences_[i] + 2 * column_gap;
      groups += fmt::format("{:{}}{:^{}}", "", group_gap, diff_columns[i].header, width);
      names += fmt::format("{:>{}}{:>{}}{:>{}}", "old", group_gap + counts_[i], "new", column_gap + counts_[i], "+/-",
                           column_gap + differences_[i]);
    }
    page.line(paint(Style::header, groups.substr(0, groups.find_last_not_of(' ') + 1), page.options().color));
    page.line(paint(Style::header, names, page.options().color));
  }

  void print(Page& page, const DiffRow& row) const {
    const std::string label = printable(row.label, page.options().ascii);
    const bool fits = display_width(label) <= label_;
    if (!fits) page.paragraph(indent, indent + 2, label);
    std::string line = fmt::format("{:{}}{}", "", indent, fits ? label : "");
    line += std::string(indent + label_ - (indent + (fits ? display_width(label) : 0)), ' ');
    if (shared_) line += fmt::format("{:>{}}", row.count, group_gap + paths_);
    for (std::size_t i = 0; i < diff_columns.size(); ++i) {
      std::uint64_t Cost::* const value = diff_columns[i].value;
      line += fmt::format("{:>{}}{:>{}}{:>{}}", count_text(row.path->old_cost, value), group_gap + counts_[i],
                          count_text(row.path->new_cost, value), column_gap + counts_[i],
                          difference_text(*row.path, value), column_gap + differences_[i]);
    }
    page.line(line);
  }

 private:
  bool any_ = false;
  std::size_t label_ = 0;
  bool shared_ = false;
  std::size_t paths_ = 5;                                                 // of "paths"
  std::array<std::size_t, diff_columns.size()> counts_ = {3, 3, 3};       // of "old"
  std::array<std::size_t, diff_columns.size()> differences_ = {3, 3, 3};  // of "+/-"
};

// "+ st.d $a7, $tp, 40  ; note", the note at a column where there is room for it.
void print_line(Page& page, const DiffLine& diff, std::size_t text_width) {
  const TextOptions& options = page.options();
  const bool both = diff.side == DiffLine::Side::both;
  const std::size_t left = both ? 4 : 2;
  const std::string text = (both ? "" : fmt::format("{} ", side_mark(diff.side))) + shown(diff.line.text, page);
  const std::string note = diff.line.note.empty() ? "" : fmt::format("; {}", shown(diff.line.note, page));
  const Style style = both ? Style::plain : diff.side == DiffLine::Side::old_only ? Style::warning : Style::heading;
  const std::size_t used = left + display_width(text), column = std::max(text_width + 4, used) + 2;
  if (note.empty() || column + display_width(note) > options.width) {
    page.paragraph(left, 6, text, style);
    if (!note.empty()) page.paragraph(8, 10, note, Style::faint);
    return;
  }
  page.line(fmt::format("{:{}}{}{:{}}{}", "", left, paint(style, text, options.color), "", column - used,
                        paint(Style::faint, note, options.color)));
}

void print_listing_diff(Page& page, const DiffRow& row) {
  const TextOptions& options = page.options();
  if (row.path->listing.empty()) return;
  page.blank();
  page.paragraph(2, 4, printable(row.label, options.ascii) + ":", Style::heading);
  std::size_t width = 0;
  const std::vector<ShownDiffLine> lines = lines_to_show(row.path->listing, options.all);
  constexpr std::size_t longest_text = 36;  // up to which notes are lined up
  for (const ShownDiffLine& shown_line : lines) {
    const std::size_t text = display_width(shown(shown_line.line->line.text, page));
    if (text <= longest_text) width = std::max(width, text);
  }
  for (const ShownDiffLine& shown_line : lines) {
    if (shown_line.gap != 0) page.line("    ...");
    print_line(page, *shown_line.line, width);
  }
}

void print_routine(Page& page, const RoutineDiff& routine, const Columns& columns) {
  const TextOptions& options = page.options();
  const std::string name = printable(routine_text(routine), options.ascii);
  page.blank();
  if (is_one_sided(routine) && !options.all) {
    page.paragraph(0, 4, fmt::format("{}, {}", name, one_sided_text(routine)), Style::heading, name.size());
    return;
  }
  page.paragraph(0, 4, name, Style::heading);
  const std::vector<DiffRow> rows = table_rows(routine, options);
  const std::size_t count = options.all ? rows.size() : std::min(rows.size(), shown_diff_rows);
  for (std::size_t i = 0; i < count; ++i) columns.print(page, rows[i]);
  std::size_t hidden = 0;
  for (std::size_t i = count; i < rows.size(); ++i) hidden += rows[i].count;
  if (hidden != 0) page.line(fmt::format("  ... and {} (--all lists every one)", counted(hidden, "more path")));
  if (const std::size_t left = unlisted_changes(routine, rows_of(options)); left != 0)
    page.line(fmt::format("  {} of other instructions, at the same cost", counted(left, "path")));
  if (routine.bounded) page.paragraph(2, 4, "not all paths were compared (--max-paths)", Style::warning);
  if (options.verbose)
    for (std::size_t i = 0; i < count; ++i)
      page.paragraph(2, 4,
                     printable(fmt::format("{}: {} -> {}", rows[i].label, rows[i].path->old_id, rows[i].path->new_id),
                               options.ascii),
                     Style::faint);
  if (options.listing)
    for (std::size_t i = 0; i < count; ++i) print_listing_diff(page, rows[i]);
}

void print_head_line(Page& page, std::string_view mark, const std::optional<ImageHead>& head) {
  const std::string text =
      head ? fmt::format("{}: {}", shown(head->path, page), head_text(*head, page.options().verbose)) : "no such image";
  page.paragraph(0, 4, fmt::format("{} {}", mark, text), Style::heading);
  if (head && !head->variant_note.empty()) page.paragraph(4, 6, shown(head->variant_note, page), Style::warning);
}

void print_findings(Page& page, const ImageDiff& image) {
  for (const FindingReport& f : image.findings.fixed) {
    const std::string text = fmt::format("fixed: {}: {} [{}]", place_text(f.where, f.address), f.message, f.rule);
    page.blank();
    page.paragraph(0, 2, shown(text, page), Style::heading, 6);
  }
  std::vector<const FindingReport*> fresh;
  for (const FindingReport& f : image.findings.fresh) fresh.push_back(&f);
  for (const FoldedFinding& finding : folded(fresh)) {
    page.blank();
    page.paragraph(0, 2, "new:", Style::heading);
    print_finding(page, *image.after, finding);
  }
}

bool is_shown(const RoutineDiff& routine, const TextOptions& options) {
  return routine.status != DiffStatus::same || !routine.renamed_from.empty() || options.all;
}

// Changed, and no path of it has a row.
bool at_same_cost(const RoutineDiff& routine, const TextOptions& options) {
  return routine.status == DiffStatus::changed && routine.renamed_from.empty() && !routine.bounded &&
         diff_rows(routine, rows_of(options)).empty();
}

void print_routines(Page& page, const ImageDiff& image) {
  const TextOptions& options = page.options();
  const Columns columns(image, options);
  if (columns.any()) {
    page.blank();
    columns.print_header(page);
  }
  std::string same_cost;
  for (const RoutineDiff& routine : image.routines) {
    if (!is_shown(routine, options)) continue;
    if (!at_same_cost(routine, options)) {
      print_routine(page, routine, columns);
      continue;
    }
    same_cost += fmt::format("{}{} ({})", same_cost.empty() ? "" : ", ", name_text(routine.name, routine.version),
                             counted(unlisted_changes(routine, rows_of(options)), "path"));
  }
  if (same_cost.empty()) return;
  page.blank();
  page.paragraph(0, 2, shown("other instructions, at the same cost: " + same_cost, page));
}

void print_image(Page& page, const ImageDiff& image) {
  page.blank();
  print_head_line(page, "---", image.before);
  print_head_line(page, "+++", image.after);
  page.paragraph(0, 4, fmt::format("routines: {}", routine_counts_text(image)));
  page.paragraph(0, 4, fmt::format("paths: {}", path_counts_text(image)));
  page.paragraph(0, 4, fmt::format("findings: {}", finding_counts_text(image.findings)));
  print_routines(page, image);
  print_findings(page, image);
}

}  // namespace

std::string diff_text(const DiffReport& report, const TextOptions& options) {
  Page page(options);
  for (const ImageDiff* image : report.images()) print_image(page, *image);
  print_budgets(page, report.budgets);
  return page.take();
}

}  // namespace trapline
