// SPDX-License-Identifier: Apache-2.0
//
// What the branches of one path do to the link stack, the processor's predictor of return addresses. The rule
// link-stack-imbalance makes findings of it, and the sweep counts it.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/view.h"

namespace trapline {

enum class LinkVerdict : std::uint8_t {
  // A push that a return takes again; a return to the caller.
  balanced,
  // One of a run of identical pushes, each to the next instruction, with the link register not read in between and kept
  // until the end: fills the link stack on purpose.
  flush,
  // Where the path ends, it is not known whether the address can still be returned to. A return to what was loaded from
  // memory, or handed over.
  undecided,
  // The rest is at fault. A push that no return of the path takes.
  left_over,
  // A return to an address of the routine that no call pushed.
  unpushed_return,
  // A jump to a function that returns to an address put into the link register by hand.
  unpushed_call,
  // A call that takes an address off first (PowerPC blrl).
  call_and_return,
};
constexpr bool is_fault(LinkVerdict v) { return v >= LinkVerdict::left_over; }

struct LinkEvent {
  std::uint32_t step = 0;  // index into Path::steps
  LinkVerdict verdict = LinkVerdict::balanced;
  // Where the branch goes (left_over: an address of the routine), or comes back to (unpushed_call).
  std::uint64_t other = 0;
};

// In the order of the steps. Calls that the path steps over are taken to be balanced, and are not in it; nothing is
// where the architecture documents no link stack.
class LinkStackJudge {
 public:
  std::vector<LinkEvent> judge(const PathView& view);

 private:
  LinkEffect effect(const PathView& view, std::uint32_t step);

  // By node of the routine's graph, since a routine has far more steps than nodes; 0: not asked yet.
  std::vector<std::uint8_t> effects_;
};

}  // namespace trapline
