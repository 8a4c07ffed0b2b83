// SPDX-License-Identifier: Apache-2.0
#include "rules/view.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

namespace trapline {

Level lowered(Level level) {
  return level == Level::error ? Level::warning : level == Level::warning ? Level::note : level;
}

Finding& Findings::at(RuleId rule, Level level, std::uint64_t place, std::uint64_t path, std::string_view variety) {
  auto [it, fresh] = all_.try_emplace({rule, place, std::string(variety)});
  Finding& f = it->second;
  if (fresh) {
    f.rule = rule;
    f.level = level;
    f.place = f.address = place;
    f.variety = variety;
  }
  f.level = std::max(f.level, level);
  if (f.paths.empty() || f.paths.back() != path) f.paths.push_back(path);
  return f;
}

PathView::PathView(const RoutineInfo& routine, const EndState& state)
    : routine_(routine), state_(state), to_(state.to()) {
  if (exception_return()) other_ = find_other();
  static constexpr OtherReturn elsewhere{"", "it goes to an address of the kernel's choice"};
  if (other_ == nullptr && state.resumes_elsewhere()) other_ = &elsewhere;
  if (exception_return() && state.contract().frame < state.facts().frames.size()) {
    for (const Slot& slot : state.layout().slots) {
      if (slot.place == no_place) continue;
      if (slot.kind == SlotKind::user_register) registers_.push_back(state.holding(slot.place));
      if (slot.kind == SlotKind::return_state) return_state_.push_back(returned(slot));
    }
    signal_ = to_ != Machine::Privilege::kernel && find_signal();
  }
  lost_ = is_lost(*this);
}

// The return address is what the instruction jumps to, the status where it takes it from (PowerPC has several pairs).
Holding PathView::returned(const Slot& slot) const {
  const Insn& last = state_.end().last;
  const State& end = state_.end().state;
  const bool address = !facts().places[slot.place].holds_privilege;
  if (!address && last.status != no_place) return state_.classify(slot.place, end.get(state_.setting(), last.status));
  const ValueId target = state_.end().machine.held(end, last.jump_to);
  return address && target != no_value ? state_.classify(slot.place, target) : state_.holding(slot.place);
}

std::vector<Holding> PathView::everything() const {
  std::vector<Holding> all = registers_;
  all.insert(all.end(), return_state_.begin(), return_state_.end());
  return all;
}

bool PathView::need_not_restore(Place place) const {
  const std::vector<NotReloaded>& all = facts().signal_exempt;
  return std::any_of(all.begin(), all.end(), [place](const NotReloaded& n) { return n.always && n.place == place; });
}

std::uint64_t PathView::address_of(std::uint32_t step) const {
  return state_.end().routine.graph[path().steps[step].node].key.address;
}

std::string PathView::origin(std::uint64_t address) const {
  if (address == 0) return {};
  for (const CallOnPath& c : path().calls) {
    if (address_of(static_cast<std::uint32_t>(c.step)) != address) continue;
    if (!c.site.target) return "by the call at " + routine_.image().describe(address);
    const std::string_view name = function_at(*c.site.target);
    return fmt::format("by the call of {}", name.empty() ? routine_.image().describe(*c.site.target) : name);
  }
  return "at " + routine_.image().describe(address);
}

// A function entered at its local entry point is that function.
std::string_view PathView::function_at(std::uint64_t address) const {
  const Symbol* symbol = routine_.image().enclosing_symbol(address);
  if (symbol == nullptr) return {};
  const bool entered =
      symbol->address == address || routine_.image().arch().code_address(routine_.image(), *symbol) == address;
  return entered ? std::string_view(symbol->name) : std::string_view();
}

const Slot* PathView::loaded_slot(const Holding& h) const {
  const ValueId value = state_.remembered(h.value);
  for (const MemoryEvent& e : state_.memory()) {
    if (e.store || e.value != value) continue;
    if (std::optional<SlotAccess> access = state_.slot_at(e.at)) return access->slot;
  }
  return nullptr;
}

const Slot* PathView::loaded_slot_of(Place place) const {
  for (const MemoryEvent& e : state_.memory()) {
    if (e.store) continue;
    if (std::optional<SlotAccess> access = state_.slot_at(e.at); access && access->slot->place == place)
      return access->slot;
  }
  return nullptr;
}

bool PathView::really_changed(const Holding& h) const {
  if ((h.held != Held::kernel && h.held != Held::result) || h.origin == 0 || h.place == facts().link) return true;
  const bool by_call = std::any_of(path().calls.begin(), path().calls.end(), [&](const CallOnPath& c) {
    return address_of(static_cast<std::uint32_t>(c.step)) == h.origin;
  });
  if (!by_call) return true;
  // Written before the calls, and not put back; or written by one of them.
  const std::optional<std::uint32_t> written = state_.last_write(h.place, routine_.code, state_.end().routine);
  if (written) return true;
  return std::any_of(path().calls.begin(), path().calls.end(), [&](const CallOnPath& c) {
    return !c.site.target || routine_.code.may_write(*c.site.target, h.place);
  });
}

void PathView::add_origins(Finding& finding, const std::vector<Holding>& registers) const {
  std::map<std::uint32_t, std::vector<const Holding*>> by_step;
  for (const Holding& h : registers) {
    std::optional<std::uint32_t> step = state_.last_write(h.place, routine_.code, state_.end().routine);
    if (h.stored_at) step = h.stored_at;
    for (const CallOnPath& c : path().calls)
      if (h.origin != 0 && address_of(static_cast<std::uint32_t>(c.step)) == h.origin && (!step || c.step > *step))
        step = static_cast<std::uint32_t>(c.step);
    if (step) by_step[*step].push_back(&h);
  }
  for (const auto& [step, list] : by_step) {
    std::string names;
    for (const Holding* h : list) names += (names.empty() ? "" : ", ") + std::string(name(h->place));
    const bool call = std::any_of(path().calls.begin(), path().calls.end(),
                                  [step = step](const CallOnPath& c) { return c.step == step; });
    const bool constant =
        std::all_of(list.begin(), list.end(), [](const Holding* h) { return h->held == Held::constant; });
    finding.steps.push_back({address_of(step), names + (call       ? " may be changed by the callee"
                                                        : constant ? " <- a constant"
                                                                   : " <- a value of the kernel's")});
  }
}

void PathView::add_last_write(Finding& finding, Place place, std::string note) const {
  if (std::optional<std::uint32_t> step = state_.last_write(place, routine_.code, state_.end().routine))
    finding.steps.push_back({address_of(*step), std::move(note)});
}

void PathView::add_end_to(std::vector<FindingStep>& steps) const {
  steps.push_back({end_address(), to_user()     ? "returns to user mode"
                                  : to_kernel() ? "returns to kernel code"
                                                : "returns to user mode or to kernel code"});
}

const OtherReturn* PathView::find_other() const {
  const Symbol* symbol = routine_.image().enclosing_symbol(end_address());
  if (symbol == nullptr) return nullptr;
  for (const OtherReturn& other : facts().other_returns)
    if (fnmatch(std::string(other.name).c_str(), std::string(symbol->name).c_str(), 0) == 0) return &other;
  return nullptr;
}

// A signal handler is left by a system call: the path must have made a call, and must have answered every question as
// it is answered after rt_sigreturn.
bool PathView::find_signal() const {
  if (!is_system_call()) return false;
  if (routine_.role != Role::syscall_entry && routine_.role != Role::return_to_user) return false;
  if (!state_.built() && path().calls.empty()) return false;
  const std::vector<std::uint64_t>& numbers = facts().signal_returns;
  return std::any_of(numbers.begin(), numbers.end(), [this](std::uint64_t n) { return consistent(n); });
}

bool PathView::consistent(std::uint64_t number) const {
  for (const AskedQuestion& asked : state_.end().asked) {
    const std::optional<std::uint64_t> a = assume(asked.question.a, number, 16);
    const std::optional<std::uint64_t> b =
        asked.question.b == no_value ? std::nullopt : assume(asked.question.b, number, 16);
    if (!a || !b) continue;
    std::optional<bool> holds = decide(asked.question, *a, *b);
    if (holds && *holds != asked.holds) return false;
  }
  return true;
}

// The value, where it follows from the number of the system call and from what is known of a signal return.
std::optional<std::uint64_t> PathView::assume(ValueId value, std::uint64_t number, int depth) const {
  if (value == no_value || depth == 0) return std::nullopt;
  value = state_.remembered(value);
  const ValuePool& pool = state_.setting().pool;
  const Value& v = pool[value];
  switch (v.kind) {
    case ValueKind::constant:
      return v.imm;
    case ValueKind::entry:
      return v.imm == facts().syscall_number ? std::optional(number) : std::nullopt;
    case ValueKind::after_c:
      return assume(v.a, number, depth - 1);
    case ValueKind::result:
      for (const CallOnPath& c : path().calls) {
        if (!c.site.target || address_of(static_cast<std::uint32_t>(c.step)) != v.imm) continue;
        for (const SignalMark& mark : facts().signal_marks)
          if (function_at(*c.site.target) == mark.function) return mark.result;
      }
      return std::nullopt;
    case ValueKind::cell:
    case ValueKind::load: {  // kept in memory across a call; the frame's own slots are the handler's to overwrite
      if (state_.classify(no_place, value).slot != nullptr) return std::nullopt;
      const ValueId kept = state_.kept(value);
      return kept == value ? std::nullopt : assume(kept, number, depth - 1);
    }
    case ValueKind::op: {
      std::optional<std::uint64_t> a = assume(v.a, number, depth - 1);
      std::optional<std::uint64_t> b =
          v.b == no_value ? std::optional<std::uint64_t>(0) : assume(v.b, number, depth - 1);
      if (!a || !b) return std::nullopt;
      MicroOp op;
      op.op = v.op, op.width = v.width, op.lsb = v.lsb, op.bits = v.bits;
      return fold_constants(op, *a, *b, pool.mask());
    }
    default:
      return std::nullopt;
  }
}

}  // namespace trapline
