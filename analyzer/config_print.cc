// SPDX-License-Identifier: Apache-2.0
//
// The effective configuration as TOML that parse_config reads back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyzer/config.h"

namespace trapline {
namespace {

// A basic string of TOML.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts) list.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(list, ", "));
}

class Printer {
 public:
  explicit Printer(const Config& config) : config_(config) {}

  std::string print() {
    text_ += config_.path.empty() ? "# no trapline.toml was found\n\n" : fmt::format("# read: {}\n\n", file());
    rules();
    for (const Config::EntryRule& entry : config_.entries) this->entry(entry);
    for (const Config::Suppression& suppression : config_.suppressions) this->suppression(suppression);
    for (const Config::Budget& budget : config_.budgets) this->budget(budget);
    registers();
    for (const Config::ThreadFlags& flags : config_.thread_flags) thread_flags(flags);
    return std::move(text_);
  }

 private:
  // The file's name for a comment, which ends with the line.
  std::string file() const {
    const std::string name = quoted(config_.path);
    return name.substr(1, name.size() - 2);
  }
  std::string origin(std::uint32_t line) const { return fmt::format("# {}:{}", file(), line); }

  void put(std::string_view key, const std::string& value) { text_ += fmt::format("{} = {}\n", key, value); }
  // Empty values are left out.
  void put_text(std::string_view key, std::string_view value) {
    if (!value.empty()) put(key, quoted(value));
  }
  void put_list(std::string_view key, const std::vector<std::string>& values) {
    if (!values.empty()) put(key, quoted(values));
  }

  void rules() {
    text_ += "[rules]\n";
    std::size_t width = 0;
    for (const RuleInfo& rule : all_rules()) width = std::max(width, rule.id.size());
    constexpr std::size_t level_width = 9;  // "warning" in quotes
    for (const RuleInfo& rule : all_rules()) {
      const auto set = config_.levels.find(rule.rule);
      const auto line = config_.level_lines.find(rule.rule);
      const bool is_default = set == config_.levels.end();
      text_ += fmt::format("{:<{}} = {:<{}}  {}\n", rule.id, width,
                           quoted(level_word(is_default ? rule.level : set->second)), level_width,
                           is_default ? "# default" : origin(line == config_.level_lines.end() ? 0 : line->second));
    }
  }

  void entry(const Config::EntryRule& entry) {
    text_ += fmt::format("\n[[entry]]  {}\n", origin(entry.line));
    put_text("name", entry.pattern);
    if (entry.role) put_text("role", role_name(*entry.role));
    if (entry.contract) put_text("contract", contract_name(*entry.contract));
    if (entry.frame_offset) put("frame-offset", fmt::format("{}", *entry.frame_offset));
    put_text("arch", entry.arch);
  }

  void suppression(const Config::Suppression& suppression) {
    text_ += fmt::format("\n[[suppress]]  {}\n", origin(suppression.line));
    put_text("rule", suppression.rule);
    put_list("routine", suppression.routines);
    put_list("registers", suppression.registers);
    put_text("arch", suppression.arch);
    put_text("fingerprint", suppression.fingerprint);
    put_text("reason", suppression.reason);
  }

  void budget(const Config::Budget& budget) {
    text_ += fmt::format("\n[[budget]]  {}\n", origin(budget.line));
    put_text("routine", budget.routine);
    put_text("label", budget.label);
    std::vector<std::string> limits;
    for (const Config::Budget::Limit& limit : budget.limits) limits.push_back(limit_text(limit));
    put_list("limit", limits);
    put_text("arch", budget.arch);
    put_text("reason", budget.reason);
  }

  // A table may be opened once: the policies of an architecture stand together.
  void registers() {
    std::vector<std::string> archs;
    for (const Config::RegisterPolicy& policy : config_.registers) {
      if (std::find(archs.begin(), archs.end(), policy.arch) == archs.end()) archs.push_back(policy.arch);
    }
    for (const std::string& arch : archs) {
      text_ += arch.empty() ? "\n[registers]\n" : fmt::format("\n[arch.{}.registers]\n", arch);
      for (const Config::RegisterPolicy& policy : config_.registers) {
        if (policy.arch != arch) continue;
        text_ += fmt::format("{} = {{ level = {}, reason = {} }}  {}\n", quoted(policy.reg),
                             quoted(level_word(policy.level)), quoted(policy.reason), origin(policy.line));
      }
    }
  }

  void thread_flags(const Config::ThreadFlags& flags) {
    text_ += fmt::format("\n[arch.{}.thread-flags]  {}\n", flags.arch, origin(flags.line));
    std::vector<std::string> bits;
    for (const auto& [name, bit] : flags.bits) bits.push_back(fmt::format("{} = {}", quoted(name), bit));
    if (!bits.empty()) put("bits", fmt::format("{{ {} }}", fmt::join(bits, ", ")));
    put_list("work", flags.work);
    put_list("syscall-work", flags.syscall_work);
  }

  const Config& config_;
  std::string text_;
};

}  // namespace

std::string config_text(const Config& config) { return Printer(config).print(); }

}  // namespace trapline
