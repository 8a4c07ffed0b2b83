// SPDX-License-Identifier: Apache-2.0
//
// Random routines, whatever the architecture: how statements, conditions, loops and jumps are put together, and how
// what was executed is compared with what the path engine lists. A file for each architecture says what its
// instructions are, and executes them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.h"
#include "cfg/paths.h"
#include "random.h"
#include "walks.h"

namespace trapline::test {

// A loop that must be counted: its first instruction is visited this many times for each visit of the one before it.
struct Counted {
  std::size_t head = 0;
  std::uint64_t turns = 0;
};

// Instructions are numbered from 0; every one is four bytes long.
class RandomProgram {
 public:
  explicit RandomProgram(Random& r) : r_(r) {}
  virtual ~RandomProgram() = default;
  // Makes the routine.
  void routine();
  const std::vector<Counted>& counted() const { return counted_; }

  virtual std::size_t size() const = 0;
  virtual std::string text(std::size_t at, const std::string& label_prefix) const = 0;
  // What the instruction costs, and the numbers of those that control may go to.
  struct Facts {
    std::vector<std::size_t> next;
    bool loads = false, stores = false, calls = false;
    bool may_end = false;  // a conditional end
  };
  virtual Facts facts(std::size_t at) const = 0;
  // Executes the routine once, for random content of registers and memory: numbers of instructions, and whether each
  // acted. Empty when it takes too long.
  virtual std::vector<Executed> run(Random& r) const = 0;

 protected:
  // What the architecture adds to the end of the routine.
  // One instruction or more without a branch; `steady`: and none that a path may do or not do.
  virtual void plain_instruction(bool steady) = 0;
  virtual void call(bool steady) = 0;                         // of c_function
  virtual std::size_t branch() = 0;                           // conditional; returns its number
  virtual std::size_t jump() = 0;                             // returns its number
  virtual void trap() = 0;                                    // an end
  virtual void back() = 0;                                    // an end
  virtual void count_from(int counter, std::uint64_t n) = 0;  // sets a counter register to a constant
  virtual void count_from_register(int counter) = 0;          // to something below 4 that is not known
  virtual std::size_t count_down(int counter, bool odd) = 0;  // by one, and branches unless zero; `odd`: some other way
  virtual void set_target(std::size_t at, std::size_t target) = 0;

  Random& r_;

 private:
  void plain(unsigned n, bool steady = false);
  void body(int depth);
  void statement(int depth);
  void condition(int depth);
  void loop(int depth);

  std::vector<Counted> counted_;
  std::vector<std::size_t> starts_, loose_;
};

// The assembly text of a routine, and of one instruction of it.
std::string text_of(const RandomProgram& program, const std::string& name);

struct Score {
  std::uint64_t routines = 0, skipped = 0, walks = 0, paths = 0, met = 0, infeasible = 0;
};

// Finds the paths of the routine `name` of the image, executes the program `inputs` times, and fails the test where an
// executed walk is not listed.
void check_program(Code& code, const RandomProgram& program, const std::string& name, int inputs, Random& r,
                   Score& score);

// Fails where the search found too little to mean anything, and says what it found.
void check_score(const Score& score);

// Batches of fifty random routines of one architecture, each executed forty times. `opening` is the start of the
// assembly text, `c_function` what the called function consists of.
template <typename Maker>
void check_random_routines(Target target, std::uint64_t first_seed, std::string_view opening,
                           std::string_view c_function) {
  Score score;
  for (std::uint64_t seed = 0; seed < batches(); ++seed) {
    Random r(seed + first_seed);
    std::vector<Maker> makers;
    std::string text{opening};
    for (int i = 0; i < 50; ++i) {
      makers.emplace_back(r).routine();
      text += text_of(makers.back(), fmt::format("p{}", i));
    }
    text += fmt::format("  .globl c_function\nc_function: {}\n", c_function);
    const std::unique_ptr<Image> image = assemble(target, text);
    Code code(*image);
    for (std::size_t i = 0; i < makers.size(); ++i) check_program(code, makers[i], fmt::format("p{}", i), 40, r, score);
  }
  check_score(score);
}

}  // namespace trapline::test
