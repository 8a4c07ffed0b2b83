// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace trapline {

std::string_view trapline_version();  // "0.1.0"
std::string version_text();           // "trapline 0.1.0 (LLVM 22.1.8)"

}  // namespace trapline
