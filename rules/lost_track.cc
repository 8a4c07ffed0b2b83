// SPDX-License-Identifier: Apache-2.0
//
// lost-track: at an exception return the stack pointer, or the place of pt_regs, is not known.
//
// How it works: the other rules read registers off slots. Where nothing tells which memory is the frame, they would be
// silent for want of knowledge; this rule speaks instead, and the path is counted as refused.
// False positives: none in the sense of the rule: it speaks of the analysis.
// False negatives: a frame that most stores agree on and that is another one.
#include <algorithm>

#include "rules/rules.h"

namespace trapline {
namespace {

// Is the stack pointer something that a return may leave behind?
bool stack_pointer_known(const PathView& view) {
  const Place sp = view.facts().stack_pointer;
  if (sp == no_place) return true;
  const Setting& s = view.state().setting();
  const Holding h = view.state().holding(sp);
  if (h.held == Held::entry || h.held == Held::own_slot) return true;
  const Address at = view.state().remembered(s.pool.as_address(h.value));
  if (at.base == no_value) return false;
  const Value& base = s.pool[at.base];
  return base.kind == ValueKind::entry || (view.state().frame() && view.state().frame()->base == at.base);
}

// Were registers loaded from a stack of which it is not known where pt_regs lies in it?
bool needs_frame(const PathView& view) {
  std::vector<ValueId> stacks;
  for (const MemoryEvent& e : view.state().memory())
    if (e.on_stack && !e.store) stacks.push_back(e.value);
  for (const Holding& h : view.registers())
    if (h.held == Held::kernel && h.width != 0 && std::find(stacks.begin(), stacks.end(), h.value) != stacks.end())
      return true;
  return false;
}

class LostTrack : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!view.lost()) return;
    if (const OtherReturn* other = view.other_return()) {
      Finding& f = findings.at(RuleId::lost_track, Level::note, view.end_address(), view.path().number, "other");
      f.add("reason", 0, other->reason);
      if (f.steps.empty()) f.steps.push_back({view.end_address(), std::string(other->reason)});
      return;
    }
    Finding& f = findings.at(RuleId::lost_track, Level::warning, view.end_address(), view.path().number);
    const bool sp = !stack_pointer_known(view);
    f.add("unknown", sp ? 0 : 1, sp ? "stack pointer" : "frame");
    if (!f.steps.empty()) return;
    if (sp) view.add_last_write(f, view.facts().stack_pointer, "stack pointer is set here");
    view.add_end(f);
  }
};

}  // namespace

bool is_lost(const PathView& view) {
  if (!view.exception_return()) return false;
  if (view.other_return() != nullptr) return true;
  return !stack_pointer_known(view) || (!view.state().frame() && needs_frame(view));
}

std::unique_ptr<Rule> make_lost_track() { return std::make_unique<LostTrack>(); }

void describe_lost_track(const Facts&, Finding& f) {
  if (f.variety == "other") {
    f.message =
        "what resumes here is not what was interrupted (" + f.joined("reason") + "); its registers were not judged";
    f.fix = "none is needed";
    return;
  }
  f.message = "the " + f.joined("unknown") + " is not known where the path ends; its registers were not judged";
  f.fix = "give the entry's contract in trapline.toml, or report the routine";
}

}  // namespace trapline
