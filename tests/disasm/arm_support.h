// SPDX-License-Identifier: Apache-2.0
//
// For tests of the ARM lifter: an object file made of instruction words, and a machine that runs micro-operations on
// numbers, so that a test can state what an instruction does in the manual's terms: registers and memory, before and
// after.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "disasm/arch/arm/places.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::arm_test {

// What an object built here holds besides its code.
struct ObjectOptions {
  bool thumb = false;       // the mapping symbol: $t or $a
  bool big_endian = false;  // BE-32 as objects are, BE8 when `flags` say so
  std::string_view section = ".text";
  std::string_view function;         // a symbol at the start of the code, when not empty
  std::uint32_t flags = 0x05000000;  // EF_ARM_ABI_VER5
};

// A relocatable object whose one code section holds these units (words of ARM state, halfwords of Thumb).
std::unique_ptr<Image> object(std::span<const std::uint32_t> units, const ObjectOptions& options = {});

// One instruction alone in an object, decoded by LLVM and lifted: a word of ARM state, or one or two halfwords of
// Thumb.
Insn lift(std::uint32_t word);
Insn lift_thumb(std::initializer_list<std::uint32_t> halfwords);

// A processor that executes Insn::ops on numbers. A place or a byte without a value is unknown, like what a clobber
// leaves.
struct Machine {
  std::array<std::optional<std::uint64_t>, arm_arch::place_count> places;
  std::map<std::uint64_t, std::optional<std::uint8_t>> memory;
  std::function<std::uint8_t(std::uint64_t)> backing;  // bytes that no store has written, when set
  // Condition flags, each unknown or known.
  struct Flags {
    std::optional<bool> n, z, c, v;
  } flags;
  std::uint64_t next = 0;  // where control goes
  bool jumped = false;

  void store(std::uint64_t address, unsigned width, std::optional<std::uint64_t> value);
  std::optional<std::uint64_t> load(std::uint64_t address, unsigned width) const;
  // Nothing where the flags it asks for are unknown.
  std::optional<bool> holds(const Predicate& predicate) const;
  // Runs one instruction. False when its predicate cannot be told.
  bool run(const Insn& insn);

 private:
  std::array<std::optional<std::uint64_t>, 16> temps_;
  std::optional<std::uint64_t> read(const Operand& operand) const;
  void write(const Operand& operand, std::optional<std::uint64_t> value);
  void step(const MicroOp& op);
  void set_flags(const MicroOp& op);
};

}  // namespace trapline::arm_test
