// SPDX-License-Identifier: Apache-2.0
//
// The table that rules are read off: what every place that matters holds where a path ends, and where pt_regs lies.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cfg/paths.h"
#include "cfg/trace.h"

namespace trapline {

enum class Held : std::uint8_t {
  entry,        // what the interrupted context had in it
  own_slot,     // loaded from its slot
  own_bits,     // computed from its slot, or from what the interrupted context had in it
  other_slot,   // loaded from the slot of another place, or from a slot of bookkeeping
  other_entry,  // what the interrupted context had in another place
  constant,
  result,  // of a call
  kernel   // anything else
};

struct Holding {
  Place place = no_place;
  ValueId value = no_value;
  Held held = Held::kernel;
  const Slot* slot = nullptr;              // own_slot, other_slot
  std::uint8_t width = 0;                  // bytes loaded from the slot
  bool saved = false;                      // the slot was stored on this path before, or by those who built the frame
  bool c_may_have = false;                 // a call lies between the store and the load: C may have written the slot
  bool parked = false;                     // by the code before the entry
  std::optional<std::uint32_t> stored_at;  // kernel, constant: the step that put it into the slot
  std::uint32_t loaded_after = 0;          // the slot was loaded behind this step of the path
  Place other = no_place;                  // other_entry
  std::uint64_t constant = 0;
  std::uint64_t origin = 0;  // kernel, result: address of the instruction that made it, 0: several, or not known
};

// A load or store of a slot.
struct SlotAccess {
  const Slot* slot = nullptr;
  std::int64_t within = 0;  // bytes from the start of the slot
};

// The values that `value` is computed from, each once, at most 64.
void leaves(const ValuePool& pool, ValueId value, std::vector<ValueId>& out);

class EndState {
 public:
  EndState(const FinishedPath& end, const Setting& setting, const Contract& contract);

  const FinishedPath& end() const { return end_; }
  const Setting& setting() const { return setting_; }
  const Contract& contract() const { return contract_; }
  const Facts& facts() const { return setting_.facts; }
  // The layout of pt_regs: the contract's, or the one that fits what the path saved.
  const FrameLayout& layout() const { return *layout_; }

  // Accesses to memory, in the order walked.
  std::span<const MemoryEvent> memory() const { return memory_.empty() ? end_.memory : memory_; }
  // What a value was on this path, where the head of an uncounted loop made it unknown; else the value itself.
  ValueId remembered(ValueId value) const;
  Address remembered(Address at) const;
  // What was put into memory and read back behind a call, if C kept it; else the value itself.
  ValueId kept(ValueId value) const;
  // Where pt_regs begins; nothing when neither the contract nor the stores and loads of the path tell.
  const std::optional<Address>& frame() const { return frame_; }
  // What a place holds.
  Holding holding(Place place) const;
  Holding classify(Place place, ValueId value) const;
  // Does the exception return go to an address that is not the interrupted context's: another's, put there on purpose?
  bool resumes_elsewhere() const;
  // The slot that the place is saved in; nullptr: none.
  const Slot* slot_of(Place place) const;
  // Why the interrupted program may find something else in that register; nullptr: it may not.
  const MayChange* may_change(Place place) const;
  // Is the pair in the architecture's table of crossed pairs?
  bool is_crossed(Place place, Place slot) const;
  // The slot at that address.
  std::optional<SlotAccess> slot_at(Address at) const;
  // The last value that the path stored there before `step`, if any.
  const MemoryEvent* stored_before(Address at, unsigned width, std::uint32_t step) const;
  // Was that memory what the frame's builder saved: of a contract whose frame is built?
  bool built() const { return contract_.kind == ContractKind::frame_built; }
  // Whether the path returns to user mode, to the kernel or to either, as far as path and contract tell.
  Machine::Privilege to() const;

  // Step of the path that wrote `place` last, if any.
  std::optional<std::uint32_t> last_write(Place place, Code& code, const RoutineGraph& routine) const;

 private:
  struct Memory {
    Address at;
    std::uint8_t width = 0;
    std::uint32_t stamp = 0;  // no store of the path after that moment, and before the load, hit it
  };
  std::optional<Memory> memory_of(ValueId value) const;
  ValueId without_extension(ValueId value) const;
  struct Vote {
    Address at;
    unsigned saved = 0, restored = 0;
    // Of two frames on a path (PowerPC: an emergency stack first) the one that the registers come from counts.
    friend bool operator<(const Vote& a, const Vote& b) {
      return std::pair(a.saved + a.restored, a.restored) < std::pair(b.saved + b.restored, b.restored);
    }
  };
  void find_frame();
  void find_kept_bases();
  // Where pt_regs would begin by most of what the path saved and restored.
  Vote vote(const FrameLayout& layout) const;
  bool saved_before_entry(Address at) const;
  void judge_stored(Holding& h, const MemoryEvent& store) const;
  bool is_parked(Address at) const;  // Contract::parked_at
  Holding computed(Place place, ValueId value) const;

  const FinishedPath& end_;
  const Setting& setting_;
  const Contract& contract_;
  std::vector<MemoryEvent> memory_;           // with what was forgotten put back; empty where nothing was
  std::vector<State::Forgotten> kept_bases_;  // bases that were read back from memory
  const FrameLayout* layout_ = nullptr;
  std::optional<Address> frame_;
};

}  // namespace trapline
