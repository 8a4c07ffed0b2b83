// SPDX-License-Identifier: Apache-2.0
#include "walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trapline::test {

Listed::Listed(const RoutinePaths& found, const Program& program) : points_(1), met_(found.paths.size(), false) {
  int index = 0;
  for (const Path& path : found.paths) add(path, found.routine.graph, program, index++);
}

int Listed::child(int point, const Executed& step) const {
  for (int c : points_[static_cast<std::size_t>(point)].next) {
    const Point& p = points_[static_cast<std::size_t>(c)];
    if (p.address == step.address && p.acted == step.acted) return c;
  }
  return -1;
}

void Listed::add(const Path& path, const Graph& graph, const Program& program, int index) {
  int at = 0;
  Cost cost;
  const Known* previous = nullptr;
  for (const Step& s : path.steps) {
    const std::uint64_t address = graph[s.node].key.address;
    auto known = program.find(address);
    if (known == program.end()) {
      complaint_ += fmt::format("path {} goes to {:#x}, outside the program; ", index, address);
      return;
    }
    if (previous != nullptr && std::find(previous->next.begin(), previous->next.end(), address) == previous->next.end())
      complaint_ += fmt::format("path {} goes to {:#x}, where the program does not; ", index, address);
    previous = &known->second;
    ++cost.instructions;
    if (s.executed && known->second.loads) ++cost.loads;
    if (s.executed && known->second.stores) ++cost.stores;
    if (s.executed && known->second.calls) ++cost.calls;
    const Executed step{address, s.executed || !known->second.matters()};
    int next = child(at, step);
    if (next < 0) {
      next = static_cast<int>(points_.size());
      points_.push_back({step.address, step.acted, at, {}, -1});
      points_[static_cast<std::size_t>(at)].next.push_back(next);
    }
    at = next;
  }
  if (previous != nullptr && !previous->may_end)
    complaint_ += fmt::format("path {} ends where the program goes on; ", index);
  if (cost.instructions != path.cost.instructions || cost.loads != path.cost.loads || cost.stores != path.cost.stores ||
      cost.calls != path.cost.calls)
    complaint_ += fmt::format("path {} costs {}/{}/{}/{}, listed {}/{}/{}/{}; ", index, cost.instructions, cost.loads,
                              cost.stores, cost.calls, path.cost.instructions, path.cost.loads, path.cost.stores,
                              path.cost.calls);
  points_[static_cast<std::size_t>(at)].path = index;
}

bool Listed::ends_at(int point) const {
  const int path = point < 0 ? -1 : points_[static_cast<std::size_t>(point)].path;
  if (path >= 0) met_[static_cast<std::size_t>(path)] = true;
  return path >= 0;
}

// A walk so far: its steps without the turns taken out, and for each the point of the listed paths, -1 where none has
// it.
struct Listed::Reduced {
  std::vector<Executed> steps;
  std::vector<int> points{0};
  bool operator==(const Reduced& other) const {
    if (points.back() != other.points.back() || steps.size() != other.steps.size()) return false;
    return points.back() >= 0 || steps == other.steps;  // a point of the listed paths says how one gets there
  }
};

bool Listed::holds(const std::vector<Executed>& walk) const {
  std::vector<Reduced> now(1);
  for (const Executed& step : walk) {
    std::vector<Reduced> then;
    auto reach = [&then](Reduced r) {
      if (std::find(then.begin(), then.end(), r) == then.end()) then.push_back(std::move(r));
    };
    for (Reduced& r : now) {
      const int next = r.points.back() < 0 ? -1 : child(r.points.back(), step);
      std::size_t before = r.steps.size();
      while (before > 0 && r.steps[before - 1].address != step.address) --before;
      if (before > 0) {  // back at an instruction that the walk has been to: it is again where it was then
        Reduced cut = r;
        cut.steps.resize(before - 1);
        cut.points.resize(before);
        cut.points.push_back(cut.points.back() < 0 ? -1 : child(cut.points.back(), step));
        cut.steps.push_back(step);
        reach(std::move(cut));
      }
      if (before == 0 || next >= 0) {
        r.steps.push_back(step);
        r.points.push_back(next);
        reach(std::move(r));
      }
    }
    now = std::move(then);
  }
  return std::any_of(now.begin(), now.end(), [this](const Reduced& r) { return ends_at(r.points.back()); });
}

std::size_t Listed::met() const { return static_cast<std::size_t>(std::count(met_.begin(), met_.end(), true)); }

std::string Listed::left(const std::vector<Executed>& walk, std::uint64_t start) const {
  std::vector<Executed> reduced;
  for (const Executed& step : walk) {
    std::size_t before = reduced.size();
    while (before > 0 && reduced[before - 1].address != step.address) --before;
    if (before > 0) reduced.resize(before - 1);
    reduced.push_back(step);
  }
  std::string out;
  bool listed = true;
  int point = 0;
  for (const Executed& step : reduced) {
    if (listed) point = child(point, step);
    if (listed && point < 0) out += " |";
    listed = point >= 0;
    out += fmt::format(" {}{}", (step.address - start) / 4, step.acted ? "" : "-");
  }
  return out;
}

std::uint64_t simple_walks(const RoutineGraph& routine, std::uint64_t limit) {
  const Graph& g = routine.graph;
  std::uint64_t count = 0;
  std::vector<Vertex> walk;
  std::vector<bool> on(boost::num_vertices(g), false);
  using Edges = boost::graph_traits<Graph>::out_edge_iterator;
  std::vector<std::pair<Edges, Edges>> open;
  auto enter = [&](Vertex v) {
    walk.push_back(v);
    on[v] = true;
    if (g[v].end) ++count;
    open.push_back(boost::out_edges(v, g));
  };
  enter(routine.entry);
  while (!walk.empty() && count < limit) {
    auto& [edge, end] = open.back();
    if (edge == end) {
      on[walk.back()] = false;
      walk.pop_back();
      open.pop_back();
      continue;
    }
    const Vertex to = boost::target(*edge++, g);
    if (!on[to]) enter(to);
  }
  return count;
}

}  // namespace trapline::test
