// SPDX-License-Identifier: Apache-2.0
//
// What a user's trapline.toml changes. `trapline help config` shows what may stand in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report.h"
#include "disasm/arch/facts.h"
#include "rules/rule.h"

namespace trapline {

struct Config {
  std::string path;  // of the file; empty: none was read

  // An entry routine that the architecture's table does not have, or another role for one that it has.
  struct EntryRule {
    std::string pattern;  // exact name or glob
    std::optional<Role> role;
    std::optional<ContractKind> contract;
    std::optional<std::int64_t> frame_offset;  // of pt_regs from the stack pointer at entry, bytes
    std::string arch;                          // only for this architecture; empty: all
    std::uint32_t line = 0;
  };
  std::vector<EntryRule> entries;

  std::map<RuleId, Level> levels;  // Level::none: the rule is off
  std::map<RuleId, std::uint32_t> level_lines;

  // What may be in a register when user mode resumes.
  struct RegisterPolicy {
    std::string arch;  // empty: all
    std::string reg;   // ABI name
    Level level = Level::note;
    std::string reason;
    std::uint32_t line = 0;
  };
  std::vector<RegisterPolicy> registers;

  // A finding that is known and accepted. Empty fields match all; one of rule and fingerprint is there.
  struct Suppression {
    std::string rule, arch;              // rule: an id
    std::vector<std::string> routines;   // names or globs; the finding is suppressed when it is on paths of no other
    std::vector<std::string> registers;  // the finding is suppressed when it holds for no other
    std::string fingerprint;
    std::string reason;  // never empty
    std::uint32_t line = 0;
  };
  std::vector<Suppression> suppressions;

  // Thread flags by name, and the masks made of them, for rules that judge the tests of the flags word.
  struct ThreadFlags {
    std::string arch;
    std::map<std::string, std::uint32_t> bits;    // bit numbers, 0 to 31
    std::vector<std::string> work, syscall_work;  // names in `bits`
    std::uint32_t line = 0;
  };
  std::vector<ThreadFlags> thread_flags;

  // What a path may cost.
  struct Budget {
    struct Limit {
      std::string count;      // name of a count: "loads"
      bool relative = false;  // `most` is on top of what the path costs in the baseline
      std::int64_t most = 0;
    };
    std::string arch;     // empty: all
    std::string routine;  // name or glob
    std::string label;    // of the paths it is for; without a number: of all paths with these words
    std::vector<Limit> limits;
    std::string reason;  // never empty
    std::uint32_t line = 0;
  };
  std::vector<Budget> budgets;
};

// "loads <= 36", "loads <= +0".
std::string limit_text(const Config::Budget::Limit& limit);

// The configuration in the file. Throws Error with file and line on what is not understood: unknown keys, rules,
// levels, roles, architectures and registers (with the nearest name), wrong types, a suppression or a register policy
// without a reason.
Config load_config(const std::string& path);
// The same for a text; `path` is what errors call it.
Config parse_config(std::string_view text, const std::string& path);

// trapline.toml in `folder` or the nearest folder above that has one: "trapline.toml" in the former case, else an
// absolute path.
std::optional<std::string> find_config(const std::string& folder);

// The whole configuration as TOML: the defaults and what the file changes, each with where it comes from. parse_config
// reads it back.
std::string config_text(const Config& config);

// The level that a finding of that rule has under the configuration; Level::none: it is not reported. A level in the
// configuration is that of the findings to which the rule gives its default level. Those that the rule itself holds to
// be less keep their level, unless the configuration asks for less still.
Level level_of(const Config& config, RuleId rule, Level found);

// The first suppression that covers the finding, in an image of that architecture; null: none does.
const Config::Suppression* suppressed(const Config& config, std::string_view arch, const FindingReport& finding);

// Suppressions that cover no finding of the report, where one could have come up: those for architectures that the
// report does not have, or for rules that are off, are not judged.
std::vector<const Config::Suppression*> unused(const Config& config, const FindingsReport& report);

// What the configuration says of a register of that architecture; what stands in [arch.NAME] comes first. Null:
// nothing.
const Config::RegisterPolicy* policy_of(const Config& config, std::string_view arch, std::string_view reg);

// Names of trapline.toml.
std::string_view contract_name(ContractKind kind);  // "interrupted", "frame-built", "function"
std::string_view level_word(Level level);           // as level_name, but "off" for none
// The contract that an entry routine has by its role alone.
ContractKind usual_contract(Role role);

}  // namespace trapline
