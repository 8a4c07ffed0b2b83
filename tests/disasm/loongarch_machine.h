// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the LoongArch tests: images made from YAML or from instruction words, and a small machine that executes
// the micro-operations of an instruction, so that tests can name the values that the manual gives.
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

namespace trapline::test {

// The image that yaml2obj makes of `yaml`.
std::unique_ptr<Image> image_from_yaml(const std::string& yaml);

// Words as they stand in a little-endian file, in the hexadecimal form of yaml2obj.
std::string hex_words(const std::vector<std::uint32_t>& words);

inline constexpr std::uint64_t text_address = 0x9000000000200000;
inline constexpr std::uint64_t text_address_32 = 0xa0200000;

// Linked kernels whose .text is `words`.
std::unique_ptr<Image> loongarch64_image(const std::vector<std::uint32_t>& words);
std::unique_ptr<Image> loongarch32_image(const std::vector<std::uint32_t>& words);

// The first instruction of such a kernel, lifted.
Insn lift64(std::uint32_t word);
Insn lift32(std::uint32_t word);

// The place of that name; fails the test where there is none.
Place place(std::string_view name);

// Registers and memory. What nobody has set is unknown, and so is what an instruction clobbers.
class Machine {
 public:
  using Value = std::optional<std::uint64_t>;

  explicit Machine(unsigned register_bytes = 8) : register_bytes_(register_bytes) {}
  Machine& set(std::string_view name, std::uint64_t value);
  Machine& write(std::uint64_t address, std::uint64_t value, unsigned width);
  Machine& run(const Insn& insn);

  Value operator[](std::string_view name) const;
  Value read(std::uint64_t address, unsigned width) const;
  // The address of an indirect jump, asked after run().
  Value value(const Operand& operand) const;
  bool was_clobbered(std::string_view name) const;

 private:
  Value compute(const MicroOp& op) const;
  std::uint64_t low(std::uint64_t value, unsigned bytes) const;

  unsigned register_bytes_;
  std::map<Place, Value> places_;
  std::map<unsigned, Value> temporaries_;
  std::map<std::uint64_t, Value> memory_;  // bytes
};

}  // namespace trapline::test
