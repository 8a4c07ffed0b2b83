// SPDX-License-Identifier: Apache-2.0
#include "analyzer/analyze.h"
#include "analyzer/entries.h"
#include "analyzer/image_set.h"

namespace trapline {

std::vector<FindingsReport::ImagePart> analyze_lint(ImageSet& images, const AnalyzeOptions& options, const Config&) {
  std::vector<FindingsReport::ImagePart> parts;
  for (const Selection& selection : select_entries(images, options.entries)) {
    FindingsReport::ImagePart part;
    part.head = image_head(*selection.image);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace trapline
