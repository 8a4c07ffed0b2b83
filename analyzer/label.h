// SPDX-License-Identifier: Apache-2.0
//
// Labels of paths: made of facts, never of addresses, so that budgets and comparisons survive a rebuild.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report.h"
#include "cfg/paths.h"

namespace trapline {

// The words of one path: "user full work trace", "kernel partial", "jump do_x", "no-return panic", "trap".
std::string label_words(const Image& image, const Contract& contract, const RoutinePaths& routine, const Path& path);

// Where a path returns to: what the path established, else what the entry's contract says.
ReturnTo return_to(const Contract& contract, const Path& path);

// Adds "#n", by cost, to labels that paths of different cost share, and orders the paths: the most common words first, then
// by cost.
void number_and_order(std::vector<PathReport>& paths);

}  // namespace trapline
