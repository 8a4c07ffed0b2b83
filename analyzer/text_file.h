// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trapline {

// What a text file of the user's holds. Throws Error where it cannot be read.
std::string read_text_file(const std::string& path);

}  // namespace trapline
