// SPDX-License-Identifier: Apache-2.0
//
// What a walk leaves behind for those who judge it at its end: the memory it touched, the questions it answered, its
// last state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cfg/state.h"

namespace trapline {

class Machine;
struct Path;
class RoutineGraph;

// One access to memory of known base, in the order executed. An instruction that moves several registers makes one for
// each.
struct MemoryEvent {
  bool store = false;
  bool on_stack = false;   // the stack pointer was based on the same address
  std::uint8_t width = 0;  // bytes
  std::uint32_t step = 0;  // index into Path::steps
  Address at;
  ValueId value = no_value;  // stored or loaded
};

// A decision that the walk was free to take.
struct AskedQuestion {
  std::uint32_t step = 0;  // index into Path::steps
  Question question;
  bool holds = false;
};

// A place that pointed into the stack when the path called a function whose address is known.
struct HandedPointer {
  std::uint32_t step = 0;  // of the call, index into Path::steps
  Place place = no_place;
  Address at;
};

// A finished path, with what it held at the end.
struct FinishedPath {
  const Path& path;
  const State& state;
  Machine& machine;
  const RoutineGraph& routine;
  const Insn& last;
  std::span<const MemoryEvent> memory;
  std::span<const AskedQuestion> asked;
  std::span<const HandedPointer> handed;
  // Decisions that the walk was not free to take: of branches whose answer follows from what it knew.
  std::span<const AskedQuestion> known;
  // What the heads of uncounted loops made unknown. On this path, which makes no turn of them, it is what it was
  // before.
  std::span<const State::Forgotten> forgotten;
  // What the places that lead to thread_info (Facts::thread_flags) held on the way, the entry included.
  std::span<const ValueId> current;
};

// Is shown every path of a routine. An enumeration that has to start again says so, and what was shown before is void.
class PathVisitor {
 public:
  virtual ~PathVisitor() = default;
  virtual void restart() = 0;
  virtual void path(const FinishedPath& end) = 0;
  // A walk has come back to a node that it entered before, at `head`, from `from`: what it held then, and holds now.
  virtual void came_back(std::uint64_t head, std::uint64_t from, const State& then, const State& now,
                         Machine& machine) = 0;
};

}  // namespace trapline
