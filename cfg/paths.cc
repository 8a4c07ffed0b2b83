// SPDX-License-Identifier: Apache-2.0
#include "cfg/paths.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "disasm/arch/arch.h"

namespace trapline {

namespace {

constexpr std::uint64_t max_turns = 1024;       // of a counted loop, in a row
constexpr std::uint64_t max_entries = 1 << 14;  // of a node, where counted loops are nested
constexpr std::uint64_t max_walks = 1ull << 50;
constexpr unsigned max_forks = 512;  // of one walk: it is cut there, since each takes a piece of the program's stack

// How the conditional of a step was decided: tells counted loops from others.
enum class Decided : std::uint8_t { none, constants, facts, open };

// What a turn of a loop is charged.
struct Charge {
  std::uint64_t instructions = 0, loads = 0, stores = 0;
};

struct Trail {
  Vertex node = 0;
  Decided decided = Decided::none;
  Charge before;              // cost of the walk before this step
  std::uint32_t earlier = 0;  // previous position of the same node plus one, 0: none
  std::uint32_t first = 0;    // first position of the same node
  std::uint32_t entries = 1;  // of the same node, up to this one
  std::uint32_t turns = 1;    // of these, in a row: the step before closed the loop
};

class Walker {
 public:
  Walker(Code& code, Machine& machine, RoutinePaths& out, const PathLimits& limits, PathVisitor* visitor)
      : code_(code), machine_(machine), out_(out), limits_(limits), visitor_(visitor) {
    spots_.resize(boost::num_vertices(out.routine.graph));
    for (Vertex v : loop_heads(out.routine)) spots_[v].is_head = true;
  }

  // One enumeration. Returns whether a loop was found to change more than was known at its head, so that the values
  // at the head must be forgotten and the enumeration repeated. A scouting walk goes on only once from each node: that
  // finds nearly all of it, in a time that does not grow with the number of paths. With `give_up` the walk ends at the
  // first such loop: what is left of it would be walked in vain.
  enum class Mode : std::uint8_t { scout_taken_first, scout_fall_first, all };
  bool run(const State& start, Mode mode, bool give_up = false) {
    give_up_ = give_up;
    scouting_ = mode != Mode::all;
    taken_first_ = mode != Mode::scout_fall_first;
    out_.paths.clear();
    out_.loops.clear();
    out_.total = 0;
    out_.bounded = false;
    learned_ = false;
    too_deep_ = false;
    walked_ = 0;
    trail_.clear();
    steps_.clear();
    memory_.clear();
    handed_.clear();
    asked_.clear();
    forgotten_.clear();
    known_.clear();
    current_.clear();
    visiting_ = visitor_ != nullptr && !scouting_;
    machine_.memory_log = visiting_ ? &memory_ : nullptr;
    machine_.handed_log = visiting_ ? &handed_ : nullptr;
    machine_.current_log = visiting_ ? &current_ : nullptr;
    if (visiting_)
      for (Place p : machine_.setting().facts.thread_flags.current)
        current_.push_back(start.get(machine_.setting(), p));
    if (visiting_) visitor_->restart();
    for (Spot& spot : spots_) spot.position = 0, spot.seen = false;
    State& first = arms_.next();
    first = start;
    walk(out_.routine.graph[out_.routine.entry].key, first, Cost{}, EdgeKind::next, out_.routine.entry);
    arms_.used = 0;
    return learned_;
  }

  // Was a walk of the last enumeration cut because it split too often?
  bool too_deep() const { return too_deep_; }

 private:
  // What is known of a vertex.
  struct Spot {
    const Insn* insn = nullptr;
    std::uint32_t position = 0;  // of its last entry on the trail, plus one
    bool is_head = false;        // a walk may come back to it
    bool seen = false;           // by this enumeration
  };

  struct Snapshot {
    std::size_t position = 0;
    State state;
  };

  // Things that are used in the order of a stack and keep their memory: a state that is copied over another one
  // allocates nothing.
  template <typename T>
  struct Reused {
    std::vector<std::unique_ptr<T>> all;
    std::size_t used = 0;
    T& next() {
      if (used == all.size()) all.push_back(std::make_unique<T>());
      return *all[used++];
    }
  };

  bool stopped() const { return out_.bounded || (learned_ && give_up_); }

  Vertex vertex_for(const NodeKey& key) {
    Vertex v = out_.routine.vertex(key, code_.insn(key.address).size);
    if (v == spots_.size()) spots_.emplace_back();
    return v;
  }

