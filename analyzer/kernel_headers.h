// SPDX-License-Identifier: Apache-2.0
//
// Macros of a few kernel headers, read without a compiler and without the kernel's configuration: a small preprocessor
// that takes both sides of a condition that it cannot decide (CONFIG_*, what the compiler defines), and says of each
// value which bits are set in any case, and which may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trapline {

class KernelHeaders {
 public:
  // What an expression is: bits that are set, and bits that may be.
  struct Value {
    std::uint64_t set = 0;
    std::uint64_t may = ~std::uint64_t{0};
    bool is_exact() const { return set == may; }
    bool is_unknown() const { return set == 0 && may == ~std::uint64_t{0}; }
  };

  // Reads arch/<arch>/include/<header> below `root`, and the headers called thread_info* that it includes, there or in
  // include/. What is missing is no problem; what cannot be read, is too large or is malformed is ignored with a
  // reason.
  KernelHeaders(std::string root, std::string arch, const std::string& header);

  bool found() const { return found_; }  // the header itself was read
  const std::vector<std::string>& problems() const { return problems_; }

  // Macros without arguments whose names begin so, by name.
  std::vector<std::string> names(std::string_view prefix) const;
  bool is_defined(const std::string& name) const { return macros_.contains(name); }
  // Is it defined whatever the configuration, and as one text?
  bool is_certain(const std::string& name) const;
  // What the macro stands for; unknown where it is not defined, or not to be understood.
  Value value(const std::string& name) const;
  // The numbers that it may be, of those that are exact.
  std::vector<std::uint64_t> alternatives(const std::string& name) const;

 private:
  // How sure it is that a line is compiled. The order matters: "and" is the least of two.
  enum class Sure : std::uint8_t { no, maybe, yes };
  struct Macro {
    std::vector<std::string> bodies;  // several where conditions that are not decided give it different ones
    bool certain = false;
  };
  struct Condition {
    Sure outside, before, now;  // the lines around; an earlier branch taken; this branch taken
  };
  class Evaluator;

  void read(const std::string& name, Sure sure, int depth);
  void line(std::string_view text, Sure outside, std::vector<Condition>& open, int depth);
  void define(std::string_view rest, Sure sure);
  void undefine(std::string_view rest, Sure sure);
  void include(std::string_view rest, Sure sure, int depth);
  Sure is_true(std::string_view condition) const;
  Sure is_defined_now(const std::string& name) const;
  Value macro_value(const std::string& name, std::set<std::string>& open, int depth) const;

  std::string root_, arch_;
  std::map<std::string, Macro> macros_;
  std::vector<std::string> problems_;
  bool found_ = false;
  std::size_t files_ = 0;
  mutable std::size_t work_ = 0;  // tokens evaluated: hostile headers nest macros
  mutable std::map<std::string, Value> known_;
};

}  // namespace trapline
