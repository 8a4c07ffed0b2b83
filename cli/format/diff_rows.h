// SPDX-License-Identifier: Apache-2.0
//
// What text and Markdown show of a comparison: which rows, which columns, which words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/diff_report.h"
#include "cfg/cost.h"
#include "cli/layout.h"

namespace trapline {

// The counts that have columns: old, new, difference.
struct DiffColumn {
  std::string_view header;
  std::uint64_t Cost::* value;
};
inline constexpr std::array diff_columns = {DiffColumn{"insns", &Cost::instructions}, DiffColumn{"loads", &Cost::loads},
                                            DiffColumn{"stores", &Cost::stores}};

// Paths that a reader cannot tell apart by label, end and what the columns show.
struct DiffRow {
  const PathDiff* path = nullptr;  // the first of them
  std::size_t count = 1;
  std::string label;
};

// Which paths get a row: those whose label or shown counts changed; those of other instructions, too; all.
enum class RowsOf : std::uint8_t { costs, instructions, all };
RowsOf rows_of(const TextOptions& options);  // --listing, --all

// The rows in the report's order. With RowsOf::all each path has a row of its own.
std::vector<DiffRow> diff_rows(const RoutineDiff& routine, RowsOf which);
// Changed paths without a row: other instructions at the same cost.
std::size_t unlisted_changes(const RoutineDiff& routine, RowsOf which);

// "-5", "+1", "0"; of a path that only one build has, the whole count. The counts: "88", or "-" where there is no path.
std::string difference_text(const PathDiff& path, std::uint64_t Cost::* count);
std::string count_text(const std::optional<Cost>& cost, std::uint64_t Cost::* count);

// "handle_syscall (syscall-entry)", with what it was called before.
std::string routine_text(const RoutineDiff& routine);
// Of a routine that only one build has: "added: 2 paths, 10..20 insns".
std::string one_sided_text(const RoutineDiff& routine);

// "add/remove: 0/1 changed: 1 same: 5".
std::string routine_counts_text(const ImageDiff& image);
// "add/remove: 0/0 grow/shrink: 2/2 other: 0 same: 8".
std::string path_counts_text(const ImageDiff& image);
// "fixed: 0 new: 2 unchanged: 5".
std::string finding_counts_text(const FindingsDiff& findings);

// Rows and lines of context shown without --all.
inline constexpr std::size_t shown_diff_rows = 12;
inline constexpr std::size_t context_lines = 1;

// What to show of a listing: lines that only one side has, each with its neighbours; `gap`: lines left out before it.
struct ShownDiffLine {
  const DiffLine* line = nullptr;
  std::size_t gap = 0;
};
std::vector<ShownDiffLine> lines_to_show(const std::vector<DiffLine>& listing, bool all);

// "+", "-" or " ".
std::string_view side_mark(DiffLine::Side side);

}  // namespace trapline
