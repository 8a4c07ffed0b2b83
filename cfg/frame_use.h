// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the words that a path stores to pt_regs, and what the path does twice: the facts behind the rules on
// needless loads and stores, and behind the notes of --listing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cfg/callee.h"
#include "cfg/end_state.h"

namespace trapline {

// A store to a slot, and what comes next to the memory that it wrote.
struct StoreFate {
  enum class Kind : std::uint8_t {
    needed,       // it is loaded, a function is called that may read it, or the path ends
    overwritten,  // the path itself writes it again, at step `by`, before anybody can have read it
    callee,       // the function called at step `by` was asked: see `answer`
  };
  const MemoryEvent* store = nullptr;
  SlotAccess slot;
  Kind kind = Kind::needed;
  std::uint32_t by = 0;
  std::uint64_t function = 0;  // callee: its address
  SlotAnswer answer;
  // The path, or the function on all of its ways, writes the slot before it can be read.
  bool dead() const {
    return kind == Kind::overwritten || (kind == Kind::callee && answer.fate == SlotAnswer::Fate::overwritten);
  }
};

// Of every store to a slot, in the order walked. Empty where it is not known where pt_regs lies.
std::vector<StoreFate> store_fates(const EndState& state, Code& code);

// An access to a slot that repeats an earlier one: it loads what was loaded from the same memory before, or stores what
// the memory holds already. Nothing that may have changed the memory, no call and no interrupt window, lies between.
struct Repeated {
  const MemoryEvent* event = nullptr;
  SlotAccess slot;
  std::optional<std::uint32_t> earlier;  // step of the access that it repeats; nothing: it repeats none
};

// Of every load of a slot, or of every store to one, in the order walked.
std::vector<Repeated> repeated_loads(const EndState& state);
std::vector<Repeated> repeated_stores(const EndState& state);

}  // namespace trapline
