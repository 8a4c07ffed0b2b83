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

// The bytes of the frame, each with what happens next to it.
class Bytes {
 public:
  Bytes(Address frame, std::uint32_t size) : frame_(frame), next_(size) {}

  // The same for all bytes of the access; nothing where they differ.
  std::optional<Next> of(const MemoryEvent& e) const {
    const auto [from, to] = range(e);
    if (from == to) return std::nullopt;
    for (std::size_t i = from; i < to; ++i)
      if (next_[i] != next_[from]) return std::nullopt;
    return next_[from];
  }
  void set(const MemoryEvent& e) {
    const auto [from, to] = range(e);
    const Next next{e.store ? Next::Kind::store : Next::Kind::load, e.step};
    std::fill(next_.begin() + static_cast<std::ptrdiff_t>(from), next_.begin() + static_cast<std::ptrdiff_t>(to), next);
  }
  void called(std::uint32_t step) { std::fill(next_.begin(), next_.end(), Next{Next::Kind::call, step}); }
  // Some load through an address that is not known may have read any of them.
  void read(std::uint32_t step) { std::fill(next_.begin(), next_.end(), Next{Next::Kind::load, step}); }

 private:
  std::pair<std::size_t, std::size_t> range(const MemoryEvent& e) const {
    const std::int64_t from = e.at.offset - frame_.offset, size = static_cast<std::int64_t>(next_.size());
    if (e.at.base != frame_.base || from >= size || from + e.width <= 0) return {0, 0};
    return {static_cast<std::size_t>(std::max<std::int64_t>(from, 0)),
            static_cast<std::size_t>(std::min<std::int64_t>(from + e.width, size))};
  }
  Address frame_;
  std::vector<Next> next_;
};

std::vector<HandedMemory> handed_at(const EndState& state, std::uint32_t step, Address at) {
  std::vector<HandedMemory> out;
  for (const HandedPointer& p : state.end().handed) {
    if (p.step != step) continue;
    const Address there = state.remembered(p.at);
    if (there.base == at.base) out.push_back({p.place, at.offset - there.offset});
  }
  return out;
}

void ask_callee(const EndState& state, Code& code, StoreFate& fate) {
  const std::vector<CallOnPath>& calls = state.end().path.calls;
  const auto call = std::find_if(calls.begin(), calls.end(), [&](const CallOnPath& c) { return c.step == fate.by; });
  if (call == calls.end() || !call->site.target || !code.image().is_code(*call->site.target)) return;
  fate.kind = StoreFate::Kind::callee;
  fate.function = *call->site.target;
  fate.answer = code.callee(fate.function).ask(handed_at(state, fate.by, fate.store->at), fate.store->width);
}

// Steps of calls, and of exceptions of other kinds that the path goes through, in the order walked.
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
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const MemoryEvent& e = memory[i];
    if (e.store != stores) continue;
    const std::optional<SlotAccess> slot = state.slot_at(e.at);
    if (!slot) continue;
    Repeated r{&e, *slot, std::nullopt};
    for (std::size_t k = i; k-- > 0 && !r.earlier;) {
      const MemoryEvent& before = memory[k];
      // Values name the moment of a load: equal ones were read from unchanged memory. Of stores, memory that a call may
      // have changed is no longer known to hold the value.
      const bool called = std::any_of(calls.begin(), calls.end(),
                                      [&](std::uint32_t step) { return before.step < step && step < e.step; });
      if (called) break;
      if (before.at.base != e.at.base || before.at.offset != e.at.offset || before.width != e.width) {
        const bool overlaps = before.at.base == e.at.base && before.at.offset < e.at.offset + e.width &&
                              e.at.offset < before.at.offset + before.width;
        if (before.store && overlaps) break;
        continue;
      }
      if (before.store != stores) {
        if (before.store) break;
        continue;
      }
      if (before.value != e.value || e.value == no_value || before.step == e.step) break;
      r.earlier = before.step;
    }
    out.push_back(r);
  }
  return out;
}

}  // namespace

std::vector<StoreFate> store_fates(const EndState& state, Code& code) {
  std::vector<StoreFate> fates;
  if (!state.frame()) return fates;
  const std::span<const MemoryEvent> memory = state.memory();
  const std::vector<std::uint32_t> calls = call_steps(state);
  Bytes bytes(*state.frame(), state.layout().size);
  std::size_t call = calls.size();
  for (std::size_t i = memory.size(); i-- > 0;) {
    const MemoryEvent& e = memory[i];
    for (; call > 0 && calls[call - 1] >= e.step; --call) bytes.called(calls[call - 1]);
    if (e.store) {
      if (const std::optional<SlotAccess> slot = state.slot_at(e.at)) {
        StoreFate fate{&e, *slot, StoreFate::Kind::needed, 0, 0, {}};
        const std::optional<Next> next = bytes.of(e);
        if (next && next->kind == Next::Kind::store && next->step != e.step) {
          fate.kind = StoreFate::Kind::overwritten;
          fate.by = next->step;
        } else if (next && next->kind == Next::Kind::call) {
          fate.by = next->step;
          ask_callee(state, code, fate);
        }
        fates.push_back(fate);
      }
      bytes.set(e);
    } else if (of_known_memory(state, e)) {
      bytes.set(e);
    } else {
      bytes.read(e.step);
    }
  }
  std::reverse(fates.begin(), fates.end());
  return fates;
}

std::vector<Repeated> repeated_loads(const EndState& state) { return repeated(state, false); }
std::vector<Repeated> repeated_stores(const EndState& state) { return repeated(state, true); }

}  // namespace trapline
