// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "rules/rule.h"

namespace trapline {
namespace {

constexpr Level none = Level::none, note = Level::note, warning = Level::warning, error = Level::error;

constexpr auto table = std::to_array<RuleInfo>({
#define RULE(symbol, id, level, precision, tags, summary, description, example, fix, references) \
  {RuleId::symbol, id, level, precision, tags, summary, description, example, fix, references},
#include "rules/rules.def"
#undef RULE
});

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case none:
      return "none";
    case note:
      return "note";
    case warning:
      return "warning";
    case error:
      break;
  }
  return "error";
}

std::span<const RuleInfo> all_rules() { return table; }

const RuleInfo& rule_info(RuleId rule) { return table[static_cast<std::size_t>(rule)]; }

const RuleInfo* find_rule(std::string_view id) {
  auto it = std::find_if(table.begin(), table.end(), [id](const RuleInfo& r) { return r.id == id; });
  return it == table.end() ? nullptr : &*it;
}

}  // namespace trapline
