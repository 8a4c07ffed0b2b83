// SPDX-License-Identifier: Apache-2.0
//
// What `lint` and `sweep` share: from what rules found in single routines to a report.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/entries.h"
#include "rules/view.h"

namespace trapline {

// Why link-stack-imbalance has nothing to judge where an architecture has no LinkStack.
inline constexpr std::string_view no_link_stack = "how cores of this architecture predict returns is not documented";

// What one routine contributes.
struct RoutineResult {
  std::vector<Finding> findings;
  std::set<RuleId> applied;                  // rules that found something to judge, see Findings::applied
  std::map<std::uint64_t, std::string> ids;  // of the paths kept, by number
  std::set<Denial> denied;
  std::set<std::uint64_t> unexamined;  // instructions that are on paths which were not walked
  std::uint64_t examined = 0, refused = 0, either = 0, infeasible = 0;
  bool bounded = false;
};

// Adds the findings to the report, merged by rule and place, with the levels and the suppressions of the configuration,
// and counts. `results`: one an entry.
void report_findings(FindingsReport::ImagePart& part, const Image& image, const std::vector<Entry>& entries,
                     const std::vector<RoutineResult>& results, const Config& config);

}  // namespace trapline
