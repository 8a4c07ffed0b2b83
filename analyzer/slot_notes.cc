// SPDX-License-Identifier: Apache-2.0
#include "analyzer/slot_notes.h"

#include <fmt/format.h>

namespace trapline {

namespace {

// The places that the loads of an instruction go to, and those that its stores come from, in the order of its
// operations.
struct Ends {
  std::vector<Place> loads, stores;
};

Place final_place(const Insn& insn, std::size_t load) {
  const Operand& dst = insn.ops[load].dst;
  if (dst.kind == Operand::Kind::place) return dst.index;
  for (std::size_t i = load + 1; i < insn.ops.size(); ++i) {
    const MicroOp& op = insn.ops[i];
    if (op.a.kind == Operand::Kind::temp && op.a.index == dst.index && op.dst.kind == Operand::Kind::place)
      return op.dst.index;
  }
  return no_place;
}

Ends ends_of(const Insn& insn) {
  Ends ends;
  for (std::size_t i = 0; i < insn.ops.size(); ++i) {
    const MicroOp& op = insn.ops[i];
    if (op.op == Op::load) ends.loads.push_back(final_place(insn, i));
    if (op.op == Op::store) ends.stores.push_back(op.b.kind == Operand::Kind::place ? op.b.index : no_place);
  }
  return ends;
}

std::string name_of(const Facts& facts, Place place) {
  return place < facts.places.size() ? std::string(facts.places[place].name) : std::string("a value");
}

// What is stored: the interrupted context's register where it is one, else the operand.
std::string source(const EndState& state, const MemoryEvent& e, Place operand) {
  if (e.value != no_value) {
    const Value& v = state.setting().pool[e.value];
    if (v.kind == ValueKind::constant) return fmt::format("{}{:x}", v.imm < 10 ? "" : "0x", v.imm);
    if (v.kind == ValueKind::entry) return name_of(state.facts(), static_cast<Place>(v.imm));
  }
  return name_of(state.facts(), operand);
}

void append(std::string& note, const std::string& more) {
  if (!note.empty()) note += ", ";
  note += more;
}

}  // namespace

void SlotNotes::path(const FinishedPath& end) {
  const EndState state(end, end.machine.setting(), contract_);
  if (!state.frame()) return;
  Notes notes;
  std::uint32_t step = 0;
  Ends ends;
  std::size_t load = 0, store = 0;
  bool fresh = true;
  for (const MemoryEvent& e : state.memory()) {
    if (fresh || e.step != step) {
      fresh = false;
      step = e.step;
      ends = ends_of(end.machine.code().insn(end.routine.graph[end.path.steps[step].node].key.address));
      load = store = 0;
    }
    std::vector<Place>& places = e.store ? ends.stores : ends.loads;
    std::size_t& number = e.store ? store : load;
    const Place place = number < places.size() ? places[number] : no_place;
    ++number;
    std::optional<SlotAccess> access = state.slot_at(e.at);
    if (!access) continue;
    const std::string slot(access->slot->name);
    if (e.store) {
      append(notes[step], fmt::format("{} <- {}", slot, source(state, e, place)));
      continue;
    }
    const bool saved = state.built() || state.stored_before(e.at, e.width, step) != nullptr;
    append(notes[step],
           fmt::format("{} <- {}{}", name_of(state.facts(), place), slot, saved ? "" : ", not saved on this path"));
  }
  if (!notes.empty()) notes_.emplace(end.path.number, std::move(notes));
}

const SlotNotes::Notes& SlotNotes::of(std::uint64_t number) const {
  static const Notes none;
  auto it = notes_.find(number);
  return it == notes_.end() ? none : it->second;
}

}  // namespace trapline
