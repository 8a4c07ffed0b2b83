// SPDX-License-Identifier: Apache-2.0
#include "cfg/graph.h"

#include <algorithm>
#include <boost/graph/depth_first_search.hpp>
#include <deque>
#include <memory>

namespace trapline {

namespace {

constexpr std::size_t node_limit = 65536;

struct Exploration {
  RoutineGraph& routine;
  Machine& machine;
  struct Seen {
    std::unique_ptr<State> state;  // joined, at its entry
    const Insn* insn = nullptr;
    bool queued = false;
  };
  std::vector<Seen> seen;   // by vertex
  std::deque<Vertex> work;  // seen for the first time
  // To be looked at again, since more came together there: by address, for code mostly runs forward and what a join
  // changed then goes through the code behind it once.
  std::set<std::pair<std::uint64_t, Vertex>> again;
  State state, other;  // of step(): kept, so that copying a state into them allocates nothing
  std::vector<std::vector<MemoryEvent>>* accesses = nullptr;

  void flow(Vertex from, EdgeKind edge, std::uint64_t to, const State& with) {
    NodeKey key{to, machine.continuation(with).value_or(0)};
    std::optional<Vertex> known = routine.find(key);
    if (!known && boost::num_vertices(routine.graph) >= node_limit) {
      routine.truncated = true;
      return;
    }
    Vertex v = known ? *known : routine.vertex(key, machine.code().insn(to).size);
    routine.add_edge(from, v, edge);
    arrive(v, with);
  }

  void arrive(Vertex v, const State& with) {
    if (v >= seen.size()) seen.resize(v + 1);
    auto& [joined, insn, queued] = seen[v];
    Moment m{routine.graph[v].key.address, static_cast<std::uint32_t>(v) + 1};
    bool changed = true;
    const bool fresh = !joined;
    if (!fresh)
      changed = joined->join(machine.setting(), with, m.before());
    else
      joined = std::make_unique<State>(with);
    if (fresh) insn = &machine.code().insn(m.address);
    if (!changed || queued) return;
    queued = true;
    if (fresh)
      work.push_back(v);
    else
      again.emplace(routine.graph[v].key.address, v);
  }

  std::optional<Vertex> next() {
    Vertex v;
    if (!work.empty()) {
      v = work.front();
      work.pop_front();
    } else if (!again.empty()) {
      v = again.begin()->second;
      again.erase(again.begin());
    } else {
      return std::nullopt;
    }
    return v;
  }

  void leave(Vertex from, const Transfer& t, const State& with) {
    if (t.kind == Transfer::Kind::end) {
      routine.graph[from].end = t.end;
      routine.graph[from].target = t.target;
    } else if (t.kind == Transfer::Kind::go) {
      flow(from, t.edge, t.to, with);
    } else {
      for (const Transfer::TableTarget& target : t.targets) {
        if (!target.leaves) {
          flow(from, t.edge, target.address, with);
          continue;
        }
        routine.graph[from].end = EndKind::jump;
        routine.graph[from].target = target.address;
      }
    }
  }

