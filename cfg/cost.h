// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "disasm/insn.h"

namespace trapline {

// What a path (or one turn of a loop) costs. Counts of instructions unless said otherwise. The design's table says
// what counts as what; interface.md names the keys.
struct Cost {
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;             // instructions that read memory (load_store counts in both)
  std::uint64_t stores = 0;            // instructions that write memory
  std::uint64_t registers_loaded = 0;  // registers
  std::uint64_t registers_stored = 0;  // registers
  std::uint64_t bytes_loaded = 0;      // bytes
  std::uint64_t bytes_stored = 0;      // bytes
  std::uint64_t frame_loads = 0;       // loads through the stack pointer's base
  std::uint64_t frame_stores = 0;      // stores through it
  std::uint64_t branches_taken = 0;    // unconditional jumps included
  std::uint64_t branches_not_taken = 0;
  std::uint64_t calls = 0;  // direct and indirect
  std::uint64_t indirect_calls = 0;
  std::uint64_t system = 0;
  std::uint64_t barriers = 0;
  std::uint64_t atomics = 0;
  std::uint64_t nops = 0;
  // The disjoint classes, in the order of InsnClass; they add up to `instructions`.
  std::array<std::uint64_t, insn_class_count> classes{};

  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace trapline
