// SPDX-License-Identifier: Apache-2.0
//
// Labels of paths: made of facts, never of addresses, so that budgets and comparisons survive a rebuild.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/report.h"
#include "cfg/paths.h"

namespace trapline {

// The words of labels that symbols stand for, remembered by address: paths and routines share code.
class LabelMarks {
 public:
  explicit LabelMarks(const Image& image) : image_(image) {}
  // Bit n set: mark word n.
  std::uint8_t at(std::uint64_t address);

 private:
  const Image& image_;
  std::unordered_map<std::uint64_t, std::uint8_t> known_;
};

// Makes the words of the paths of one routine: "user full work trace", "kernel partial", "jump do_x", "trap".
class Labeler {
 public:
  Labeler(const Image& image, const Contract& contract, const RoutinePaths& routine, LabelMarks& marks);
  std::string words(const Path& path) const;

 private:
  const Image& image_;
  const Facts& facts_;
  const Contract& contract_;
  LabelMarks& known_marks_;
  std::vector<std::uint8_t> marks_;  // by vertex, of LabelMarks; empty: no vertex has any
};

// The name of what a call or jump enters: a function entered at its local entry point is that function.
std::string callee_name(const Image& image, std::uint64_t address);

// The id of a path: the routine and its decisions in order.
std::string path_id(const std::string& routine, const Path& path);

// Where a path returns to: what the path established, else what the entry's contract says.
ReturnTo return_to(const Contract& contract, const Path& path);

// Adds "#n", by cost, to labels that paths of different cost share, and orders the paths: the most common words first,
// then by cost.
void number_and_order(std::vector<PathReport>& paths);

}  // namespace trapline
