// SPDX-License-Identifier: Apache-2.0
//
// Questions about a function that a path calls: does it write a slot of the frame that it was handed before it reads
// it, and if not always, on which branch not?
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cfg/graph.h"
#include "cfg/machine.h"

namespace trapline {

// Where memory lies, as the callee finds it: at what `place` holds when it is entered, plus `offset`.
struct HandedMemory {
  Place place = no_place;
  std::int64_t offset = 0;
  friend auto operator<=>(const HandedMemory&, const HandedMemory&) = default;
};

struct SlotAnswer {
  enum class Fate : std::uint8_t {
    kept,         // it is read, may be read, or is not written: no way through the callee is known to write it first
    partly,       // it is written first on some ways, and not on others
    overwritten,  // it is written on all ways before it can be read
  };
  Fate fate = Fate::kept;
  // partly: the instruction behind which the ways part, and whether the ways that do not write first begin where it
  // jumps. An instruction under a predicate that writes: where it is not executed.
  std::uint64_t branch = 0;
  bool taken = false;
  bool written_later = false;  // partly: behind that branch the slot is written after all, when it may have been read
};

// The code of one function, with what it does to memory. Values are joined where ways meet, and memory is not followed:
// a pointer that the function keeps on its own stack is lost, and what is read through it may be the slot. So does
// every function that it calls read the slot, for all that is known. A store through an unknown address is taken not to
// hit.
class CalleeCode {
 public:
  CalleeCode(Code& code, std::uint64_t entry);

  // `where`: every place that tells where the memory is. `width`: bytes.
  const SlotAnswer& ask(const std::vector<HandedMemory>& where, unsigned width);

 private:
  // What happens first at a vertex.
  enum class Use : std::uint8_t { none, write, predicated_write, read };
  struct Ways {
    std::vector<Use> use;
    std::vector<bool> always, sometimes;  // from there on: written on all ways before it can be read, on some
  };
  Use use_at(Vertex v, const std::vector<HandedMemory>& where, unsigned width) const;
  Ways follow(const std::vector<HandedMemory>& where, unsigned width) const;
  void find_branch(const Ways& ways, SlotAnswer& answer) const;
  bool reaches_write(const Ways& ways, Vertex from) const;
  bool is_call(Vertex v) const;

  Code& code_;
  ValuePool pool_;
  std::vector<std::vector<MemoryEvent>> accesses_;
  RoutineGraph routine_;
  std::map<std::pair<std::vector<HandedMemory>, unsigned>, SlotAnswer> known_;
};

}  // namespace trapline
