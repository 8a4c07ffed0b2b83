// SPDX-License-Identifier: Apache-2.0
#include "analyzer/suggest.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

namespace trapline {

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> candidates) {
  // One slip for short words, one in three letters for long ones; more is guessing.
  std::size_t best_distance = typed.size() / 3 + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    // The beginning of a longer word is near whatever its length.
    const bool begins = typed.size() >= 3 && candidate.starts_with(typed);
    const std::size_t distance = begins ? 1 : llvm::StringRef(typed).edit_distance(candidate);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

}  // namespace trapline
