// SPDX-License-Identifier: Apache-2.0
//
// What text and Markdown say of --cross-check.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

// "Capstone 4.0.2: 812 instructions compared, 3 differ", or that it does not know the architecture.
std::string cross_check_summary(const CrossCheckReport& report);

// One item a class of differences that is understood, with its first place, then the others one by one. With `all`,
// every difference one by one.
std::vector<std::string> cross_check_items(const CrossCheckReport& report, bool all);

}  // namespace trapline
