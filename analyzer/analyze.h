// SPDX-License-Identifier: Apache-2.0
//
// An image in, a report out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/config.h"
#include "analyzer/report.h"
#include "disasm/image/image.h"

namespace trapline {

class ImageSet;

struct AnalyzeOptions {
  std::vector<std::string> entries;  // --entry: exact names or globs, any alias; empty: the architecture's table
  std::vector<Config::EntryRule> entry_rules;  // of the configuration: Config::entries
  std::uint64_t max_paths = 4096;              // --max-paths: paths listed a routine; above it the cheapest are listed
  bool listing = false;                        // --listing: fill PathReport::listing
  bool details = true;       // fill what few outputs show: PathReport::decisions, blocks, loops that are not counted
  bool shapes = false;       // fill PathReport::shape
  bool all = false;          // --all
  bool cross_check = false;  // --cross-check: fill PathsReport::ImagePart::cross_check
  unsigned jobs = 1;         // --jobs
  std::optional<std::string> kernel_src;  // --kernel-src: root of a kernel source
};

// The entry routines of the image. Throws Error when there are no symbols, when no routine of the architecture's table
// exists (naming what was looked for), or when a name given with --entry is unknown (with the nearest names).
std::vector<EntryReport> find_entries(const Image& image, const AnalyzeOptions& options);

EntriesReport::ImagePart analyze_entries(const Image& image, const AnalyzeOptions& options);
PathsReport::ImagePart analyze_paths(const Image& image, const AnalyzeOptions& options);
// The same for an IMAGE argument and the vDSOs embedded in it, one part an image that has entry routines
// (select_entries).
std::vector<EntriesReport::ImagePart> analyze_entries(ImageSet& images, const AnalyzeOptions& options);
std::vector<PathsReport::ImagePart> analyze_paths(ImageSet& images, const AnalyzeOptions& options);
// Findings of the rules. `config`: levels, entries to add, policies; suppressed findings are in the report with their
// reason, and do not count in its summary.
std::vector<FindingsReport::ImagePart> analyze_lint(ImageSet& images, const AnalyzeOptions& options,
                                                    const Config& config);
// Findings of the rules that hold for any code, over all code of an IMAGE argument and of the vDSOs embedded in it, one
// part each. `options`: jobs.
std::vector<FindingsReport::ImagePart> analyze_sweep(ImageSet& images, const AnalyzeOptions& options,
                                                     const Config& config);
FindingsReport::ImagePart analyze_sweep(const Image& image, const AnalyzeOptions& options, const Config& config);
bool is_swept(std::string_view rule);  // does analyze_sweep apply the rule of that id?
// options.entries must name exactly one routine, else Error.
CfgReport analyze_cfg(const Image& image, const AnalyzeOptions& options);
CfgReport analyze_cfg(ImageSet& images, const AnalyzeOptions& options);

}  // namespace trapline
