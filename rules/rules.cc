// SPDX-License-Identifier: Apache-2.0
#include "rules/rules.h"

namespace trapline {

std::vector<std::unique_ptr<Rule>> make_rules() {
  std::vector<std::unique_ptr<Rule>> rules;
#define RULE(symbol, ...) rules.push_back(make_##symbol());
#include "rules/rules.def"
#undef RULE
  return rules;
}

void describe(const Facts& facts, Finding& finding) {
  switch (finding.rule) {
#define RULE(symbol, ...) \
  case RuleId::symbol:    \
    return describe_##symbol(facts, finding);
#include "rules/rules.def"
#undef RULE
  }
}

}  // namespace trapline
