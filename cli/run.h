// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "cli/console.h"

namespace trapline {

// The whole program: reads the arguments (without the program's name), does what they ask, gives the exit status.
// Throws Error where the tool cannot do its job.
int run(const std::vector<std::string>& arguments, const Console& console);

// Exit status when the tool could not do its job.
inline constexpr int status_failed = 2;

// The one line that the user gets for an exception: "trapline: error: ...".
std::string error_line(const std::exception& error);

}  // namespace trapline
