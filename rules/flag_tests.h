// SPDX-License-Identifier: Apache-2.0
//
// Which bits of the thread-flags word the branches of a path test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rules/view.h"

namespace trapline {

// A load of the word, or of a part of it.
struct FlagWord {
  ValueId value = no_value;
  std::uint32_t step = 0;
  unsigned shift = 0;  // bit 0 of the value is this bit of the word
};

// A branch that asks whether any of some bits of the word is set.
struct FlagTest {
  std::uint32_t step = 0;    // of the branch
  std::uint32_t test = 0;    // of the instruction that makes what the branch asks
  std::uint32_t loaded = 0;  // of the load, the last before the test
  ValueId word = no_value;
  std::uint64_t mask = 0;  // bits of the word
  bool none = false;       // the path goes on with none of them set
  bool exact = true;       // false: the word decides, but not by a mask
};

std::vector<FlagWord> flag_words(const PathView& view);
// Of the decisions that the walk was free to take, in the order walked.
std::vector<FlagTest> flag_tests(const PathView& view);

// The word that the value is computed from; null: it is from none.
const FlagWord* made_from(const PathView& view, std::span<const FlagWord> words, ValueId value);

// The step of the instruction that makes what the branch at `step` asks: the test, or the branch itself.
std::uint32_t test_step(const PathView& view, std::uint32_t step);

// "0-15", "4-7 and 20".
std::string bit_ranges(std::uint64_t mask);

}  // namespace trapline
