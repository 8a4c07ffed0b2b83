// SPDX-License-Identifier: Apache-2.0
//
// The subcommands, one file each. Each gives the exit status and throws Error where it cannot do its job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/budget.h"
#include "analyzer/image_set.h"
#include "cli/console.h"
#include "cli/options.h"

namespace trapline {

int run_entries(const Options& options, const Console& console);
int run_paths(const Options& options, const Console& console);
int run_lint(const Options& options, const Console& console);
int run_diff(const Options& options, const Console& console);
int run_sweep(const Options& options, const Console& console);
int run_cfg(const Options& options, const Console& console);
int run_rules(const Options& options, const Console& console);
int run_explain(const Options& options, const Console& console);
int run_config(const Options& options, const Console& console);
int run_help(const Options& options, const Console& console);
int run_version(const Console& console);

// Whether the report has a finding of that level or a worse one that is not accepted; never for Level::none.
bool has_findings(const FindingsReport& report, Level least);

// The configuration that --config names, or trapline.toml in the working folder or above; with --verbose, standard
// error says which.
Config read_config(const Options& options, const Console& console);
// What the command line says, with the entry routines that the configuration adds.
AnalyzeOptions analyze_options(const Options& options, const Config& config);

// What --baseline names, if anything.
std::optional<Baseline> read_baseline(const Options& options);
// Says on standard error which budgets were not checked, unless --quiet.
void print_unchecked(const Options& options, const Console& console, const BudgetCheck& check);
bool any_exceeded(const std::vector<BudgetReport>& budgets);

// Calls `analyze` with each IMAGE argument in turn, with the progress shown. It may move the images away, to keep them.
void for_each_image(const Options& options, const Console& console, const std::function<void(ImageSet&)>& analyze);

// Writes one report in all formats asked for. All are made before the first is written, so that a format that fails
// leaves nothing half done; standard output comes last.
void write_reports(const Options& options, const Console& console,
                   const std::function<std::string(Format, const TextOptions&)>& render);

}  // namespace trapline
