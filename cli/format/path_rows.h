// SPDX-License-Identifier: Apache-2.0
//
// What text and Markdown show of a routine's paths: which rows, which columns, which words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report.h"
#include "cli/table.h"

namespace trapline {

// Paths that a reader cannot tell apart by label, end and cost.
struct PathRow {
  const PathReport* path = nullptr;  // the first of them
  std::size_t count = 1;
};

// The rows in the report's order. With `all` each path has a row of its own.
std::vector<PathRow> path_rows(const RoutineReport& routine, bool all);

// Rows, and loops, shown without --all.
inline constexpr std::size_t shown_rows = 12;

// "to user", "return", "jump do_exit", "no-return panic".
std::string end_text(const PathReport& path);

// The table of the first `shown` rows. Columns that would be all zero (paths that share a row, system instructions,
// barriers, atomics) are left out.
Table path_table(const std::vector<PathRow>& rows, std::size_t shown, bool ascii);

// "2 paths", "at least 5000 paths, 4096 listed", ", 3 infeasible".
std::string path_count_text(const RoutineReport& routine);

// Paths that are in the total and not in the report, since --max-paths left the dearer ones out.
std::uint64_t unlisted(const RoutineReport& routine);

// "loongarch64 vmlinux, build-id 0123456789ab..."; the whole id with `full`, no word of it where there is none.
std::string head_text(const ImageHead& head, bool full);

// "46..230 insns, 12..96 loads, 3..40 stores" over all paths.
std::string range_text(const RoutineReport& routine);

// "8 turns counted, each 9 insns, 1 load, 1 store" or, where no path counts the turns, "each turn 9 insns, 1 load, 1
// store".
std::string loop_text(const LoopReport& loop);

// The symbol, or where there is none the address.
std::string place_text(const std::string& symbol, std::uint64_t address);

// The routine's name, with the version that a vDSO exports it at: "__vdso_getcpu@LINUX_5.10".
std::string name_text(const std::string& name, const std::string& version);

// Loops to list beside a routine: those that no path counts, then those that paths count, each place once.
std::vector<const LoopReport*> loops_to_list(const RoutineReport& routine);

}  // namespace trapline
