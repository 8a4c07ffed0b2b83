// SPDX-License-Identifier: Apache-2.0
//
// Baselines as JSON files.
#pragma once

#include <string>

#include "analyzer/baseline.h"

namespace trapline {

// Reads a baseline, or what `paths --format json` or `lint --format json` wrote. Throws Error on a file that cannot be
// read, or is none of these.
Baseline read_baseline(const std::string& file);

// The document, "trapline/baseline/1".
std::string baseline_json(const Baseline& baseline);

// Writes what `now` says to the file. A file that says otherwise is moved, with the reason in its history; without a
// reason that is an Error, and nothing is written.
void move_baseline(const std::string& file, const Baseline& now, const std::string& reason);

}  // namespace trapline
