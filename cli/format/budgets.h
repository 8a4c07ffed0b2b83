// SPDX-License-Identifier: Apache-2.0
//
// What the formats say of budgets: how many were checked, and those that are exceeded.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report.h"
#include "cli/format/json_parts.h"
#include "cli/layout.h"

namespace trapline {

// Nothing where none was checked.
void print_budgets(Page& page, const std::vector<BudgetReport>& budgets);
std::string budgets_markdown(const std::vector<BudgetReport>& budgets);
Json budgets_json(const std::vector<BudgetReport>& budgets);

}  // namespace trapline
