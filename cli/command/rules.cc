// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <vector>

#include "analyzer/suggest.h"
#include "cli/command/command.h"
#include "cli/format/formats.h"
#include "disasm/error.h"

namespace trapline {

int run_rules(const Options& options, const Console& console) {
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return rules_json(all_rules());
      case Format::markdown:
        return rules_markdown(all_rules());
      default:
        return rules_text(all_rules(), text);
    }
  });
  return 0;
}

int run_explain(const Options& options, const Console& console) {
  const RuleInfo* rule = find_rule(options.topic);
  if (rule == nullptr) {
    std::vector<std::string_view> ids;
    for (const RuleInfo& row : all_rules()) ids.push_back(row.id);
    throw Error(options.topic, "no such rule" + did_you_mean(options.topic, ids) + " ('trapline rules' lists them)");
  }
  write_reports(options, console, [&](Format format, const TextOptions& text) {
    switch (format) {
      case Format::json:
        return rules_json({rule, 1});
      case Format::markdown:
        return explain_markdown(*rule);
      default:
        return explain_text(*rule, text);
    }
  });
  return 0;
}

}  // namespace trapline
