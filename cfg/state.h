// SPDX-License-Identifier: Apache-2.0
//
// The state that runs along a path: what every place and every touched memory cell holds, and which questions the path
// has already answered.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "cfg/value.h"
#include "disasm/arch/facts.h"
#include "disasm/image/image.h"

namespace trapline {

inline constexpr std::size_t max_places = 256;

// A memory cell that the path has read or written.
struct Cell {
  Address at;
  std::uint8_t width = 8;
  ValueId value = no_value;
};

// How a question about values is answered.
struct Answer {
  enum class By : std::uint8_t { nothing, constants, facts };
  By by = By::nothing;
  bool holds = false;
  bool known() const { return by != By::nothing; }
};

// Where a transfer function works: fixed for one routine.
struct Setting {
  ValuePool& pool;
  const Image& image;
  const Facts& facts;
  bool little_endian = true;
};

// When and where an instruction acts: names the values it makes. `stamp` is the step number on a path, or the number of
// the node where states are joined.
struct Moment {
  std::uint64_t address = 0;
  std::uint32_t stamp = 0;
  // Just before the instruction acts: what is forgotten there is not what the instruction makes unknown.
  Moment before() const { return {address, stamp | 0x80000000u}; }
};

class State {
 public:
  State() = default;  // of nothing: to be assigned to
  State(const Setting& setting, const Contract& contract);

  ValueId get(const Setting& s, Place place) const {
    const ValueId v = places_[place];
    return (v & of_event) == 0 ? v : s.pool.opaque_of_event(v & ~of_event, place);
  }
  // The constant that a place holds, if it does: cheaper than get for a place that nobody has looked at.
  std::optional<std::uint64_t> constant(const Setting& s, Place place) const {
    return (places_[place] & of_event) != 0 ? std::nullopt : s.pool.as_constant(places_[place]);
  }
  void set(const Setting& s, Place place, ValueId value);

  // Memory. A load of what the path stored gives the stored value; other loads give a cell or load value that is the
  // same until a call, an interrupt window or a store that may alias changes it.
  ValueId load(const Setting& s, ValueId address, unsigned width, const Moment& m);
  void store(const Setting& s, ValueId address, unsigned width, ValueId value, const Moment& m);
  // Is that address in the memory that the stack pointer points into?
  bool in_frame(const Setting& s, ValueId address) const;
  // What the place holds, if that is an address in the same memory.
  std::optional<Address> stack_address(const Setting& s, Place place) const;

  // The question a predicate asks in this state.
  Question question(const Setting& s, const Predicate& predicate, ValueId a, ValueId b) const;
  Answer answer(const Setting& s, const Question& question) const;
  // From here on the question is known to hold, or not.
  void assume(const Setting& s, const Question& question, bool holds);
  KnownBits known(const Setting& s, ValueId value, int depth = 5) const;
  // The largest unsigned value that the answers so far allow, where a comparison with a constant bounds it.
  std::optional<std::uint64_t> upper_bound(const Setting& s, ValueId value) const;

  // What a called function, or an open interrupt window, may change.
  void after_call(const Setting& s, const Moment& m, bool has_result);
  void after_irq_window(const Setting& s, const Moment& m);

  // Merges `other` into this at a join; values that differ become values of that join. Memory is not followed from
  // there on (follow_memory). Returns whether anything changed.
  bool join(const Setting& s, const State& other, const Moment& m);
  // Forgets what differs from `other`, by naming it after this moment: the head of a loop whose turns are not counted.
  struct Difference {
    std::bitset<max_places> places;
    std::bitset<max_places> pointers;  // of these, those that point into the stack
    bool memory = false;               // a call on the way: all memory may differ but for `same`
    // Cells by address and width; values are not meaningful. A cell on the stack has the base `on_stack` and an offset
    // from the stack pointer, so that it means the same for every walk that comes to the head.
    static constexpr ValueId on_stack = 0xfffffffe;
    std::vector<Cell> changed;  // without a call; with one, those of which C would keep something
    std::vector<Cell> same;     // with a call: written with the same value again
    bool fresh = true;          // nothing was learned yet
  };
  // Adds to `what` how a walk that came back differs from this state of the loop's head. Returns whether anything was
  // new.
  bool learn(const Setting& s, const State& back, Difference& what) const;
  // `log`: where what was forgotten is noted, if somebody wants to know.
  struct Forgotten {
    ValueId now = no_value;
    ValueId before = no_value;
  };
  void forget(const Setting& s, const Difference& what, const Moment& m, std::vector<Forgotten>* log = nullptr);

  // false where states are joined: memory that the code writes is then not followed, only what is constant in the
  // image.
  bool follow_memory = true;

  // Places whose last write was a load through the stack pointer's base.
  std::bitset<max_places> restored;

 private:
  struct PairFact {
    ValueId a, b;
    std::uint8_t width;
    std::uint8_t outcomes_signed;  // which of <, =, > are possible: bits 0, 1, 2
    std::uint8_t outcomes_unsigned;
    friend bool operator==(const PairFact&, const PairFact&) = default;
  };
  struct OpaqueFact {
    ValueId a;
    std::uint8_t tag;
    bool holds;
    friend bool operator==(const OpaqueFact&, const OpaqueFact&) = default;
  };
  struct Refined {
    ValueId value;
    KnownBits bits;
    friend bool operator==(const Refined&, const Refined&) = default;
  };

  static bool holds_status(const Setting& s, const Cell& c);
  static ValueId held(const Setting& s, const Cell& c);  // its value, made if nobody has looked at it
  // Are they one value of that place? Either may stand for the number of an event.
  static bool same_value(const Setting& s, ValueId a, ValueId b, std::size_t place) {
    return a == b || (((a ^ b) & of_event) != 0 && is_of_event(s, a, b, place));
  }
  static bool is_of_event(const Setting& s, ValueId a, ValueId b, std::size_t place);
  void lose_memory(const Setting& s, const Moment& m);
  void lose(const Setting& s, Place place, std::uint32_t event);
  ValueId stack_base(const Setting& s) const;
  bool made_from_stack(const Setting& s, ValueId base, ValueId stack, int depth = 4) const;
  bool points_to_stack(const Setting& s, ValueId v) const;
  Cell* find_cell(Address at, unsigned width);
  const Cell* find_cell(Address at, unsigned width) const;
  ValueId cell_value(const Setting& s, Address at, unsigned width) const;
  void refine(const Setting& s, ValueId value, KnownBits bits, int depth);
  void resolve_selects(const Setting& s);

  // Values of places and cells: with the top bit set, the number of an event that made this one unknown (most are never
  // asked for).
  static constexpr ValueId of_event = 0x80000000u;
  std::vector<ValueId> places_;
  std::vector<Cell> cells_;
  std::vector<PairFact> pairs_;
  std::vector<OpaqueFact> opaques_;
  std::vector<Refined> refined_;
  std::vector<ValueId> moved_;  // forgotten values that may point into the stack
  std::uint32_t epoch_ = 0;     // stamp of the last event that may have changed all memory but the stack
};

// The relation of b to a that holds when `rel` holds of a to b.
Rel mirrored(Rel rel);
// Does the relation hold between two numbers? Nothing where the question is not one about two values.
std::optional<bool> decide(const Question& question, std::uint64_t a, std::uint64_t b);

// The answer that the bits of the two values alone give, whatever a path has learned of them: bits that a shift or a
// mask leaves zero.
std::optional<bool> decided_by_structure(const ValuePool& pool, const Question& question);

// Is a constant address in memory that no store of the kernel changes (code, read-only data)?
bool is_constant_memory(const Image& image, std::uint64_t address);

}  // namespace trapline