  // The node that the edge leads to: most often one that the graph has.
  Vertex follow(Vertex from, EdgeKind kind, const NodeKey& key) {
    const Graph& g = out_.routine.graph;
    for (auto [e, end] = boost::out_edges(from, g); e != end; ++e)
      if (g[boost::target(*e, g)].key == key && g[*e].kind == kind) return boost::target(*e, g);
    Vertex v = vertex_for(key);
    out_.routine.add_edge(from, v, kind);
    return v;
  }

  const Insn& insn_at(Vertex v) {
    const Insn*& insn = spots_[v].insn;
    if (insn == nullptr) insn = &code_.insn(out_.routine.graph[v].key.address);
    return *insn;
  }

  // Everything from node `key` on. The trail is as it was when this returns; the state is used up.
  void walk(NodeKey key, State& state, Cost cost, EdgeKind edge, Vertex from) {
    const std::size_t trail_mark = trail_.size(), decisions_mark = decisions_.size(), calls_mark = calls_.size(),
                      snapshots_mark = snapshots_.used, memory_mark = memory_.size(), handed_mark = handed_.size(),
                      forgotten_mark = forgotten_.size(), known_mark = known_.size(), current_mark = current_.size();
    bool first = trail_.empty();
    ++forks_;
    too_deep_ = too_deep_ || forks_ > max_forks;
    while (!stopped() && forks_ <= max_forks) {
      Vertex v = first ? from : follow(from, edge, key);
      first = false;
      if (spots_[v].position != 0 && !another_turn(v, state, cost)) break;
      if (scouting_ && spots_[v].position == 0 && spots_[v].seen) break;
      spots_[v].seen = true;
      enter(v, state);
      if (++walked_ > limits_.steps) {
        out_.bounded = true;
        break;
      }
      if (!step(v, key, state, cost, edge)) break;
      from = v;
    }
    while (trail_.size() > trail_mark) {
      spots_[trail_.back().node].position = trail_.back().earlier;
      if (trail_.back().earlier != 0) --repeats_;
      trail_.pop_back();
    }
    steps_.resize(trail_mark);
    decisions_.resize(decisions_mark);
    calls_.resize(calls_mark);
    memory_.resize(memory_mark);
    handed_.resize(handed_mark);
    forgotten_.resize(forgotten_mark);
    known_.resize(known_mark);
    current_.resize(current_mark);
    snapshots_.used = snapshots_mark;
    --forks_;
  }

  void enter(Vertex v, State& state) {
    Trail t;
    t.node = v;
    t.earlier = spots_[v].position;
    t.first = static_cast<std::uint32_t>(trail_.size());
    if (t.earlier != 0) {
      ++repeats_;
      const Trail& last = trail_[t.earlier - 1];
      t.first = last.first;
      t.entries = last.entries + 1;
      if (closes(last)) t.turns = last.turns + 1;
    }
    trail_.push_back(t);
    steps_.push_back({.node = static_cast<std::uint32_t>(v)});
    spots_[v].position = static_cast<std::uint32_t>(trail_.size());
    const std::size_t here = trail_.size() - 1;
    if (!spots_[v].is_head) return;
    auto known = forget_.find(v);
    if (known != forget_.end())
      state.forget(machine_.setting(), known->second, moment(v).before(), visiting_ ? &forgotten_ : nullptr);
    Snapshot& kept = snapshots_.next();
    kept.position = here;
    kept.state = state;
  }

  Moment moment(Vertex v) const {
    return {out_.routine.graph[v].key.address, static_cast<std::uint32_t>(trail_.size())};
  }

  // Runs the instruction of node v. Returns whether the walk goes straight on, with key, state, cost and edge set.
  bool step(Vertex v, NodeKey& key, State& state, Cost& cost, EdgeKind& edge) {
    const Insn& insn = insn_at(v);
    trail_.back().before = {cost.instructions, cost.loads, cost.stores};
    Transfer done;
    if (insn.size == 0) {
      done.kind = Transfer::Kind::end;
      done.end = EndKind::falls_off;
      finish_path(insn, done, state, cost);
      return false;
    }
    Moment m = moment(v);
    bool load = false, store = false;
    if (Machine::is_plain(insn)) {
      machine_.run(insn, state, m, load, store);
      Transfer t;
      t.frame_load = load;
      t.frame_store = store;
      add_cost(cost, insn, true, false, t);
      edge = EdgeKind::next;
      key = node_at(insn.address + insn.size, state);
      return true;
    }
    Choice choice = machine_.choose(insn, state, m, load, store);
    bool holds = true;
    if (choice.conditional && !choice.maybe) {
      steps_.back().conditional = true;
      if (choice.open) {
        trail_.back().decided = Decided::open;
        fork(insn, v, choice, state, cost, m, load, store);
        return false;
      }
      // A predicated register operation decides nothing: it may differ from turn to turn.
      if (insn.flow != Flow::next || insn.memory.loads || insn.memory.stores)
        trail_.back().decided = choice.answer.by == Answer::By::constants ? Decided::constants : Decided::facts;
      steps_.back().known = true;
      holds = choice.answer.holds;
      if (visiting_ && insn.flow != Flow::next)
        known_.push_back({static_cast<std::uint32_t>(trail_.size() - 1), choice.question, holds});
    }
    return act(insn, v, choice, holds, key, state, cost, edge, m, load, store);
  }

