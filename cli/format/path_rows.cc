// SPDX-License-Identifier: Apache-2.0
#include "cli/format/path_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "cli/format/report_names.h"

namespace trapline {
namespace {

struct CostColumn {
  std::string_view header;
  std::uint64_t (*value)(const Cost&);
  bool always;
};

constexpr std::array cost_columns = {
    CostColumn{"insns", [](const Cost& c) { return c.instructions; }, true},
    CostColumn{"loads", [](const Cost& c) { return c.loads; }, true},
    CostColumn{"stores", [](const Cost& c) { return c.stores; }, true},
    CostColumn{"br", [](const Cost& c) { return c.branches_taken + c.branches_not_taken; }, true},
    CostColumn{"calls", [](const Cost& c) { return c.calls; }, true},
    CostColumn{"sys", [](const Cost& c) { return c.system; }, false},
    CostColumn{"bar", [](const Cost& c) { return c.barriers; }, false},
    CostColumn{"atom", [](const Cost& c) { return c.atomics; }, false},
};

bool look_equal(const PathReport& a, const PathReport& b) {
  return a.end == b.end && a.to == b.to && a.cost == b.cost && a.label == b.label && end_text(a) == end_text(b);
}

std::string range(const Range& range) {
  return range.min == range.max ? fmt::format("{}", range.min) : fmt::format("{}..{}", range.min, range.max);
}

}  // namespace

std::vector<PathRow> path_rows(const RoutineReport& routine, bool all) {
  std::vector<PathRow> rows;
  std::unordered_map<std::string, std::vector<std::size_t>> by_look;
  for (const PathReport& path : routine.paths) {
    if (!all) {
      std::vector<std::size_t>& candidates = by_look[fmt::format("{} {}", path.label, path.cost.instructions)];
      const auto same = std::find_if(candidates.begin(), candidates.end(),
                                     [&](std::size_t i) { return look_equal(*rows[i].path, path); });
      if (same != candidates.end()) {
        ++rows[*same].count;
        continue;
      }
      candidates.push_back(rows.size());
    }
    rows.push_back({&path, 1});
  }
  return rows;
}

std::string end_text(const PathReport& path) {
  const std::string name(path_end_name(path.end));
  std::string target;
  switch (path.end) {
    case PathEnd::exception_return:
      return path.to == ReturnTo::none ? name : fmt::format("to {}", return_to_name(path.to));
    case PathEnd::jump:
      target = path.end_symbol;
      break;
    case PathEnd::no_return:
      target = path.calls.empty() ? "" : path.calls.back().target;
      break;
    default:
      break;
  }
  // Once is enough: the label may name it too.
  const bool is_named = target.empty() || path.label.find(target) != std::string::npos;
  return is_named ? name : fmt::format("{} {}", name, target);
}

Table path_table(const std::vector<PathRow>& rows, std::size_t shown, bool ascii) {
  const std::size_t count = std::min(shown, rows.size());
  const bool any_shared = std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count),
                                      [](const PathRow& row) { return row.count > 1; });
  std::vector<const CostColumn*> used;
  for (const CostColumn& column : cost_columns) {
    const bool any =
        std::any_of(rows.begin(), rows.end(), [&](const PathRow& row) { return column.value(row.path->cost) != 0; });
    if (column.always || any) used.push_back(&column);
  }

  std::vector<Column> columns = {{"path", Align::left}, {"end", Align::left}};
  if (any_shared) columns.push_back({"paths", Align::right});
  for (const CostColumn* column : used) columns.push_back({std::string(column->header), Align::right});

  Table table(std::move(columns));
  for (std::size_t i = 0; i < count; ++i) {
    const PathReport& path = *rows[i].path;
    std::vector<std::string> cells = {printable(path.label, ascii), printable(end_text(path), ascii)};
    if (any_shared) cells.push_back(fmt::format("{}", rows[i].count));
    for (const CostColumn* column : used) cells.push_back(fmt::format("{}", column->value(path.cost)));
    table.add(std::move(cells));
  }
  return table;
}

std::string path_count_text(const RoutineReport& routine) {
  std::string text = counted(routine.paths_total, "path");
  if (routine.bounded) text = fmt::format("at least {}, {} listed", text, routine.paths.size());
  if (routine.infeasible != 0) text += fmt::format(", {} infeasible", routine.infeasible);
  return text;
}

std::uint64_t unlisted(const RoutineReport& routine) {
  if (routine.bounded || routine.paths_total <= routine.paths.size()) return 0;  // a bounded one says so in its title
  return routine.paths_total - routine.paths.size();
}

std::string head_text(const ImageHead& head, bool full) {
  constexpr std::size_t short_id = 12;  // digits, as git abbreviates
  std::string text = fmt::format("{} {}", head.arch, head.kind);
  if (head.build_id.empty()) return text;
  text += ", build-id " + head.build_id.substr(0, full ? std::string::npos : short_id);
  return !full && head.build_id.size() > short_id ? text + "..." : text;
}

std::string range_text(const RoutineReport& routine) {
  return fmt::format("{} insns, {} loads, {} stores", range(routine.instructions_range), range(routine.loads),
                     range(routine.stores));
}

std::string loop_text(const LoopReport& loop) {
  const std::string turn = fmt::format("{}, {}, {}", counted(loop.instructions, "insn"), counted(loop.loads, "load"),
                                       counted(loop.stores, "store"));
  return loop.turns ? fmt::format("{} counted, each {}", counted(*loop.turns, "turn"), turn)
                    : fmt::format("each turn {}", turn);
}

std::string place_text(const std::string& symbol, std::uint64_t address) {
  return symbol.empty() ? fmt::format("{:#x}", address) : symbol;
}

std::string name_text(const std::string& name, const std::string& version) {
  return version.empty() ? name : name + "@" + version;
}

std::vector<const LoopReport*> loops_to_list(const RoutineReport& routine) {
  std::vector<const LoopReport*> loops;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;  // address, turns
  for (const LoopReport& loop : routine.loops) loops.push_back(&loop);
  for (const PathReport& path : routine.paths) {
    for (const LoopReport& loop : path.loops) {
      if (loop.turns && seen.emplace(loop.address, *loop.turns).second) loops.push_back(&loop);
    }
  }
  return loops;
}

}  // namespace trapline
