// SPDX-License-Identifier: Apache-2.0
#include "cfg/frame_use.h"

#include <algorithm>

namespace trapline {

namespace {

// What happens next to one byte of the frame, on the way back from the end of a path.
struct Next {
  enum class Kind : std::uint8_t { end, load, store, call };
  Kind kind = Kind::end;
  std::uint32_t step = 0;
  friend bool operator==(const Next&, const Next&) = default;
};

// The bytes of pt_regs, each with something of its own.
template <typename T>
class Bytes {
 public:
  Bytes(Address frame, std::uint32_t size) : frame_(frame), all_(size) {}

  // The same for all bytes of the access; nothing where they differ, or where it is not in pt_regs.
  std::optional<T> of(const MemoryEvent& e) const {
    const auto [from, to] = range(e);
    if (from == to) return std::nullopt;
    for (std::size_t i = from + 1; i < to; ++i)
      if (all_[i] != all_[from]) return std::nullopt;
    return all_[from];
  }
  void set(const MemoryEvent& e, const T& to_what) {
    const auto [from, to] = range(e);
    for (std::size_t i = from; i < to; ++i) all_[i] = to_what;
  }
  void set_all(const T& to_what) { std::fill(all_.begin(), all_.end(), to_what); }

 private:
  std::pair<std::size_t, std::size_t> range(const MemoryEvent& e) const {
    const std::int64_t from = e.at.offset - frame_.offset, size = static_cast<std::int64_t>(all_.size());
    if (e.at.base != frame_.base || from >= size || from + e.width <= 0) return {0, 0};
    return {static_cast<std::size_t>(std::max<std::int64_t>(from, 0)),
            static_cast<std::size_t>(std::min<std::int64_t>(from + e.width, size))};
  }
  Address frame_;
  std::vector<T> all_;
};

// Asks the function that the path calls at a step about memory in the frame.
class Caller {
 public:
  Caller(const EndState& state, Code& code) : state_(state), code_(code) {}

  void ask(StoreFate& fate) {
    if (!call_ || call_->step != fate.by) at_call(fate.by);
    if (call_ == nullptr || !call_->site.target || !code_.image().is_code(*call_->site.target)) return;
    const Address at = fate.store->at;
    std::vector<HandedMemory> where;
    for (const auto& [place, there] : handed_)
      if (there.base == at.base) where.push_back({place, at.offset - there.offset});
    fate.kind = StoreFate::Kind::callee;
    fate.function = *call_->site.target;
    fate.answer = code_.callee(fate.function).ask(where, fate.store->width);
  }

 private:
  void at_call(std::uint32_t step) {
    const std::vector<CallOnPath>& calls = state_.end().path.calls;
    const auto call = std::find_if(calls.begin(), calls.end(), [step](const CallOnPath& c) { return c.step == step; });
    call_ = call == calls.end() ? nullptr : &*call;
    handed_.clear();
    for (const HandedPointer& p : state_.end().handed)
      if (p.step == step) handed_.emplace_back(p.place, state_.remembered(p.at));
  }
  const EndState& state_;
  Code& code_;
  const CallOnPath* call_ = nullptr;
  std::vector<std::pair<Place, Address>> handed_;
};

// Steps of calls, in the order walked.
std::vector<std::uint32_t> call_steps(const EndState& state) {
  std::vector<std::uint32_t> steps;
  for (const CallOnPath& c : state.end().path.calls) steps.push_back(static_cast<std::uint32_t>(c.step));
  return steps;
}

bool of_known_memory(const EndState& state, const MemoryEvent& e) {
  if (e.at.base == no_value) return true;
  const ValueKind kind = state.setting().pool[e.at.base].kind;
  return kind == ValueKind::entry || kind == ValueKind::cell;
}

std::vector<Repeated> repeated(const EndState& state, bool stores) {
  std::vector<Repeated> out;
  if (!state.frame()) return out;
  const std::span<const MemoryEvent> memory = state.memory();
  const std::vector<std::uint32_t> calls = call_steps(state);
  constexpr const MemoryEvent* none = nullptr;
  Bytes<const MemoryEvent*> last(*state.frame(), state.layout().size);  // access of the kind asked for
  std::size_t call = 0;
  for (const MemoryEvent& e : memory) {
    for (; call < calls.size() && calls[call] < e.step; ++call) last.set_all(none);
    if (e.store != stores) {
      if (e.store) last.set(e, none);
      continue;
    }
    if (const std::optional<SlotAccess> slot = state.slot_at(e.at)) {
      Repeated r{&e, *slot, std::nullopt};
      const MemoryEvent* before = last.of(e).value_or(none);
      // Values name the moment of a load: equal ones were read from memory that nothing has changed.
      if (before != none && before->at.offset == e.at.offset && before->width == e.width && before->step != e.step &&
          before->value == e.value && e.value != no_value)
        r.earlier = before->step;
      out.push_back(r);
    }
    last.set(e, &e);
  }
  return out;
}

}  // namespace

std::vector<StoreFate> store_fates(const EndState& state, Code& code) {
  std::vector<StoreFate> fates;
  if (!state.frame()) return fates;
  const std::span<const MemoryEvent> memory = state.memory();
  const std::vector<std::uint32_t> calls = call_steps(state);
  Bytes<Next> bytes(*state.frame(), state.layout().size);
  Caller caller(state, code);
  std::size_t call = calls.size();
  for (std::size_t i = memory.size(); i-- > 0;) {
    const MemoryEvent& e = memory[i];
    for (; call > 0 && calls[call - 1] >= e.step; --call) bytes.set_all({Next::Kind::call, calls[call - 1]});
    if (e.store) {
      if (const std::optional<SlotAccess> slot = state.slot_at(e.at)) {
        StoreFate fate{&e, *slot, StoreFate::Kind::needed, 0, 0, {}};
        const std::optional<Next> next = bytes.of(e);
        if (next && next->kind == Next::Kind::store && next->step != e.step) {
          fate.kind = StoreFate::Kind::overwritten;
          fate.by = next->step;
        } else if (next && next->kind == Next::Kind::call) {
          fate.by = next->step;
          caller.ask(fate);
        }
        fates.push_back(fate);
      }
      bytes.set(e, {Next::Kind::store, e.step});
    } else if (of_known_memory(state, e)) {
      bytes.set(e, {Next::Kind::load, e.step});
    } else {  // through an address that is not known: it may read any of them
      bytes.set_all({Next::Kind::load, e.step});
    }
  }
  std::reverse(fates.begin(), fates.end());
  return fates;
}

std::vector<Repeated> repeated_loads(const EndState& state) { return repeated(state, false); }
std::vector<Repeated> repeated_stores(const EndState& state) { return repeated(state, true); }

}  // namespace trapline
