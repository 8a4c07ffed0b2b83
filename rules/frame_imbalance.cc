// SPDX-License-Identifier: Apache-2.0
//
// frame-imbalance: a path ends, or starts anew, with another stack pointer than it should have.
//
// How it works: where interrupted code resumes, the stack pointer is what it was or comes from its slot; a function
// returns with the stack pointer it was called with; where the stack pointer of user mode is a register of its own, the
// kernel's must have come back to where it was. A walk that comes back to a place finds the stack pointer it left.
// False positives: a routine that switches stacks on purpose and whose contract does not say so.
// False negatives: a stack pointer that is not known; see lost-track.
// Real bug: xen_hypercall_hvm pushed a register and did not pop it on one path ("x86/xen: add FRAME_END to
// xen_hypercall_hvm", 2025).
#include <fmt/format.h>

#include "rules/rules.h"

namespace trapline {
namespace {

// Bytes that the stack pointer is off; nothing where it is right, or not comparable.
std::optional<std::int64_t> off_by(const PathView& view) {
  const Facts& facts = view.facts();
  const Place sp = facts.stack_pointer;
  const EndState& state = view.state();
  const ValuePool& pool = state.setting().pool;
  const Address now = state.remembered(pool.as_address(state.remembered(state.end().state.get(state.setting(), sp))));
  const bool from_entry = now.base != no_value && pool[now.base].kind == ValueKind::entry && pool[now.base].imm == sp;
  if (view.path().end == EndKind::ret) {
    if (state.contract().kind != ContractKind::function || view.routine().role == Role::context_switch) return {};
    return from_entry && now.offset != 0 ? std::optional(now.offset) : std::nullopt;
  }
  if (!view.exception_return() || view.lost()) return {};
  const Holding h = state.holding(sp);
  if (h.held == Held::own_slot && view.to_kernel() && state.frame() && h.slot != nullptr) {
    // What the slot was filled with is what the interrupted code gets back.
    const Address slot{state.frame()->base, state.frame()->offset + h.slot->offset};
    const MemoryEvent* store = state.stored_before(slot, h.slot->width, 0x7fffffff);
    if (store == nullptr || store->value == no_value) return {};
    const Address given = pool.as_address(store->value);
    const bool own = given.base != no_value && pool[given.base].kind == ValueKind::entry && pool[given.base].imm == sp;
    return own && given.offset != 0 ? std::optional(given.offset) : std::nullopt;
  }
  if (h.held == Held::own_slot || h.held == Held::other_slot) return {};
  bool has_slot = false;
  for (const Slot& slot : state.layout().slots) has_slot = has_slot || slot.place == sp;
  if (state.built() && from_entry) {
    const std::int64_t top = state.contract().frame_offset + static_cast<std::int64_t>(state.layout().size);
    return has_slot || now.offset != top ? std::optional(has_slot ? now.offset : now.offset - top) : std::nullopt;
  }
  if (from_entry) return now.offset != 0 ? std::optional(now.offset) : std::nullopt;
  if (state.frame() && now.base == state.frame()->base) return now.offset - state.frame()->offset;
  return {};
}

class FrameImbalance : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.facts().stack_pointer == no_place) return;
    if (view.state().contract().frame >= view.facts().frames.size()) return;
    std::optional<std::int64_t> off = off_by(view);
    if (!off) return;
    Finding& f = findings.at(RuleId::frame_imbalance, Level::error, view.end_address(), view.path().number, "end");
    f.add("bytes", static_cast<std::uint32_t>(*off & 0x7fffffff), fmt::format("{}", *off));
    if (!f.steps.empty()) return;
    view.add_last_write(f, view.facts().stack_pointer, "last change of the stack pointer");
    f.steps.push_back({view.end_address(), fmt::format("the stack pointer is off by {} bytes", *off)});
  }

  void came_back(const RoutineInfo& info, std::uint64_t head, std::uint64_t from, const State& then, const State& now,
                 Machine& machine, Findings& findings) override {
    const Place sp = info.facts().stack_pointer;
    if (sp == no_place) return;
    const Setting& s = machine.setting();
    const Address a = s.pool.as_address(then.get(s, sp)), b = s.pool.as_address(now.get(s, sp));
    if (a.base == no_value || a.base != b.base || a.offset == b.offset) return;
    Finding& f = findings.at(RuleId::frame_imbalance, Level::error, from, 0, "loop");
    f.paths.clear();
    f.add("bytes", static_cast<std::uint32_t>((b.offset - a.offset) & 0x7fffffff),
          fmt::format("{}", b.offset - a.offset));
    if (!f.steps.empty()) return;
    f.steps.push_back({from, "goes back"});
    f.steps.push_back(
        {head, fmt::format("was entered before with a stack pointer {} bytes away", a.offset - b.offset)});
  }
};

}  // namespace

std::unique_ptr<Rule> make_frame_imbalance() { return std::make_unique<FrameImbalance>(); }

void describe_frame_imbalance(const Facts&, Finding& f) {
  f.message = f.variety == "loop"
                  ? "the path starts anew with a stack pointer that is off by " + f.joined("bytes") + " bytes"
                  : "the path ends with a stack pointer that is off by " + f.joined("bytes") + " bytes";
  f.fix = "give back what the path took from the stack";
}

}  // namespace trapline
