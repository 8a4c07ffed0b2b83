// SPDX-License-Identifier: Apache-2.0
//
// Reports filled by hand: what the formats print of them is known without an analyzer.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

ImageHead sample_head();

// A path with that label, end, and costs; everything else is zero or empty.
PathReport sample_path(const std::string& label, PathEnd end, ReturnTo to, std::uint64_t instructions,
                       std::uint64_t loads, std::uint64_t stores);

// Two paths, one call each, system instructions, one uncounted loop, one remark.
RoutineReport sample_routine();

PathsReport sample_paths();
EntriesReport sample_entries();
CfgReport sample_cfg();
// A warning on three registers that two routines share, and a note with a source line that is accepted.
FindingsReport sample_findings();

// Lines of `text` without their line feeds.
std::vector<std::string> lines_of(const std::string& text);

// What every text for a pipe must be: ASCII, at most 72 columns, no trailing blank, ended by one line feed. Gives the
// first line that is not, or "".
std::string unfit_for_mail(const std::string& text);

}  // namespace trapline
