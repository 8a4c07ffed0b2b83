// SPDX-License-Identifier: Apache-2.0
#include "cfg/callee.h"

#include <algorithm>
#include <deque>

#include "disasm/arch/arch.h"

namespace trapline {

CalleeCode::CalleeCode(Code& code, std::uint64_t entry) : code_(code), pool_(facts_of(code.image()).register_bytes) {
  const Image& image = code.image();
  if (!image.is_code(entry)) return;
  const Setting setting{pool_, image, facts_of(image), image.elf().little_endian};
  Machine machine(code, setting, entry);
  Contract function;
  function.kind = ContractKind::function;
  routine_ = build_graph(machine, entry, function, &accesses_);
}

bool CalleeCode::is_call(Vertex v) const {
  const Flow flow = code_.insn(routine_.graph[v].key.address).flow;
  if (flow == Flow::syscall || routine_.graph[v].end == EndKind::no_return) return true;
  const auto [first, last] = boost::out_edges(v, routine_.graph);
  return std::any_of(first, last, [&](const auto& e) {
    const EdgeKind kind = routine_.graph[e].kind;
    return kind == EdgeKind::after_call || kind == EdgeKind::call_return;
  });
}

CalleeCode::Use CalleeCode::use_at(Vertex v, const std::vector<HandedMemory>& where, unsigned width) const {
  const Insn& insn = code_.insn(routine_.graph[v].key.address);
  for (const MemoryEvent& e : accesses_[v]) {
    if (e.at.base == no_value) continue;
    const Value& base = pool_[e.at.base];
    const auto handed = std::find_if(where.begin(), where.end(), [&](const HandedMemory& m) {
      return base.kind == ValueKind::entry && base.imm == m.place;
    });
    if (handed == where.end()) {
      // What the function was handed in another register, and its own stack, is other memory. What it found in memory,
      // or computed, may point to the slot.
      if (!e.store && !e.on_stack && base.kind != ValueKind::entry) return Use::read;
      continue;
    }
    const std::int64_t from = e.at.offset - handed->offset;  // from the start of the slot
    if (from >= static_cast<std::int64_t>(width) || from + e.width <= 0) continue;
    if (!e.store) return Use::read;
    if (from > 0 || from + e.width < static_cast<std::int64_t>(width)) continue;
    return insn.when && insn.when->guards_effects ? Use::predicated_write : Use::write;
  }
  return is_call(v) ? Use::read : Use::none;
}

CalleeCode::Ways CalleeCode::follow(const std::vector<HandedMemory>& where, unsigned width) const {
  const Graph& g = routine_.graph;
  const std::size_t count = boost::num_vertices(g);
  Ways ways{{}, std::vector<bool>(count, true), std::vector<bool>(count, false)};
  for (Vertex v = 0; v < count; ++v) ways.use.push_back(use_at(v, where, width));
  // A way that ends in a trap or goes round for ever never misses the slot.
  auto leaves_unwritten = [&](Vertex v) { return g[v].end && g[v].end != EndKind::trap && g[v].end != EndKind::halt; };
  for (bool changed = true; changed;) {
    changed = false;
    for (Vertex v = count; v-- > 0;) {
      bool always = ways.use[v] == Use::write, sometimes = always || ways.use[v] == Use::predicated_write;
      if (ways.use[v] == Use::none || ways.use[v] == Use::predicated_write) {
        always = !leaves_unwritten(v);
        for (auto [e, end] = boost::out_edges(v, g); e != end; ++e) {
          always = always && ways.always[boost::target(*e, g)];
          sometimes = sometimes || ways.sometimes[boost::target(*e, g)];
        }
      }
      changed = changed || always != ways.always[v] || sometimes != ways.sometimes[v];
      ways.always[v] = always;
      ways.sometimes[v] = sometimes;
    }
  }
  return ways;
}

bool CalleeCode::reaches_write(const Ways& ways, Vertex from) const {
  std::vector<bool> seen(ways.use.size());
  std::vector<Vertex> work{from};
  while (!work.empty()) {
    const Vertex v = work.back();
    work.pop_back();
    if (seen[v]) continue;
    seen[v] = true;
    if (ways.use[v] == Use::write || ways.use[v] == Use::predicated_write) return true;
    for (auto [e, end] = boost::out_edges(v, routine_.graph); e != end; ++e)
      work.push_back(boost::target(*e, routine_.graph));
  }
  return false;
}

// The first place where a way that writes and a way that does not part.
void CalleeCode::find_branch(const Ways& ways, SlotAnswer& answer) const {
  const Graph& g = routine_.graph;
  std::vector<bool> seen(ways.use.size());
  std::deque<Vertex> work{routine_.entry};
  while (!work.empty()) {
    const Vertex v = work.front();
    work.pop_front();
    if (seen[v] || ways.always[v] || !ways.sometimes[v]) continue;
    seen[v] = true;
    for (auto [e, end] = boost::out_edges(v, g); e != end; ++e) {
      const Vertex next = boost::target(*e, g);
      const bool parts = ways.use[v] == Use::predicated_write ? g[*e].kind == EdgeKind::skipped : !ways.sometimes[next];
      if (parts) {
        answer.branch = g[v].key.address;
        answer.taken = g[*e].kind == EdgeKind::taken;
        answer.written_later = reaches_write(ways, next);
        return;
      }
      work.push_back(next);
    }
    if (g[v].end) {  // a conditional return
      answer.branch = g[v].key.address;
      answer.taken = true;
      return;
    }
  }
}

const SlotAnswer& CalleeCode::ask(const std::vector<HandedMemory>& where, unsigned width) {
  auto [it, fresh] = known_.try_emplace({where, width});
  SlotAnswer& answer = it->second;
  if (!fresh || boost::num_vertices(routine_.graph) == 0 || routine_.truncated || where.empty()) return answer;
  const Ways ways = follow(where, width);
  if (!ways.sometimes[routine_.entry]) return answer;
  answer.fate = ways.always[routine_.entry] ? SlotAnswer::Fate::overwritten : SlotAnswer::Fate::partly;
  if (answer.fate == SlotAnswer::Fate::partly) find_branch(ways, answer);
  return answer;
}

}  // namespace trapline
