// SPDX-License-Identifier: Apache-2.0
//
// Limits of the configuration on what paths cost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/baseline.h"
#include "analyzer/config.h"
#include "analyzer/diff_report.h"
#include "analyzer/report.h"

namespace trapline {

// "trapline.toml:12".
std::string budget_place(const Config& config, const Config::Budget& budget);

struct BudgetCheck {
  std::vector<BudgetReport> budgets;
  std::vector<std::string> unchecked;  // "trapline.toml:12: 'loads <= +0' is relative, and there is no baseline"
};

// Measures the paths of one IMAGE argument, with its embedded vDSOs, by the budgets that are for its architecture.
// `single`: only some routines were analysed (--entry), and budgets for others do not matter. Throws Error where a
// budget is for a routine that there is not, for a label that no path has, or relative to a path that the baseline
// does not have: whoever renamed the path has to look at its budget. `baseline` may be null.
BudgetCheck check_budgets(const Config& config, std::span<const PathsReport::ImagePart> images, bool single,
                          const Baseline* baseline);
// The same for the new build of a comparison; the old one is the baseline, path by path.
BudgetCheck check_budgets(const Config& config, const DiffReport& report, bool single);

// Of a listing, the instructions that count for `count`: all for "instructions", those of its kind for loads, stores,
// branches, calls, system instructions, nops; else none.
std::vector<ListingLine> counting(const std::vector<ListingLine>& listing, std::string_view count);

}  // namespace trapline
