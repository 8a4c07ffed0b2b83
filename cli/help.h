// SPDX-License-Identifier: Apache-2.0
//
// Help texts, made from the tables of options.h; tests/help/ holds what they must say.
#pragma once

#include <string>

#include "cli/options.h"

namespace trapline {

std::string short_help();    // for `trapline` alone
std::string general_help();  // `trapline help`
std::string command_help(const CommandRow& command);

}  // namespace trapline