  void step(Vertex v) {
    state = *seen[v].state;
    const std::uint64_t address = routine.graph[v].key.address;
    const Insn& insn = *seen[v].insn;
    if (accesses != nullptr) {  // a vertex that is looked at again is judged by the last time
      accesses->resize(std::max(accesses->size(), v + 1));
      (*accesses)[v].clear();
      machine.memory_log = &(*accesses)[v];
    }
    if (insn.size == 0) {
      routine.graph[v].end = EndKind::falls_off;
      return;
    }
    Moment m{address, static_cast<std::uint32_t>(v) + 1};
    bool load = false, store = false;
    if (Machine::is_plain(insn)) {
      machine.run(insn, state, m, load, store);
      flow(v, EdgeKind::next, address + insn.size, state);
      return;
    }
    Choice choice = machine.choose(insn, state, m, load, store);
    if (choice.conditional && !choice.maybe) {
      other = state;
      if (choice.open) other.assume(machine.setting(), choice.question, false);
      Transfer t = machine.finish(insn, other, choice, false, m);
      leave(v, t, other);
      if (choice.open) state.assume(machine.setting(), choice.question, true);
    }
    Transfer t = machine.finish(insn, state, choice, true, m);
    leave(v, t, state);
  }
};

}  // namespace

Vertex RoutineGraph::vertex(const NodeKey& key, std::uint8_t size) {
  auto [it, fresh] = index_.try_emplace({key.address, key.continuation}, boost::num_vertices(graph));
  if (fresh) boost::add_vertex(Node{key, size, std::nullopt, std::nullopt}, graph);
  return it->second;
}

std::optional<Vertex> RoutineGraph::find(const NodeKey& key) const {
  auto it = index_.find({key.address, key.continuation});
  if (it == index_.end()) return std::nullopt;
  return it->second;
}

void RoutineGraph::add_edge(Vertex from, Vertex to, EdgeKind kind) {
  for (auto [e, end] = boost::out_edges(from, graph); e != end; ++e)
    if (boost::target(*e, graph) == to && graph[*e].kind == kind) return;
  boost::add_edge(from, to, Edge{kind}, graph);
}

RoutineGraph build_graph(Machine& machine, std::uint64_t entry, const Contract& contract,
                         std::vector<std::vector<MemoryEvent>>* accesses) {
  RoutineGraph routine;
  Exploration x{routine, machine, {}, {}, {}, {}, {}, accesses};
  State start(machine.setting(), contract);
  start.follow_memory = false;
  routine.entry = routine.vertex({entry, machine.continuation(start).value_or(0)}, machine.code().insn(entry).size);
  x.arrive(routine.entry, start);
  while (std::optional<Vertex> v = x.next()) {
    x.seen[*v].queued = false;
    x.step(*v);
  }
  if (accesses != nullptr) {
    accesses->resize(boost::num_vertices(routine.graph));
    machine.memory_log = nullptr;
  }
  return routine;
}

Blocks make_blocks(const RoutineGraph& routine) {
  const Graph& g = routine.graph;
  auto sole = [&](auto range, auto end_of) -> std::optional<Vertex> {
    std::optional<Vertex> one;
    for (auto [e, end] = range; e != end; ++e) {
      Vertex v = end_of(*e);
      if (one && *one != v) return std::nullopt;
      one = v;
    }
    return one;
  };
  // v follows its predecessor in one block when neither has another neighbour there and control just falls through.
  auto joined_to = [&](Vertex v) -> std::optional<Vertex> {
    if (v == routine.entry) return std::nullopt;
    std::optional<Vertex> p = sole(boost::in_edges(v, g), [&](const auto& e) { return boost::source(e, g); });
    if (!p || *p == v) return std::nullopt;
    std::optional<Vertex> back = sole(boost::out_edges(*p, g), [&](const auto& e) { return boost::target(e, g); });
    if (!back || g[*p].end || g[v].key.address != g[*p].key.address + g[*p].size) return std::nullopt;
    for (auto [e, end] = boost::in_edges(v, g); e != end; ++e) {
      EdgeKind k = g[*e].kind;
      if (k != EdgeKind::next && k != EdgeKind::after_call && k != EdgeKind::executed && k != EdgeKind::skipped)
        return std::nullopt;
    }
    return p;
  };
  std::vector<Vertex> next(boost::num_vertices(g), boost::graph_traits<Graph>::null_vertex());
  std::vector<Vertex> heads;
  for (Vertex v = 0; v < boost::num_vertices(g); ++v) {
    if (std::optional<Vertex> p = joined_to(v))
      next[*p] = v;
    else
      heads.push_back(v);
  }
  std::sort(heads.begin(), heads.end(), [&](Vertex a, Vertex b) {
    if ((a == routine.entry) != (b == routine.entry)) return a == routine.entry;
    return g[a].key < g[b].key;
  });
  Blocks out;
  out.block_of.resize(boost::num_vertices(g));
  for (Vertex head : heads) {
    Block block;
    for (Vertex v = head; v != boost::graph_traits<Graph>::null_vertex(); v = next[v]) {
      out.block_of[v] = out.blocks.size();
      block.nodes.push_back(v);
    }
    out.blocks.push_back(std::move(block));
  }
  return out;
}

namespace {

// A search from the entry.
struct Search {
  std::vector<Vertex> left;  // nodes in the order in which it left them: a node after those behind it
  std::vector<std::pair<Vertex, Vertex>> back;  // edges, from and to, to a node that it had entered and not left
};

Search search(const RoutineGraph& routine) {
  struct Visitor : boost::default_dfs_visitor {
    Search& found;
    explicit Visitor(Search& f) : found(f) {}
    void finish_vertex(Vertex v, const Graph&) { found.left.push_back(v); }
    void back_edge(const boost::graph_traits<Graph>::edge_descriptor& e, const Graph& g) {
      found.back.emplace_back(boost::source(e, g), boost::target(e, g));
    }
  };
  Search found;
  std::vector<boost::default_color_type> colors(boost::num_vertices(routine.graph));
  boost::depth_first_visit(
      routine.graph, routine.entry, Visitor(found),
      boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, routine.graph)));
  return found;
}

}  // namespace