  void fork(const Insn& insn, Vertex v, const Choice& choice, State& state, const Cost& cost, const Moment& m,
            bool load, bool store) {
    const std::size_t memory_mark = memory_.size(), handed_mark = handed_.size(), current_mark = current_.size();
    for (bool first : {true, false}) {
      const bool holds = first == taken_first_;
      State& arm = first ? arms_.next() : state;
      if (first) arm = state;
      Cost arm_cost = cost;
      arm.assume(machine_.setting(), choice.question, holds);
      decisions_.push_back({insn.address, holds, std::nullopt});
      if (visiting_) asked_.push_back({static_cast<std::uint32_t>(trail_.size() - 1), choice.question, holds});
      NodeKey key = out_.routine.graph[v].key;
      EdgeKind edge = EdgeKind::next;
      const Decided decided = trail_.back().decided;
      const Step saved = steps_.back();
      if (act(insn, v, choice, holds, key, arm, arm_cost, edge, m, load, store)) walk(key, arm, arm_cost, edge, v);
      if (first) --arms_.used;
      trail_.back().decided = decided;
      steps_.back() = saved;
      decisions_.pop_back();
      if (visiting_) asked_.pop_back();
      memory_.resize(memory_mark);
      handed_.resize(handed_mark);
      current_.resize(current_mark);
      if (!calls_.empty() && calls_.back().step == trail_.size() - 1) calls_.pop_back();
    }
  }

  bool act(const Insn& insn, Vertex v, const Choice& choice, bool holds, NodeKey& key, State& state, Cost& cost,
           EdgeKind& edge, const Moment& m, bool load, bool store) {
    Transfer t = machine_.finish(insn, state, choice, holds, m);
    t.frame_load = t.frame_load || load;
    t.frame_store = t.frame_store || store;
    Step& s = steps_.back();
    s.executed = choice.maybe || holds || !insn.when->guards_effects;
    if (!insn.when) s.executed = true;
    s.transferred = insn.flow != Flow::next && (!insn.when || holds);
    add_cost(cost, insn, s.executed, s.transferred, t);
    if (t.call) calls_.push_back({trail_.size() - 1, *t.call});
    if (t.kind == Transfer::Kind::end) {
      out_.routine.graph[v].end = t.end;
      out_.routine.graph[v].target = t.target;
      finish_path(insn, t, state, cost);
      return false;
    }
    if (t.kind == Transfer::Kind::many) {
      trail_.back().decided = Decided::open;
      std::uint32_t number = 0;
      for (const Transfer::TableTarget& target : t.targets) {
        decisions_.push_back({insn.address, true, number++});
        if (target.leaves) {
          Transfer out = t;
          out.end = EndKind::jump;
          out.target = target.address;
          finish_path(insn, out, state, cost);
        } else {
          State& there = arms_.next();
          there = state;
          if (target.chosen) there.assume(machine_.setting(), *target.chosen, true);
          walk(node_at(target.address, there), there, cost, t.edge, v);
          --arms_.used;
        }
        decisions_.pop_back();
      }
      return false;
    }
    edge = t.edge;
    key = node_at(t.to, state);
    return true;
  }

  NodeKey node_at(std::uint64_t address, const State& state) const {
    return {address, machine_.continuation(state).value_or(0)};
  }

  // Going to a node that the trail entered first before, or when, it first entered the node that it comes from, closes
  // a turn.
  bool closes(const Trail& head) const { return head.first <= trail_.back().first; }

