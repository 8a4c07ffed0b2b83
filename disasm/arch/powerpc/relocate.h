// SPDX-License-Identifier: Apache-2.0
//
// Immediates that a relocatable object leaves to the linker.
#pragma once

#include <cstdint>
#include <optional>

#include "disasm/arch/powerpc/builder.h"

namespace trapline::ppc {

// A displacement or immediate after relocation.
struct Immediate {
  std::int64_t value = 0;
  // The relocation is relative to the TOC pointer, whose value is the linker's affair: the base register is to be taken
  // as 0 and the value as (part of) the address itself.
  bool absolute = false;
};

// The immediate of a D, DS or DQ form whose field holds `encoded`.
Immediate low_immediate(const Builder& b, std::int64_t encoded);
// The same for addis and oris: the value that is added or or-ed, already shifted left by 16.
Immediate high_immediate(const Builder& b, std::int64_t encoded);
// Where a direct branch goes, which the encoding says goes to `encoded`.
std::uint64_t branch_target(const Builder& b, std::uint64_t encoded);

}  // namespace trapline::ppc
