// SPDX-License-Identifier: Apache-2.0
//
// unresolved-jump: the target of a jump on a path is not known, and the path ends there.
//
// How it works: the jump's register holds neither a constant nor an entry of a table whose bounds the path has tested.
// False positives: none in the sense of the rule: it speaks of the analysis.
// False negatives: none.
// Real bug: none; a jump that nobody can follow hides what lies behind it.
#include "rules/rules.h"

namespace trapline {
namespace {

class UnresolvedJump : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.path().end != EndKind::unresolved) return;
    Finding& f = findings.at(RuleId::unresolved_jump, Level::note, view.end_address(), view.path().number);
    if (f.steps.empty()) f.steps.push_back({view.end_address(), "jumps to an address that is not known"});
  }
};

}  // namespace

std::unique_ptr<Rule> make_unresolved_jump() { return std::make_unique<UnresolvedJump>(); }

void describe_unresolved_jump(const Facts&, Finding& f) {
  f.message = "the target of the jump is not known; what follows was not looked at";
  f.fix = "none is needed if the jump is meant; name the targets as entries to have them looked at";
}

}  // namespace trapline