  // The walk has come back to a node. A loop whose every decision followed from constants goes on; any other ends the
  // walk.
  bool another_turn(Vertex v, const State& state, const Cost& cost) {
    const std::size_t start = spots_[v].position - 1;
    bool constants = false, others = false;
    std::uint64_t deciding = 0;
    for (std::size_t i = start; i < trail_.size(); ++i) {
      if (trail_[i].decided == Decided::none) continue;
      deciding = out_.routine.graph[trail_[i].node].key.address;
      (trail_[i].decided == Decided::constants ? constants : others) = true;
    }
    const Trail& last = trail_[start];
    const bool few = last.entries < max_entries && (last.turns < max_turns || !closes(last));
    if (constants && !others && few) return true;

    Loop loop;
    loop.head = out_.routine.graph[v].key;
    loop.closing = out_.routine.graph[trail_.back().node].key.address;
    loop.deciding = deciding;
    loop.turn = less({cost.instructions, cost.loads, cost.stores}, trail_[start].before);
    record(loop);
    for (std::size_t i = snapshots_.used; i-- > 0;) {
      const Snapshot* s = snapshots_.all[i].get();
      if (s->position != start) continue;
      if (s->state.learn(machine_.setting(), state, forget_[v])) learned_ = true;
      if (visiting_) visitor_->came_back(loop.head.address, loop.closing, s->state, state, machine_);
      return false;
    }
    // No state was kept at this node: keep one in the next enumeration.
    spots_[v].is_head = true;
    learned_ = true;
    return false;
  }

  void record(const Loop& loop) {
    for (Loop& known : out_.loops) {
      if (known.head != loop.head || known.closing != loop.closing) continue;
      if (cheaper(loop.turn, known.turn)) known = loop;
      return;
    }
    out_.loops.push_back(loop);
  }

  void show(const Path& p, const State& state, const Insn& last) {
    visitor_->path({p, state, machine_, out_.routine, last, memory_, asked_, handed_, known_, forgotten_, current_});
  }

  static Cost less(const Charge& a, const Charge& b) {
    Cost d;
    d.instructions = a.instructions - b.instructions;
    d.loads = a.loads - b.loads;
    d.stores = a.stores - b.stores;
    return d;
  }

  void finish_path(const Insn& insn, const Transfer& t, const State& state, const Cost& cost) {
    if (scouting_) return;
    const std::uint64_t number = out_.total++;
    if (out_.total == 1) out_.least = out_.most = cost;
    auto span = [&](std::uint64_t Cost::* count) {
      out_.least.*count = std::min(out_.least.*count, cost.*count);
      out_.most.*count = std::max(out_.most.*count, cost.*count);
    };
    span(&Cost::instructions);
    span(&Cost::loads);
    span(&Cost::stores);
    if (out_.total >= limits_.walked) out_.bounded = true;
    Path p;
    p.number = number;
    p.cost = cost;
    // Above the limit the cheapest are kept, in a heap with the dearest on top.
    const auto by_cost = [](const Path& a, const Path& b) { return cheaper(a.cost, b.cost); };
    const bool full = out_.paths.size() >= limits_.listed;
    if (full && visiting_) {
      complete(p, insn, t, state);
      show(p, state, insn);
    }
    if (full && (out_.paths.empty() || !cheaper(cost, out_.paths.front().cost))) return;
    if (full) {
      std::pop_heap(out_.paths.begin(), out_.paths.end(), by_cost);
      out_.paths.pop_back();
    }
    if (p.steps.empty()) complete(p, insn, t, state);
    if (!full && visiting_) show(p, state, insn);
    out_.paths.push_back(std::move(p));
    std::push_heap(out_.paths.begin(), out_.paths.end(), by_cost);
  }

  // Fills in what a path that is kept, or shown to somebody, has besides its cost.
  void complete(Path& p, const Insn& insn, const Transfer& t, const State& state) const {
    p.decisions = decisions_;
    p.calls = calls_;
    p.end = t.end;
    p.target = t.target;
    p.restored = state.restored;
    if (t.end == EndKind::exception_return) p.to = machine_.privilege(insn, state);
    p.steps = steps_;
    counted_loops(p);
  }

  // Loops that the trail walked several turns of. A step closes a turn when it goes to a node that the trail entered
  // first before, or when, it first entered the node that the step comes from. Each time that a walk comes to the head
  // in another way begins a turn as well: an inner loop is entered once for each turn of the outer one.
  void counted_loops(Path& p) const {
    if (repeats_ == 0) return;
    std::map<Vertex, std::uint64_t> begun;  // by head: times that it was come to without closing a turn
    std::vector<Vertex> heads;              // of p.counted
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      if (trail_[i].earlier == 0 || trail_[i].first > trail_[i - 1].first) {
        ++begun[trail_[i].node];
        continue;
      }
      Loop loop;
      loop.head = out_.routine.graph[trail_[i].node].key;
      loop.closing = out_.routine.graph[trail_[i - 1].node].key.address;
      auto known = std::find_if(p.counted.begin(), p.counted.end(),
                                [&](const Loop& l) { return l.head == loop.head && l.closing == loop.closing; });
      if (known != p.counted.end()) {
        ++*known->turns;
        continue;
      }
      const std::size_t start = trail_[i].earlier - 1;
      for (std::size_t k = start; k < i; ++k)
        if (trail_[k].decided != Decided::none) loop.deciding = out_.routine.graph[trail_[k].node].key.address;
      loop.turns = 1;
      loop.turn = less(trail_[i].before, trail_[start].before);
      p.counted.push_back(loop);
      heads.push_back(trail_[i].node);
    }
    for (std::size_t i = 0; i < heads.size(); ++i) *p.counted[i].turns += begun[heads[i]];
  }

