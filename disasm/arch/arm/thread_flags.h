// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "disasm/arch/facts.h"

namespace trapline::arm_arch {

ThreadFlags make_thread_flags();

// Arch::flags_test.
std::string flags_test(std::uint32_t wanted, std::uint32_t defined);

}  // namespace trapline::arm_arch
