// SPDX-License-Identifier: Apache-2.0
//
// undecoded: a path runs into bytes that are no instruction that is known.
//
// How it works: neither LLVM nor the architecture's own table has the word; the path ends there and nothing behind it
// was looked at.
// False positives: an instruction that is newer than both, or data that a table of the image keeps control away from.
// False negatives: data that happens to be an instruction.
// Real bug: a conditional branch around a literal pool with the wrong sense.
#include "rules/rules.h"

namespace trapline {
namespace {

class Undecoded : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.path().end != EndKind::undecoded) return;
    Finding& f = findings.at(RuleId::undecoded, Level::warning, view.end_address(), view.path().number);
    if (f.steps.empty()) f.steps.push_back({view.end_address(), "not an instruction that is known"});
  }
};

}  // namespace

std::unique_ptr<Rule> make_undecoded() { return std::make_unique<Undecoded>(); }

void describe_undecoded(const Facts&, Finding& f) {
  f.message = "the path runs into a word that is no known instruction; what follows was not looked at";
  f.fix = "keep control away from data; if the word is an instruction, report it";
}

}  // namespace trapline
