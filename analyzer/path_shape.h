// SPDX-License-Identifier: Apache-2.0
//
// Paths without addresses, for comparing two builds: what a path asks and calls, and instructions in a form that is the
// same wherever the code is linked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/report.h"
#include "cfg/end_state.h"
#include "cfg/paths.h"

namespace trapline {

// Instructions of a routine, one hash a vertex: the text as objdump prints it, without the targets of branches and the
// numbers that are parts of addresses. A call keeps its callee's name, an address the name of what lies there.
std::vector<std::uint64_t> instruction_shapes(Code& code, const RoutinePaths& routine);

// The name of what begins where `symbol` does, whatever the order of the symbol table: of several names an object's or
// a function's, then the first of the alphabet.
std::string_view lasting_name(const Image& image, const Symbol& symbol);
// The name of what a call or jump enters, as callee_name, but lasting.
std::string lasting_callee_name(const Image& image, std::uint64_t address);

// Names as hashes, remembered by address: paths share code, and to print an instruction is slow.
class ShapeNames {
 public:
  std::uint64_t callee(Code& code, std::uint64_t address);
  // The instruction that made a value that is not followed: a call counts by whom it calls, another by its mnemonic.
  std::uint64_t maker(Code& code, std::uint64_t address);
  // A conditional instruction without its target.
  std::uint64_t branch(Code& code, std::uint64_t address);

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> callees_, makers_, branches_;
};

// Collects what every path of a routine asks and calls, while it is enumerated.
class PathTokens : public PathVisitor {
 public:
  explicit PathTokens(const Contract& contract) : contract_(contract) {}
  void restart() override { tokens_.clear(); }
  void path(const FinishedPath& end) override;
  void came_back(std::uint64_t, std::uint64_t, const State&, const State&, Machine&) override {}

  // Of the path with that number (Path::number).
  std::vector<PathShape::Token> take(std::uint64_t number);

 private:
  const Contract& contract_;
  ShapeNames names_;
  std::unordered_map<std::uint64_t, std::vector<PathShape::Token>> tokens_;
};

// Shows each path to several visitors.
class Visitors : public PathVisitor {
 public:
  void add(PathVisitor& visitor) { all_.push_back(&visitor); }
  bool empty() const { return all_.empty(); }
  void restart() override {
    for (PathVisitor* v : all_) v->restart();
  }
  void path(const FinishedPath& end) override {
    for (PathVisitor* v : all_) v->path(end);
  }
  void came_back(std::uint64_t head, std::uint64_t from, const State& then, const State& now,
                 Machine& machine) override {
    for (PathVisitor* v : all_) v->came_back(head, from, then, now, machine);
  }

 private:
  std::vector<PathVisitor*> all_;
};

}  // namespace trapline
