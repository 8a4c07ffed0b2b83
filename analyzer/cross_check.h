// SPDX-License-Identifier: Apache-2.0
//
// Entry code decoded a second time: disasm/decode/cross_check.h, as a report.
#pragma once

#include <span>
#include <vector>

#include "analyzer/report.h"
#include "cfg/graph.h"
#include "disasm/decode/cross_check.h"

namespace trapline {

// Where the instructions of a routine are.
std::vector<CodeRange> instructions_of(const Graph& graph);

// Compares the instructions of several routines; those that they share once. Throws Error when Capstone cannot be
// started.
CrossCheckReport cross_check_report(const Image& image, std::span<const std::vector<CodeRange>> routines);

}  // namespace trapline
