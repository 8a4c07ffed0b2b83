// SPDX-License-Identifier: Apache-2.0
//
// falls-off-end: control runs past the end of the code.
//
// How it works: the next address of the path is in no executable section.
// False positives: a call that does not return and that nothing says so of; name it in the configuration.
// False negatives: code that runs into the next function.
// Real bug: a missing branch after an exception return on processors that speculate past it.
#include "rules/rules.h"

namespace trapline {
namespace {

class FallsOffEnd : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.path().end != EndKind::falls_off) return;
    Finding& f = findings.at(RuleId::falls_off_end, Level::warning, view.end_address(), view.path().number);
    if (f.steps.empty()) f.steps.push_back({view.end_address(), "is outside of all code"});
  }
};

}  // namespace

std::unique_ptr<Rule> make_falls_off_end() { return std::make_unique<FallsOffEnd>(); }

void describe_falls_off_end(const Facts&, Finding& f) {
  f.message = "control runs past the end of the code";
  f.fix = "end the path with a jump, a return or a trap";
}

}  // namespace trapline
