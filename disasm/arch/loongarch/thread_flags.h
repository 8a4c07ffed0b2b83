// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace trapline::loongarch {

// Arch::flags_test.
std::string flags_test(std::uint64_t wanted, std::uint64_t defined, bool is64);

}  // namespace trapline::loongarch
