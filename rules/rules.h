// SPDX-License-Identifier: Apache-2.0
//
// One maker and one describer a rule; each is in the file of that name.
#pragma once

#include "rules/view.h"

namespace trapline {

#define RULE(symbol, ...)                \
  std::unique_ptr<Rule> make_##symbol(); \
  void describe_##symbol(const Facts& facts, Finding& finding);
#include "rules/rules.def"
#undef RULE

}  // namespace trapline
