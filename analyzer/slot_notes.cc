// SPDX-License-Identifier: Apache-2.0
#include "analyzer/slot_notes.h"

#include <fmt/format.h>

#include "analyzer/label.h"
#include "cfg/frame_use.h"

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

// Why a store that looks needless is needed, or that it is needless.
std::string judged(const Image& image, const StoreFate& fate, std::uint64_t by) {
  if (fate.kind == StoreFate::Kind::overwritten) return "overwritten at " + image.describe(by);
  if (fate.kind != StoreFate::Kind::callee || fate.answer.fate == SlotAnswer::Fate::kept) return {};
  const std::string callee = callee_name(image, fate.function);
  if (fate.dead()) return fmt::format("overwritten by {} before it reads it", callee);
  return fmt::format("needed: {} does not write it {}where the branch at {} is {}", callee,
                     fate.answer.written_later ? "first " : "", image.describe(fate.answer.branch),
                     fate.answer.taken ? "taken" : "not taken");
}

}  // namespace

void SlotNotes::path(const FinishedPath& end) {
  const EndState state(end, end.machine.setting(), contract_);
  if (!state.frame()) return;
  Notes notes;
  Code& code = end.machine.code();
  const auto address = [&](std::uint32_t at) { return end.routine.graph[end.path.steps[at].node].key.address; };
  std::map<const MemoryEvent*, std::string> fates;
  for (const StoreFate& fate : store_fates(state, code)) {
    std::string text = judged(code.image(), fate, address(fate.by));
    if (!text.empty()) fates.emplace(fate.store, std::move(text));
  }
  std::uint32_t step = 0;
  Ends ends;
  std::size_t load = 0, store = 0;
  bool fresh = true;
  for (const MemoryEvent& e : state.memory()) {
    if (fresh || e.step != step) {
      fresh = false;
      step = e.step;
      ends = ends_of(code.insn(address(step)));
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
      if (const auto fate = fates.find(&e); fate != fates.end()) append(notes[step], fate->second);
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
