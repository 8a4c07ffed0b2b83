// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "disasm/image/elf_view.h"

namespace trapline {

// Internal addresses (see Image).
struct Layout {
  std::vector<std::uint64_t> bias;    // per ELF section: internal address minus the one in the file
  std::uint64_t undefined_begin = 0;  // relocatable objects: first address of the place holders of undefined symbols
};

// Each undefined symbol of an object owns this many addresses, itself in the middle: an addend of either sign
// still leads to the symbol.
inline constexpr std::uint64_t undefined_spacing = 0x1000;

// Throws Error when the sections cannot be laid out apart from each other (absurd sizes).
Layout lay_out(const ElfView& elf);

}  // namespace trapline
