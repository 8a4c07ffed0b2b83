// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the PowerPC tests: images made from YAML and instruction words, and a small machine that runs the
// micro-operations of an instruction with the arithmetic of the path engine, so that tests can name the manual's
// values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::ppc_test {

enum class Kind { le64, be64, be32 };

// Where .text of a test image starts.
std::uint64_t text_address(Kind kind);

struct ImageParts {
  std::string type = "ET_EXEC";
  std::string sections;  // YAML, behind .text
  std::string symbols;   // YAML, behind the symbol `start`
  std::string flags;     // "Flags: ..." of the header, or empty
  std::string name = ".text";
};
std::unique_ptr<Image> image(Kind kind, const std::vector<std::uint32_t>& words, const ImageParts& parts = {});
// Words as the bytes of a file, in the hexadecimal form of yaml2obj.
std::string hex_words(Kind kind, const std::vector<std::uint32_t>& words);

// The first instruction of an image with these words, lifted.
Insn lift(Kind kind, const std::vector<std::uint32_t>& words);

Place place(std::string_view name);

// Registers and memory. What nobody has set is unknown, and so is what an instruction clobbers.
class Machine {
 public:
  using Value = std::optional<std::uint64_t>;
  explicit Machine(Kind kind) : kind_(kind) {}

  Machine& set(std::string_view name, std::uint64_t value);
  Machine& write(std::uint64_t address, std::uint64_t value, unsigned width);
  Machine& run(const Insn& insn);

  Value operator[](std::string_view name) const;
  Value read(std::uint64_t address, unsigned width) const;
  bool was_clobbered(std::string_view name) const;
  // Whether the predicate of the instruction just run holds, from flags that were made by comparing known values.
  std::optional<bool> holds(const Predicate& predicate) const;

 private:
  struct Flags {
    std::uint64_t a = 0, b = 0;
    bool is_unsigned = false;
    unsigned width = 8;
  };
  Value value(const Operand& operand) const;
  Value compute(const MicroOp& op) const;

  Kind kind_;
  std::map<Place, Value> places_;
  std::map<Place, Flags> flags_;
  std::map<unsigned, Value> temporaries_;
  std::map<std::uint64_t, Value> memory_;  // bytes
};

}  // namespace trapline::ppc_test
