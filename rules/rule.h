// SPDX-License-Identifier: Apache-2.0
//
// What a rule is and what it says. rules.def is the only list of rules: the registry, `rules`, `explain` and the rule
// book are made from it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trapline {

enum class Level : std::uint8_t { none, note, warning, error };
std::string_view level_name(Level level);  // "none", "note", "warning", "error"

enum class RuleId : std::uint8_t {
#define RULE(symbol, id, level, precision, tags, summary, description, example, fix, references) symbol,
#include "rules/rules.def"
#undef RULE
};

// One row of rules.def.
struct RuleInfo {
  RuleId rule;
  std::string_view id;           // kebab-case: text, JSON, SARIF
  Level level = Level::warning;  // default
  std::string_view precision;    // "very-high", "high", "medium"
  std::string_view tags;         // separated by blanks
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs: how it works, known false positives, known false negatives, the real bug
  std::string_view example;      // a few lines of assembly and what is wrong with them
  std::string_view fix;          // how to mend what it finds
  std::string_view references;   // kernel files, manuals, commits; one a line
};

std::span<const RuleInfo> all_rules();
const RuleInfo& rule_info(RuleId rule);
const RuleInfo* find_rule(std::string_view id);  // nullptr: there is none

// One instruction that matters for a finding, in the order walked.
struct FindingStep {
  std::uint64_t address = 0;  // internal
  std::string note;           // "t0 <- PT_R12, not saved on this path"
};

// A list of the rule's own facts ("registers", "slots"), each once, in the order of the second member of an item.
struct FactList {
  std::string key;
  std::set<std::pair<std::uint32_t, std::string>> items;
  bool identifies = true;  // false: says where knowledge comes from; the finding is the same without it
};

// What a rule found. One finding per rule and place: what other paths and routines have at the same place is merged
// into it.
struct Finding {
  RuleId rule{};
  Level level = Level::warning;
  std::uint64_t place = 0;    // internal address that findings are merged by
  std::uint64_t address = 0;  // internal address that is shown: what a patch would touch
  std::string variety;        // findings of other variety at the same place are others (width, not register)
  std::string message;        // one sentence without the rule's name; written by describe
  std::string fix;
  std::vector<FindingStep> steps;    // of the first path
  std::vector<std::uint64_t> paths;  // Path::number, ascending
  std::vector<FactList> facts;       // "registers": t0, t1
  // Of a finding that holds only if it holds on every path through an instruction: these instructions, by internal
  // address, each with what it loads or stores. See Findings::deny.
  std::map<std::uint64_t, std::string> parts;

  void add(std::string_view key, std::uint32_t order, std::string_view item);
  // A fact of a list that does not identify the finding.
  void add_source(std::string_view key, std::string_view item);
  const FactList* list(std::string_view key) const;  // nullptr: there is none
  std::string joined(std::string_view key) const;    // "t0, t1 and t2"
  std::size_t count(std::string_view key) const;
  // Makes the parts a list of facts, in the order of their addresses.
  void add_parts(std::string_view key);
};

// An instruction of which a rule, or one variety of its findings, must not speak: on some path it is needed.
struct Denial {
  RuleId rule{};
  std::string variety;
  std::uint64_t address = 0;
  friend auto operator<=>(const Denial&, const Denial&) = default;
};

}  // namespace trapline
