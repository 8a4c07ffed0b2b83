// SPDX-License-Identifier: Apache-2.0
//
// What `trapline diff` found between two builds. Every output format prints this struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

enum class DiffStatus : std::uint8_t { same, changed, added, removed };
std::string_view diff_status_name(DiffStatus status);  // as interface.md spells it

// One line of two listings side by side.
struct DiffLine {
  enum class Side : std::uint8_t { both, old_only, new_only };
  Side side = Side::both;
  ListingLine line;  // of the new build, unless it has none
};

struct PathDiff {
  DiffStatus status = DiffStatus::same;
  // What one path has become several (`split`) or several have become one (`merged`): the same path stands in each of
  // these rows.
  enum class Relation : std::uint8_t { one, split, merged };
  Relation relation = Relation::one;
  std::string old_id, new_id;  // empty: there is none
  std::string old_label, new_label;
  PathEnd end = PathEnd::unknown;  // of the new path, or of the old one where there is none
  ReturnTo to = ReturnTo::none;
  std::optional<Cost> old_cost, new_cost;
  std::vector<DiffLine> listing;  // only when asked for, of changed paths

  const std::string& label() const { return new_cost ? new_label : old_label; }
};

struct RoutineDiff {
  std::string name;  // in the new build, or in the old one where the new one does not have it
  std::string version;
  // changed: what it was called before, all else being the same; added: the routine that vanished and is built like it.
  std::string renamed_from;
  Role role = Role::user_named;
  DiffStatus status = DiffStatus::same;
  bool bounded =
      false;  // not all paths of one side are listed (--max-paths), so that some may be wrongly added or removed
  std::vector<PathDiff> paths;  // in the order of the new report; removed ones last, in the order of the old report
};

struct FindingsDiff {
  std::vector<FindingReport> fixed, fresh;  // accepted ones are in neither
  std::uint64_t unchanged = 0;
};

// An image, before and after. A vDSO that only one of the kernels embeds has only one head.
struct ImageDiff {
  std::optional<ImageHead> before, after;
  std::vector<RoutineDiff> routines;  // in the order of the new report; removed ones last
  FindingsDiff findings;
};

struct DiffReport {
  ImageDiff main;
  std::vector<ImageDiff> embedded;    // the vDSOs in two kernels, by name
  std::vector<BudgetReport> budgets;  // of the new build; limits that are relative compare it with the old one

  std::vector<const ImageDiff*> images() const;  // the main one first

  // Is there a new finding of that level or a worse one? Never for Level::none.
  bool has_new_findings(Level least) const;
};

// Counts for a summary.
struct DiffCounts {
  std::uint64_t same = 0, changed = 0, added = 0, removed = 0;
  std::uint64_t grown = 0, shrunk = 0;  // of the changed: by instructions
};
DiffCounts count_routines(const ImageDiff& image);
DiffCounts count_paths(const ImageDiff& image);

// The difference of a count, with its sign.
inline std::int64_t difference(std::uint64_t before, std::uint64_t after) {
  return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

}  // namespace trapline
