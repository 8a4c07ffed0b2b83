// SPDX-License-Identifier: Apache-2.0
//
// Every output format of every report. Each takes the finished report and gives the whole document.
#pragma once

#include <span>
#include <string>

#include "analyzer/diff_report.h"
#include "analyzer/report.h"
#include "cli/layout.h"
#include "rules/rule.h"

namespace trapline {

std::string entries_text(const EntriesReport& report, const TextOptions& options);
std::string entries_json(const EntriesReport& report);
std::string entries_csv(const EntriesReport& report);
std::string entries_markdown(const EntriesReport& report);

std::string paths_text(const PathsReport& report, const TextOptions& options);
std::string paths_json(const PathsReport& report);
std::string paths_csv(const PathsReport& report);
std::string paths_markdown(const PathsReport& report, const TextOptions& options);

// A format that shows findings in another tool (SARIF, GitHub, JUnit) is one more function here.
std::string findings_text(const FindingsReport& report, const TextOptions& options);
std::string findings_json(const FindingsReport& report);
std::string findings_csv(const FindingsReport& report);
std::string findings_markdown(const FindingsReport& report, const TextOptions& options);

std::string diff_text(const DiffReport& report, const TextOptions& options);
std::string diff_json(const DiffReport& report);
std::string diff_csv(const DiffReport& report);
std::string diff_markdown(const DiffReport& report, const TextOptions& options);

std::string rules_text(std::span<const RuleInfo> rules, const TextOptions& options);
std::string rules_json(std::span<const RuleInfo> rules);
std::string rules_markdown(std::span<const RuleInfo> rules);  // the rule book, doc/rules.md
std::string explain_text(const RuleInfo& rule, const TextOptions& options);
std::string explain_markdown(const RuleInfo& rule);

std::string cfg_text(const CfgReport& report, const TextOptions& options);
std::string cfg_json(const CfgReport& report);
std::string cfg_dot(const CfgReport& report);
// Runs Graphviz. Throws Error when it is not installed or fails.
std::string cfg_svg(const CfgReport& report);

}  // namespace trapline
