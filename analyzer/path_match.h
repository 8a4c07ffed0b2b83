// SPDX-License-Identifier: Apache-2.0
//
// Which path of one build is which path of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

inline constexpr std::size_t no_path = static_cast<std::size_t>(-1);

// Two paths that belong together, by index into RoutineReport::paths; no_path: the other build has none.
struct PathPair {
  std::size_t before = no_path;
  std::size_t after = no_path;
};

struct PathMatches {
  std::vector<PathPair> pairs;  // every path of both sides is in exactly one of these, or
  // new paths that ask something the old build never asked, and are otherwise this old path, which has its pair;
  std::vector<PathPair> splits;
  // the reverse: old paths whose question the new build does not ask any more.
  std::vector<PathPair> merges;
};

// Matches the paths of two routines by PathReport::shape. See path_match.cc for the stages.
PathMatches match_paths(const RoutineReport& before, const RoutineReport& after);

// The words of a label, without its number.
std::string_view label_words(std::string_view label);

// Length of the longest common subsequence of one sequence and others.
class CommonLength {
 public:
  explicit CommonLength(const std::vector<std::uint64_t>& a);
  std::size_t with(const std::vector<std::uint64_t>& b) const;

 private:
  static constexpr std::size_t word_bits = 64;
  std::size_t size_ = 0, words_ = 0;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> where_;  // by element: a bit for each place
};

}  // namespace trapline
