// SPDX-License-Identifier: Apache-2.0
#include "cli/format/diff_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/path_match.h"
#include "cli/format/path_rows.h"
#include "cli/layout.h"

namespace trapline {
namespace {

// `text` without the words that `other` begins with, too; its last word stays.
std::string_view without_common_words(std::string_view text, std::string_view other) {
  for (std::size_t end = text.find(' '); end != std::string_view::npos; end = text.find(' ')) {
    if (other.substr(0, end + 1) != text.substr(0, end + 1)) break;
    text.remove_prefix(end + 1);
    other.remove_prefix(end + 1);
  }
  return text;
}

// "user partial, was full". `number`: with the numbers of the labels.
std::string path_label(const PathDiff& path, bool number) {
  const auto name = [number](const std::string& label) { return number ? label : std::string(label_words(label)); };
  const std::string before = name(path.old_label), after = name(path.new_label);
  if (!path.new_cost) return before;
  if (!path.old_cost) return after;
  if (path.relation == PathDiff::Relation::merged)
    return before == after ? fmt::format("{}, merged", before)
                           : fmt::format("{}, now {}", before, without_common_words(after, before));
  if (label_words(path.old_label) == label_words(path.new_label)) return after;
  return fmt::format("{}, was {}", after, without_common_words(before, after));
}

std::string what_is_shown(const PathDiff& path) {
  std::string key = path_label(path, false);
  for (const DiffColumn& column : diff_columns)
    key += fmt::format(" {} {}", count_text(path.old_cost, column.value), count_text(path.new_cost, column.value));
  return key + fmt::format(" {} {}", static_cast<unsigned>(path.status), static_cast<unsigned>(path.to));
}

bool costs_changed(const PathDiff& path) {
  if (path.status != DiffStatus::changed) return path.status != DiffStatus::same;
  const bool counts = std::any_of(diff_columns.begin(), diff_columns.end(), [&](const DiffColumn& column) {
    return (*path.old_cost).*column.value != (*path.new_cost).*column.value;
  });
  return counts || label_words(path.old_label) != label_words(path.new_label);
}

bool has_row(const PathDiff& path, RowsOf which) {
  return which == RowsOf::all ||
         (which == RowsOf::instructions ? path.status != DiffStatus::same : costs_changed(path));
}

}  // namespace

RowsOf rows_of(const TextOptions& options) {
  return options.all ? RowsOf::all : options.listing ? RowsOf::instructions : RowsOf::costs;
}

std::size_t unlisted_changes(const RoutineDiff& routine, RowsOf which) {
  return static_cast<std::size_t>(std::count_if(routine.paths.begin(), routine.paths.end(), [&](const PathDiff& path) {
    return path.status != DiffStatus::same && !has_row(path, which);
  }));
}

std::vector<DiffRow> diff_rows(const RoutineDiff& routine, RowsOf which) {
  const bool all = which == RowsOf::all;
  std::vector<DiffRow> rows;
  std::unordered_map<std::string, std::size_t> known;
  for (const PathDiff& path : routine.paths) {
    if (!has_row(path, which)) continue;
    std::string label = path_label(path, true);
    if (!all) {
      const auto [it, fresh] = known.try_emplace(what_is_shown(path), rows.size());
      if (!fresh) {
        DiffRow& row = rows[it->second];
        ++row.count;
        if (row.label != label) row.label = path_label(path, false);
        continue;
      }
    }
    rows.push_back({&path, 1, std::move(label)});
  }
  return rows;
}

std::string count_text(const std::optional<Cost>& cost, std::uint64_t Cost::* count) {
  return cost ? fmt::format("{}", (*cost).*count) : "-";
}

std::string difference_text(const PathDiff& path, std::uint64_t Cost::* count) {
  const std::int64_t d =
      difference(path.old_cost ? (*path.old_cost).*count : 0, path.new_cost ? (*path.new_cost).*count : 0);
  return d == 0 ? "0" : fmt::format("{:+}", d);
}

std::string routine_text(const RoutineDiff& routine) {
  std::string text = fmt::format("{} ({})", name_text(routine.name, routine.version), role_name(routine.role));
  if (routine.renamed_from.empty()) return text;
  return text + fmt::format(", {} {}", routine.status == DiffStatus::added ? "perhaps it was" : "renamed from",
                            routine.renamed_from);
}

std::string one_sided_text(const RoutineDiff& routine) {
  const bool added = routine.status == DiffStatus::added;
  Range insns{~std::uint64_t{0}, 0};
  for (const PathDiff& path : routine.paths) {
    const std::uint64_t count = (added ? path.new_cost : path.old_cost)->instructions;
    insns = {std::min(insns.min, count), std::max(insns.max, count)};
  }
  std::string text = fmt::format("{}: {}", added ? "added" : "removed", counted(routine.paths.size(), "path"));
  if (routine.paths.empty()) return text;
  return text + (insns.min == insns.max ? fmt::format(", {} insns", insns.min)
                                        : fmt::format(", {}..{} insns", insns.min, insns.max));
}

std::string routine_counts_text(const ImageDiff& image) {
  const DiffCounts c = count_routines(image);
  return fmt::format("add/remove: {}/{} changed: {} same: {}", c.added, c.removed, c.changed, c.same);
}

std::string path_counts_text(const ImageDiff& image) {
  const DiffCounts c = count_paths(image);
  return fmt::format("add/remove: {}/{} grow/shrink: {}/{} other: {} same: {}", c.added, c.removed, c.grown, c.shrunk,
                     c.changed - c.grown - c.shrunk, c.same);
}

std::string finding_counts_text(const FindingsDiff& findings) {
  return fmt::format("fixed: {} new: {} unchanged: {}", findings.fixed.size(), findings.fresh.size(),
                     findings.unchanged);
}

std::vector<ShownDiffLine> lines_to_show(const std::vector<DiffLine>& listing, bool all) {
  std::vector<ShownDiffLine> out;
  std::size_t gap = 0;
  for (std::size_t i = 0; i < listing.size(); ++i) {
    bool wanted = all;
    const std::size_t first = i - std::min(i, context_lines);
    for (std::size_t k = first; k <= i + context_lines && k < listing.size(); ++k)
      wanted = wanted || listing[k].side != DiffLine::Side::both;
    if (wanted) out.push_back({&listing[i], std::exchange(gap, 0)});
    if (!wanted) ++gap;
  }
  return out;
}

std::string_view side_mark(DiffLine::Side side) {
  return side == DiffLine::Side::both ? " " : side == DiffLine::Side::old_only ? "-" : "+";
}

}  // namespace trapline
