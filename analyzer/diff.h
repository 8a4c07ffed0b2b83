// SPDX-License-Identifier: Apache-2.0
//
// Two builds in, what changed out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/analyze.h"
#include "analyzer/diff_report.h"

namespace trapline {

// What is known of one build: the reports of an IMAGE argument and of the vDSOs embedded in it, the image itself first.
struct DiffSide {
  ImageHead head;                                   // of the image itself
  std::vector<std::string> unknown;                 // names given with --entry that this build does not have
  std::vector<PathsReport::ImagePart> paths;        // with shapes; with listings for DiffReport to have them
  std::vector<FindingsReport::ImagePart> findings;  // of the same images, in the same order
};

// Analyses one build. `options.shapes` need not be set. A name in `options.entries` that the build does not have is no
// error here: it may be new, or gone.
DiffSide analyze_side(ImageSet& images, const AnalyzeOptions& options, const Config& config);

// Routines are matched by name or alias, paths by structure, findings by fingerprint. Throws Error where the builds are
// for different architectures, or where neither has a routine that was asked for.
DiffReport compare(const DiffSide& before, const DiffSide& after);

// The parts of compare. Where a routine does not exist, that side is null; not both.
RoutineDiff compare_routines(const RoutineReport* before, const RoutineReport* after);
// `renamed`: the new names of functions, by their old ones.
FindingsDiff compare_findings(const std::vector<FindingReport>& before, const std::vector<FindingReport>& after,
                              const std::map<std::string, std::string>& renamed = {});

}  // namespace trapline
