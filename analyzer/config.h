// SPDX-License-Identifier: Apache-2.0
//
// What a user's trapline.toml changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

  // What may be in a register when user mode resumes.
  struct RegisterPolicy {
    std::string arch;  // empty: all
    std::string reg;   // ABI name
    Level level = Level::note;
    std::string reason;
    std::uint32_t line = 0;
  };
  std::vector<RegisterPolicy> registers;

  // A finding that is known and accepted. Empty fields match all.
  struct Suppression {
    std::string rule, routine, arch;     // rule: an id; routine: name or glob
    std::vector<std::string> registers;  // the finding is suppressed when it holds for no other
    std::string fingerprint;
    std::string reason;
    std::uint32_t line = 0;
  };
  std::vector<Suppression> suppressions;

  // Thread flags by name, and the masks made of them, for rules that judge the tests of the flags word.
  struct ThreadFlags {
    std::string arch;
    std::map<std::string, std::uint32_t> bits;
    std::vector<std::string> work, syscall_work;
    std::uint32_t line = 0;
  };
  std::vector<ThreadFlags> thread_flags;
};

}  // namespace trapline
