// SPDX-License-Identifier: Apache-2.0
#include "analyzer/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyzer/entries.h"

namespace trapline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_name = "trapline.toml";

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_name(pattern, name); });
}

// The finding is about registers, and about no other than these.
bool only_registers(const FindingReport& finding, const std::vector<std::string>& registers) {
  const auto named = std::find_if(finding.data.begin(), finding.data.end(),
                                  [](const auto& entry) { return entry.first == "registers"; });
  return named != finding.data.end() && !named->second.empty() &&
         std::all_of(named->second.begin(), named->second.end(), [&](const std::string& reg) {
           return std::find(registers.begin(), registers.end(), reg) != registers.end();
         });
}

bool covers(const Config::Suppression& suppression, std::string_view arch, const FindingReport& finding) {
  if (!suppression.arch.empty() && suppression.arch != arch) return false;
  if (!suppression.rule.empty() && suppression.rule != finding.rule) return false;
  if (!suppression.fingerprint.empty() && suppression.fingerprint != finding.fingerprint) return false;
  if (!suppression.registers.empty() && !only_registers(finding, suppression.registers)) return false;
  if (suppression.routines.empty()) return true;
  const std::vector<std::string> routines = finding.routines.empty() ? std::vector{finding.routine} : finding.routines;
  return std::all_of(routines.begin(), routines.end(),
                     [&](const std::string& routine) { return any_matches(suppression.routines, routine); });
}

bool is_off(const Config& config, std::string_view rule) {
  const RuleInfo* info = find_rule(rule);
  return info != nullptr && level_of(config, info->rule, info->level) == Level::none;
}

}  // namespace

std::optional<std::string> find_config(const std::string& folder) {
  std::error_code error;
  const fs::path start = fs::absolute(folder, error);
  if (error) return std::nullopt;
  for (fs::path here = start;; here = here.parent_path()) {
    const fs::path file = here / file_name;
    if (fs::is_regular_file(file, error)) return here == start ? std::string(file_name) : file.string();
    if (here == here.parent_path()) return std::nullopt;
  }
}

Level level_of(const Config& config, RuleId rule, Level found) {
  const auto set = config.levels.find(rule);
  if (set == config.levels.end()) return found;
  const Level usual = rule_info(rule).level;
  if (set->second == usual) return found;
  return found >= usual ? set->second : std::min(found, set->second);
}

const Config::Suppression* suppressed(const Config& config, std::string_view arch, const FindingReport& finding) {
  for (const Config::Suppression& suppression : config.suppressions) {
    if (covers(suppression, arch, finding)) return &suppression;
  }
  return nullptr;
}

std::vector<const Config::Suppression*> unused(const Config& config, const FindingsReport& report) {
  std::vector<const Config::Suppression*> list;
  for (const Config::Suppression& suppression : config.suppressions) {
    bool judged = false;
    bool used = false;
    for (const FindingsReport::ImagePart& part : report.images) {
      judged = judged || suppression.arch.empty() || suppression.arch == part.head.arch;
      used = used || std::any_of(part.findings.begin(), part.findings.end(), [&](const FindingReport& finding) {
               return covers(suppression, part.head.arch, finding);
             });
    }
    if (judged && !used && !is_off(config, suppression.rule)) list.push_back(&suppression);
  }
  return list;
}

const Config::RegisterPolicy* policy_of(const Config& config, std::string_view arch, std::string_view reg) {
  const Config::RegisterPolicy* general = nullptr;
  for (const Config::RegisterPolicy& policy : config.registers) {
    if (policy.reg != reg) continue;
    if (policy.arch == arch) return &policy;
    if (policy.arch.empty()) general = &policy;
  }
  return general;
}

std::string limit_text(const Config::Budget::Limit& limit) {
  return limit.relative ? fmt::format("{} <= {:+}", limit.count, limit.most)
                        : fmt::format("{} <= {}", limit.count, limit.most);
}

std::string_view contract_name(ContractKind kind) {
  switch (kind) {
    case ContractKind::interrupted:
      return "interrupted";
    case ContractKind::frame_built:
      return "frame-built";
    case ContractKind::function:
      break;
  }
  return "function";
}

std::string_view level_word(Level level) { return level == Level::none ? "off" : level_name(level); }

ContractKind usual_contract(Role role) {
  switch (role) {
    case Role::syscall_entry:
    case Role::exception_entry:
    case Role::tlb_handler:
    case Role::vector:
      return ContractKind::interrupted;
    case Role::return_to_user:
    case Role::fork_return:
      return ContractKind::frame_built;
    case Role::context_switch:
    case Role::vdso:
    case Role::user_named:
      break;
  }
  return ContractKind::function;
}

}  // namespace trapline
