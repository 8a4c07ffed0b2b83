// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace trapline::arm_arch {

// An ARM-state word that LLVM's ARMv8 does not decode and the lifter does (Lifter::only_before_v8), in the manual's
// syntax; empty for any other.
std::string older_text(std::uint32_t word);

}  // namespace trapline::arm_arch