std::set<Vertex> loop_heads(const RoutineGraph& routine) {
  std::set<Vertex> heads{routine.entry};
  for (const auto& [from, to] : search(routine).back) heads.insert(to);
  return heads;
}

namespace {

// Dominators by the place of a node in Search::left (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm,
// 2001): a node's own is higher than the node. Boost's take longer than all else that is done with a graph.
class Dominators {
 public:
  Dominators(const RoutineGraph& routine, const Search& found)
      : place_(boost::num_vertices(routine.graph), none), above_(found.left.size(), none) {
    const Graph& g = routine.graph;
    for (std::size_t i = 0; i < found.left.size(); ++i) place_[found.left[i]] = i;
    above_.back() = above_.size() - 1;  // the entry
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = above_.size() - 1; i-- > 0;) {
        std::size_t common = none;
        for (auto [e, end] = boost::in_edges(found.left[i], g); e != end; ++e) {
          const std::size_t from = place_[boost::source(*e, g)];
          if (from != none && above_[from] != none) common = common == none ? from : meet(common, from);
        }
        changed = changed || above_[i] != common;
        above_[i] = common;
      }
    }
  }

  bool dominates(Vertex a, Vertex b) const { return meet(place_[a], place_[b]) == place_[a]; }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t meet(std::size_t a, std::size_t b) const {
    while (a != b) (a < b ? a : b) = above_[a < b ? a : b];
    return a;
  }

  std::vector<std::size_t> place_;  // by vertex
  std::vector<std::size_t> above_;  // the immediate dominator, by place
};

// Plain search, for graphs whose loops have several heads: bounded by steps.
std::uint64_t count_by_search(const Graph& g, Vertex entry, std::uint64_t limit) {
  using Edges = boost::graph_traits<Graph>::out_edge_iterator;
  struct Open {
    Vertex node;
    Edges next, end;
  };
  std::uint64_t count = 0;
  std::vector<bool> on_path(boost::num_vertices(g), false);
  std::vector<Open> path;
  auto enter = [&](Vertex v) {
    on_path[v] = true;
    if (g[v].end) ++count;
    auto [next, end] = boost::out_edges(v, g);
    path.push_back({v, next, end});
  };
  enter(entry);
  for (std::uint32_t steps = 1u << 22; !path.empty() && count < limit && steps != 0;) {
    Open& last = path.back();
    if (last.next == last.end) {
      on_path[last.node] = false;
      path.pop_back();
      continue;
    }
    const Vertex to = boost::target(*last.next++, g);
    --steps;
    if (!on_path[to]) enter(to);
  }
  return count;
}

}  // namespace

std::uint64_t count_walks(const RoutineGraph& routine, std::uint64_t limit) {
  const Graph& g = routine.graph;
  // A loop with one head: a walk that takes its back edge enters the head twice, so back edges can go. What is left is
  // counted from the ends towards the entry.
  const Search found = search(routine);
  if (!found.back.empty()) {
    const Dominators dominators(routine, found);
    for (const auto& [from, to] : found.back)
      if (!dominators.dominates(to, from)) return count_by_search(g, routine.entry, limit);
  }
  std::vector<std::uint64_t> walks(boost::num_vertices(g), 0);
  std::vector<bool> done(walks.size(), false);  // but for back edges, all that a node leads to is
  for (Vertex v : found.left) {
    std::uint64_t sum = g[v].end ? 1 : 0;
    for (auto [e, end] = boost::out_edges(v, g); e != end; ++e)
      if (done[boost::target(*e, g)]) sum = std::min(limit, sum + walks[boost::target(*e, g)]);
    walks[v] = sum;
    done[v] = true;
  }
  return walks[routine.entry];
}

}  // namespace trapline
