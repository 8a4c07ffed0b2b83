// SPDX-License-Identifier: Apache-2.0
//
// What a build was, for the next one to be measured by: what its paths cost, and the findings that are known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

struct Baseline {
  struct Path {
    std::string label;
    Cost cost;
  };
  struct Routine {
    std::string name;
    std::vector<Path> paths;  // one for each distinct label and cost
  };
  struct ImagePart {
    std::string image;                                   // image_key
    std::optional<std::vector<Routine>> routines;        // nothing: nobody has said
    std::optional<std::vector<FindingReport>> findings;  // rule, level, message, routines, place, data, fingerprint
  };
  // Why the baseline was moved, and from what to what.
  struct Move {
    std::string reason;
    std::vector<std::string> changes;
  };
  std::string path;  // of the file
  std::vector<ImagePart> images;
  std::vector<Move> history;  // the oldest first
};

// What an image is known by from build to build: architecture and kind, or the name of an embedded vDSO.
std::string image_key(const ImageHead& head);

Baseline baseline_of(const PathsReport& report);
Baseline baseline_of(const FindingsReport& report);

// What the path of that label cost; null: the baseline has no such path.
const Cost* base_cost(const Baseline& baseline, const ImageHead& head, std::string_view routine,
                      std::string_view label);

// Accepts the findings that the baseline knows, with "in the baseline FILE" as reason, and counts anew. A finding that
// holds for no more than a known one is known.
void accept_known(FindingsReport& report, const Baseline& baseline);

// `known` with what `now` says in its place; parts that `now` does not speak of stay. What changed is added to the
// history, with the reason. `changes`: the same, for those who have to ask for a reason first.
std::vector<std::string> changes(const Baseline& known, const Baseline& now);
Baseline moved(const Baseline& known, const Baseline& now, const std::string& reason);

}  // namespace trapline
