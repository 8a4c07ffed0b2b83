// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace trapline::ppc {

// Arch::flags_test.
std::string flags_test(std::uint64_t wanted);

}  // namespace trapline::ppc
