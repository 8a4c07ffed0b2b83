// SPDX-License-Identifier: Apache-2.0
//
// Paths of a routine: walks from the entry to an end that enter no node twice, feasible by what the walk itself has
// established, with loops whose turns follow from constants walked that many times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cfg/cost.h"
#include "cfg/graph.h"
#include "cfg/machine.h"
#include "cfg/trace.h"

namespace trapline {

// One instruction of a path.
struct Step {
  std::uint32_t node = 0;  // a Vertex: a routine has far fewer, and reports hold millions of steps
  bool conditional = false;
  bool executed = true;      // false: its predicate failed
  bool transferred = false;  // control left the straight line
  bool known = false;        // conditional, and decided by what the path knew
};

struct Decision {
  std::uint64_t address = 0;
  bool taken = false;
  std::optional<std::uint32_t> choice;  // number of the target, of an indirect jump with several
};

struct CallOnPath {
  std::size_t step = 0;  // index into Path::steps
  CallSite site;
};

// A loop: the first instruction of a turn, the instruction that closes it, the conditional that decides about another
// turn.
struct Loop {
  NodeKey head;
  std::uint64_t closing = 0;
  std::uint64_t deciding = 0;          // 0: no condition
  std::optional<std::uint64_t> turns;  // when they follow from constants
  Cost turn;                           // of one turn
};

struct Path {
  std::uint64_t number = 0;  // in the order found, from 0
  std::vector<Step> steps;
  std::vector<Decision> decisions;
  std::vector<CallOnPath> calls;
  std::vector<Loop> counted;       // loops that are part of the cost
  std::vector<std::size_t> loops;  // indices into RoutinePaths::loops: loops that the path touches
  EndKind end = EndKind::undecoded;
  std::optional<std::uint64_t> target;
  std::optional<Machine::Privilege> to;  // of an exception return
  std::bitset<max_places> restored;      // at the end: places last written by a load through the stack pointer's base
  Cost cost;
};

struct RoutinePaths {
  RoutineGraph routine;
  Blocks blocks = {};
  std::vector<Path> paths = {};  // in the order found, or the cheapest when there are more than the limit
  std::uint64_t total = 0;       // paths; a lower bound when bounded
  std::uint64_t infeasible = 0;  // walks of the graph that are no paths
  bool bounded = false;
  std::vector<Loop> loops = {};  // uncounted loops and restarts
  Cost least = {}, most = {};    // per count, over all paths
};

struct PathLimits {
  std::uint64_t listed = 4096;       // paths kept
  std::uint64_t walked = 1 << 17;    // paths walked before giving up
  std::uint64_t steps = 40'000'000;  // instructions walked before giving up
};

// `visitor`, if any, is shown every path that is walked, whether it is kept or not.
RoutinePaths find_paths(Code& code, std::uint64_t entry, const Contract& contract, const PathLimits& limits,
                        PathVisitor* visitor = nullptr);

// Adds what one instruction costs when it is executed, or when its predicate fails.
void add_cost(Cost& cost, const Insn& insn, bool executed, bool transferred, const Transfer& t);
// Orders paths by cost: instructions, then loads, then stores.
bool cheaper(const Cost& a, const Cost& b);

}  // namespace trapline
