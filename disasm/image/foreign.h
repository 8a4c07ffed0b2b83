// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace trapline {

// What a file that is not ELF seems to be, and what to do with it: the text of an error message.
std::string describe_foreign(std::span<const std::uint8_t> bytes);

}  // namespace trapline
