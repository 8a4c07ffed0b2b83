// SPDX-License-Identifier: Apache-2.0
//
// Words on findings that text and Markdown share.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report.h"
#include "cli/layout.h"

namespace trapline {

// "57 routines, 1234 paths examined, 2 refused, 17 infeasible".
std::string examined_text(const FindingsReport::Summary& summary);

// "1 error, 0 warnings, 3 notes, 1 accepted".
std::string counts_text(const FindingsReport::Summary& summary);

// "166 candidates: 6 at fault, 12 exempt, ...".
std::string candidates_text(const FindingsReport::Candidates& candidates);

// What the summary says besides: candidates of a sweep, returns of unknown privilege, the layouts of pt_regs, remarks;
// `verbose`: also which rules have nothing to judge.
std::vector<std::string> summary_items(const FindingsReport::ImagePart& part, bool verbose);

// Findings that a reader is to see: all with `all`, else those that are not accepted.
std::vector<const FindingReport*> findings_to_list(const FindingsReport::ImagePart& part, bool all);

// Notes that say the same of several places, as a macro makes them: the first, with the places of the others.
struct FoldedFinding {
  const FindingReport* finding = nullptr;
  std::vector<const FindingReport*> others;
};
// `findings` in their order, notes with the same rule, message, fix and acceptance folded into the first of them.
std::vector<FoldedFinding> folded(const std::vector<const FindingReport*>& findings);

// Routines and steps of a finding shown without --all.
inline constexpr std::size_t shown_routines = 8;
inline constexpr std::size_t shown_steps = 12;

// "b, c and 4 more": the routines behind the first, `most` of them.
std::string further_routines(const FindingReport& finding, std::size_t most);
// The same for the places of others.
std::string further_places(const FoldedFinding& finding, std::size_t most);

// One finding as text, and as Markdown with its details folded.
void print_finding(Page& page, const ImageHead& head, const FoldedFinding& folded);
std::string finding_markdown(const FindingReport& finding, bool all);

}  // namespace trapline
