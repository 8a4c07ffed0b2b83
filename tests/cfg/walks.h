// SPDX-License-Identifier: Apache-2.0
//
// Walks through a small program, as a test knows them without the path engine: what each instruction costs and where
// it leads, walks that were executed, and whether the engine lists them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfg/paths.h"

namespace trapline::test {

// What a test knows of one instruction of its own program.
struct Known {
  std::vector<std::uint64_t> next;  // addresses that control may go to
  bool may_end = false;             // the routine may end here
  bool loads = false;
  bool stores = false;
  bool calls = false;
  // Does it show in the listed paths whether it acted?
  bool matters() const { return loads || stores || calls; }
};
using Program = std::map<std::uint64_t, Known>;  // by address

// One instruction of an executed walk.
struct Executed {
  std::uint64_t address = 0;
  bool acted = true;  // false: its predicate failed, of an instruction that loads, stores or calls
  friend bool operator==(const Executed&, const Executed&) = default;
};

// The paths that were listed, to look executed walks up in.
class Listed {
 public:
  Listed(const RoutinePaths& found, const Program& program);
  // Is the executed walk, without turns that it came back from, a listed path? A turn is taken out when the walk comes
  // back to an instruction: then the walk is what it was when it first got there. Where a listed path itself comes
  // back (a counted loop), the turn may also stay.
  bool holds(const std::vector<Executed>& walk) const;
  // What is wrong with the listed paths themselves, empty when nothing is: steps that the program does not allow, ends
  // where it does not end, counts that differ from those of the program.
  std::string complaint() const { return complaint_; }
  // Listed paths that some walk given to holds() was found to be.
  std::size_t met() const;
  // The executed walk without its turns, in numbers of four-byte instructions from `start`, with a bar where every
  // listed path has left it.
  std::string left(const std::vector<Executed>& walk, std::uint64_t start) const;

 private:
  struct Point {
    std::uint64_t address = 0;
    bool acted = true;
    int parent = -1;
    std::vector<int> next;
    int path = -1;  // index of a path that ends here
  };
  void add(const Path& path, const Graph& graph, const Program& program, int index);
  int child(int point, const Executed& step) const;
  bool ends_at(int point) const;
  struct Reduced;

  std::vector<Point> points_;
  mutable std::vector<bool> met_;
  std::string complaint_;
};

// Walks of the graph that enter no node twice, by trying them all; stops at `limit`.
std::uint64_t simple_walks(const RoutineGraph& routine, std::uint64_t limit);

}  // namespace trapline::test