  Code& code_;
  Machine& machine_;
  RoutinePaths& out_;
  const PathLimits& limits_;
  PathVisitor* visitor_;
  std::vector<MemoryEvent> memory_;          // of the trail
  std::vector<AskedQuestion> asked_;         // of the trail
  std::vector<HandedPointer> handed_;        // of the trail
  std::vector<State::Forgotten> forgotten_;  // of the trail
  std::vector<AskedQuestion> known_;         // of the trail
  std::vector<ValueId> current_;             // of the trail
  bool visiting_ = false;
  std::vector<Trail> trail_;
  std::vector<Step> steps_;  // of the trail
  std::size_t repeats_ = 0;  // steps of the trail to a node that it had entered before
  std::vector<Spot> spots_;  // by vertex
  std::vector<Decision> decisions_;
  std::vector<CallOnPath> calls_;
  Reused<Snapshot> snapshots_;
  Reused<State> arms_;
  std::map<Vertex, State::Difference> forget_;
  bool scouting_ = false;
  bool taken_first_ = true;
  bool learned_ = false;
  bool give_up_ = false;
  bool too_deep_ = false;
  unsigned forks_ = 0;
  std::uint64_t walked_ = 0;  // steps, of all walks
};

void attach_loops(RoutinePaths& out) {
  if (out.loops.empty()) return;
  std::vector<std::vector<std::size_t>> at(boost::num_vertices(out.routine.graph));  // by vertex: loops of that head
  for (std::size_t i = 0; i < out.loops.size(); ++i)
    if (std::optional<Vertex> head = out.routine.find(out.loops[i].head)) at[*head].push_back(i);
  std::vector<char> is_head(at.size());  // looked at for each step of each path
  for (Vertex v = 0; v < at.size(); ++v) is_head[v] = !at[v].empty();
  for (Path& p : out.paths) {
    for (const Step& s : p.steps)
      if (is_head[s.node]) p.loops.insert(p.loops.end(), at[s.node].begin(), at[s.node].end());
    std::sort(p.loops.begin(), p.loops.end());
    p.loops.erase(std::unique(p.loops.begin(), p.loops.end()), p.loops.end());  // a counted loop comes back to a head
  }
}

}  // namespace

RoutinePaths find_paths(Code& code, std::uint64_t entry, const Contract& contract, const PathLimits& limits,
                        PathVisitor* visitor) {
  const Image& image = code.image();
  const Facts& facts = facts_of(image);
  ValuePool pool(facts.register_bytes);
  Setting setting{pool, image, facts, image.elf().little_endian};
  Machine machine(code, setting, entry);
  RoutinePaths out{.routine = build_graph(machine, entry, contract)};  // made in place: Boost copies a graph to move it
  Walker walker(code, machine, out, limits, visitor);
  State start(setting, contract);
  for (int round = 0; round < 32; ++round) {
    bool learned = walker.run(start, Walker::Mode::scout_taken_first);
    learned = walker.run(start, Walker::Mode::scout_fall_first) || learned;
    if (!learned) break;
  }
  bool learned = true;
  for (int round = 0; learned && round <= 32; ++round)
    learned = walker.run(start, Walker::Mode::all, /*give_up=*/round < 16);
  // With something still to learn, a decision may have been taken from a value that a loop changes.
  out.bounded = out.bounded || learned || walker.too_deep() || out.routine.truncated;
  std::sort(out.loops.begin(), out.loops.end(),
            [](const Loop& a, const Loop& b) { return std::tie(a.head, a.closing) < std::tie(b.head, b.closing); });
  out.blocks = make_blocks(out.routine);
  attach_loops(out);
  if (!out.bounded) {
    std::uint64_t walks = count_walks(out.routine, max_walks);
    out.infeasible = walks > out.total ? walks - out.total : 0;
  }
  return out;
}

}  // namespace trapline
