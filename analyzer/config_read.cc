// SPDX-License-Identifier: Apache-2.0
//
// trapline.toml, read with toml++. The only file that includes toml++, which is header-only and slow to compile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "analyzer/config.h"
#include "analyzer/cost_names.h"
#include "analyzer/suggest.h"
#include "analyzer/text_file.h"
#include "disasm/arch/arch.h"
#include "disasm/error.h"

// toml++ 3.3 asserts what malformed text violates ("[=]"), or, with NDEBUG, tells the compiler that it cannot be. In
// this file its assertions throw instead.
namespace trapline {
namespace {
struct NotUnderstood {};
[[noreturn]] void throw_not_understood() { throw NotUnderstood(); }
}  // namespace
}  // namespace trapline
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>((condition) || (::trapline::throw_not_understood(), false))
#include <toml++/toml.h>

namespace trapline {
namespace {

using Names = std::vector<std::string_view>;

constexpr std::array levels = {Level::none, Level::note, Level::warning, Level::error};
constexpr std::array contracts = {ContractKind::interrupted, ContractKind::frame_built, ContractKind::function};
constexpr std::int64_t frame_reach = 1 << 16;  // bytes; pt_regs lies nearer to the stack pointer than this
constexpr std::int64_t flag_bits = 32;

Names role_names() {
  Names names;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Role::user_named); ++i)
    names.push_back(role_name(static_cast<Role>(i)));
  return names;
}

Names arch_names() {
  Names names;
  for (const Arch* arch : all_archs()) names.push_back(arch->name());
  return names;
}

// Registers that a user program sees, of one architecture or of all.
Names register_names(std::string_view arch) {
  Names names;
  for (const Arch* one : all_archs()) {
    if (!arch.empty() && one->name() != arch) continue;
    for (const PlaceInfo& place : one->facts().places) {
      if (place.user_visible) names.push_back(place.name);
    }
  }
  return names;
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

// Walks the document once and fills a Config. `arch` is the section that is being read; empty: the top.
class Reader {
 public:
  explicit Reader(const std::string& path) { config_.path = path; }

  Config read(const toml::table& document) {
    for (const auto& [key, node] : document) {
      if (key == "rules") {
        rules(table(key, node));
      } else if (key == "arch") {
        for (const auto& [name, section] : table(key, node)) arch_section(name, section);
      } else if (!common(key, node, "")) {
        unknown(key, "key", {"rules", "entry", "suppress", "budget", "registers", "arch"});
      }
    }
    // Tables come in the order of their names; what is read must not depend on them.
    const auto by_line = [](const auto& a, const auto& b) { return a.line < b.line; };
    std::sort(config_.entries.begin(), config_.entries.end(), by_line);
    std::sort(config_.registers.begin(), config_.registers.end(), by_line);
    std::sort(config_.suppressions.begin(), config_.suppressions.end(), by_line);
    std::sort(config_.budgets.begin(), config_.budgets.end(), by_line);
    std::sort(config_.thread_flags.begin(), config_.thread_flags.end(), by_line);
    return std::move(config_);
  }

 private:
  [[noreturn]] void fail(const toml::source_region& at, const std::string& what) const {
    throw Error(fmt::format("{}:{}", config_.path, at.begin.line), what);
  }

  [[noreturn]] void unknown(const toml::key& key, std::string_view what, const Names& known) const {
    unknown(key.source(), key.str(), what, known);
  }
  [[noreturn]] void unknown(const toml::source_region& at, std::string_view typed, std::string_view what,
                            const Names& known) const {
    const std::string near = did_you_mean(typed, known);
    constexpr std::size_t short_list = 12;  // names that a line has room for
    const std::string list =
        near.empty() && known.size() <= short_list ? fmt::format("; known: {}", fmt::join(known, ", ")) : std::string();
    fail(at, fmt::format("unknown {} '{}'{}{}", what, typed, near, list));
  }

  [[noreturn]] void wrong_type(const toml::key& key, const toml::node& node, std::string_view wanted) const {
    fail(key.source(), fmt::format("'{}' is {}; write {}", key.str(), type_name(node), wanted));
  }

  const toml::table& table(const toml::key& key, const toml::node& node) const {
    if (const toml::table* result = node.as_table()) return *result;
    wrong_type(key, node, "a table");
  }

  std::string text(const toml::key& key, const toml::node& node) const {
    const toml::value<std::string>* value = node.as_string();
    if (value == nullptr) wrong_type(key, node, "a string");
    if (value->get().find_first_not_of(" \t\n") == std::string::npos)
      fail(key.source(), fmt::format("'{}' is empty; give it a text or leave it out", key.str()));
    return value->get();
  }

  std::int64_t number(const toml::key& key, const toml::node& node, std::int64_t least, std::int64_t most) const {
    const toml::value<std::int64_t>* value = node.as_integer();
    if (value == nullptr) wrong_type(key, node, "an integer");
    if (value->get() < least || value->get() > most) {
      fail(key.source(), fmt::format("'{}' is {}; write a number from {} to {}", key.str(), value->get(), least, most));
    }
    return value->get();
  }

  // A string or an array of strings.
  std::vector<std::string> texts(const toml::key& key, const toml::node& node) const {
    if (node.is_string()) return {text(key, node)};
    const toml::array* array = node.as_array();
    if (array == nullptr) wrong_type(key, node, "a string or an array of strings");
    if (array->empty()) fail(key.source(), fmt::format("'{}' is empty; give it a value or leave it out", key.str()));
    std::vector<std::string> result;
    for (const toml::node& element : *array) {
      if (!element.is_string()) wrong_type(key, element, "an array of strings");
      result.push_back(text(key, element));
    }
    return result;
  }

  Level level(const toml::key& key, const toml::node& node) const {
    if (!node.is_string()) wrong_type(key, node, "a level: \"off\", \"note\", \"warning\" or \"error\"");
    const std::string word = text(key, node);
    Names names;
    for (const Level level : levels) {
      names.push_back(level_word(level));
      if (names.back() == word) return level;
    }
    unknown(node.source(), word, "level", names);
  }

  const RuleInfo& rule(const toml::source_region& at, std::string_view id) const {
    if (const RuleInfo* info = find_rule(id)) return *info;
    Names names;
    for (const RuleInfo& info : all_rules()) names.push_back(info.id);
    unknown(at, id, "rule", names);
  }

  std::string arch_of(const toml::source_region& at, std::string_view name) const {
    const Names names = arch_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) unknown(at, name, "architecture", names);
    return std::string(name);
  }

  std::string reg(const toml::source_region& at, std::string_view name, std::string_view arch) const {
    const Names names = register_names(arch);
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown(at, name, arch.empty() ? "register" : fmt::format("register of {}", arch), names);
    return std::string(name);
  }

  // An element's own `arch` in a section that is for one already.
  std::string own_arch(const toml::key& key, const toml::node& node, std::string_view arch) const {
    if (!arch.empty()) fail(key.source(), fmt::format("'arch' stands in the section of {}; leave it out", arch));
    return arch_of(node.source(), text(key, node));
  }

  void rules(const toml::table& section) {
    for (const auto& [key, node] : section) {
      const RuleId id = rule(key.source(), key.str()).rule;
      config_.levels[id] = level(key, node);
      config_.level_lines[id] = key.source().begin.line;
    }
  }

  void arch_section(const toml::key& name, const toml::node& node) {
    const std::string arch = arch_of(name.source(), name.str());
    for (const auto& [key, value] : table(name, node)) {
      if (key == "thread-flags") {
        thread_flags(key, table(key, value), arch);
      } else if (!common(key, value, arch)) {
        unknown(key, "key", {"entry", "suppress", "budget", "registers", "thread-flags"});
      }
    }
  }

  // What may stand at the top and in a section. False: none of these.
  bool common(const toml::key& key, const toml::node& node, const std::string& arch) {
    if (key == "entry") {
      for (const toml::table* element : elements(key, node)) entry(*element, arch);
    } else if (key == "suppress") {
      for (const toml::table* element : elements(key, node)) suppression(*element, arch);
    } else if (key == "budget") {
      for (const toml::table* element : elements(key, node)) budget(*element, arch);
    } else if (key == "registers") {
      for (const auto& [name, value] : table(key, node)) register_policy(name, value, arch);
    } else {
      return false;
    }
    return true;
  }

  // The elements of [[key]].
  std::vector<const toml::table*> elements(const toml::key& key, const toml::node& node) const {
    std::vector<const toml::table*> result;
    const std::string wanted = fmt::format("[[{}]], one for each", key.str());
    const toml::array* array = node.as_array();
    if (array == nullptr) wrong_type(key, node, wanted);
    for (const toml::node& element : *array) {
      if (!element.is_table()) wrong_type(key, element, wanted);
      result.push_back(element.as_table());
    }
    return result;
  }

  void entry(const toml::table& element, const std::string& arch) {
    Config::EntryRule entry;
    entry.arch = arch;
    entry.line = element.source().begin.line;
    for (const auto& [key, node] : element) {
      if (key == "name") {
        entry.pattern = text(key, node);
      } else if (key == "role") {
        entry.role = role(key, node);
      } else if (key == "contract") {
        entry.contract = contract(key, node);
      } else if (key == "frame-offset") {
        entry.frame_offset = number(key, node, -frame_reach, frame_reach);
      } else if (key == "arch") {
        entry.arch = own_arch(key, node, arch);
      } else {
        unknown(key, "key", {"name", "role", "contract", "frame-offset", "arch"});
      }
    }
    if (entry.pattern.empty()) fail(element.source(), "this entry has no 'name'; give a symbol or a glob");
    if (entry.frame_offset && (entry.contract || entry.role) &&
        entry.contract.value_or(usual_contract(entry.role.value_or(Role::user_named))) != ContractKind::frame_built) {
      fail(element.source(), "'frame-offset' needs the contract \"frame-built\"; no other has a frame at entry");
    }
    config_.entries.push_back(std::move(entry));
  }

  Role role(const toml::key& key, const toml::node& node) const {
    const std::string word = text(key, node);
    const Names names = role_names();
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) unknown(node.source(), word, "role", names);
    return static_cast<Role>(found - names.begin());
  }

  ContractKind contract(const toml::key& key, const toml::node& node) const {
    const std::string word = text(key, node);
    Names names;
    for (const ContractKind kind : contracts) {
      names.push_back(contract_name(kind));
      if (names.back() == word) return kind;
    }
    unknown(node.source(), word, "contract", names);
  }

  void suppression(const toml::table& element, const std::string& arch) {
    Config::Suppression suppression;
    suppression.arch = arch;
    suppression.line = element.source().begin.line;
    for (const auto& [key, node] : element) {
      if (key == "rule") {
        suppression.rule = rule(node.source(), text(key, node)).id;
      } else if (key == "routine") {
        suppression.routines = texts(key, node);
      } else if (key == "registers") {
        suppression.registers = texts(key, node);
      } else if (key == "fingerprint") {
        suppression.fingerprint = text(key, node);
      } else if (key == "reason") {
        suppression.reason = text(key, node);
      } else if (key == "arch") {
        suppression.arch = own_arch(key, node, arch);
      } else {
        unknown(key, "key", {"rule", "routine", "registers", "fingerprint", "reason", "arch"});
      }
    }
    for (const std::string& name : suppression.registers)
      reg(element.get("registers")->source(), name, suppression.arch);
    if (suppression.reason.empty())
      fail(element.source(), "this suppression has no 'reason'; say why the finding is accepted");
    if (suppression.rule.empty() && suppression.fingerprint.empty())
      fail(element.source(), "this suppression has neither 'rule' nor 'fingerprint'; say which finding it is for");
    config_.suppressions.push_back(std::move(suppression));
  }

  void budget(const toml::table& element, const std::string& arch) {
    Config::Budget budget;
    budget.arch = arch;
    budget.line = element.source().begin.line;
    for (const auto& [key, node] : element) {
      if (key == "routine") {
        budget.routine = text(key, node);
      } else if (key == "label") {
        budget.label = text(key, node);
      } else if (key == "limit") {
        for (const std::string& limit : texts(key, node)) budget.limits.push_back(budget_limit(key, limit));
      } else if (key == "reason") {
        budget.reason = text(key, node);
      } else if (key == "arch") {
        budget.arch = own_arch(key, node, arch);
      } else {
        unknown(key, "key", {"routine", "label", "limit", "reason", "arch"});
      }
    }
    if (budget.routine.empty()) fail(element.source(), "this budget has no 'routine'; give a name or a glob");
    if (budget.label.empty())
      fail(element.source(), "this budget has no 'label'; give that of its path, as 'trapline paths' prints it");
    if (budget.limits.empty())
      fail(element.source(), "this budget has no 'limit'; write, for example, \"loads <= 36\"");
    if (budget.reason.empty()) fail(element.source(), "this budget has no 'reason'; say why more is too much");
    config_.budgets.push_back(std::move(budget));
  }

  // "loads <= 36", or "loads <= +0": relative to a baseline.
  Config::Budget::Limit budget_limit(const toml::key& key, const std::string& text) const {
    const auto malformed = [&] {
      fail(key.source(),
           fmt::format("'{}' is no limit; write \"loads <= 36\", or, relative to a baseline, \"loads <= +0\"", text));
    };
    constexpr std::string_view relation = " <= ";
    const std::size_t at = text.find(relation);
    if (at == std::string::npos) malformed();
    Config::Budget::Limit limit;
    limit.count = text.substr(0, at);
    Names names;
    for (const CostField& field : cost_fields) names.push_back(field.name);
    if (find_cost_field(limit.count) == nullptr) unknown(key.source(), limit.count, "count", names);
    std::string_view number = std::string_view(text).substr(at + relation.size());
    limit.relative = number.starts_with('+') || number.starts_with('-');
    if (number.starts_with('+')) number.remove_prefix(1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit.most);
    if (number.empty() || error != std::errc() || end != number.data() + number.size()) malformed();
    return limit;
  }

  void register_policy(const toml::key& name, const toml::node& node, const std::string& arch) {
    if (!node.is_table()) wrong_type(name, node, "{ level = \"...\", reason = \"...\" }");
    Config::RegisterPolicy policy;
    policy.arch = arch;
    policy.reg = reg(name.source(), name.str(), arch);
    policy.line = name.source().begin.line;
    bool has_level = false;
    for (const auto& [key, value] : *node.as_table()) {
      if (key == "level") {
        policy.level = level(key, value);
        has_level = true;
      } else if (key == "reason") {
        policy.reason = text(key, value);
      } else {
        unknown(key, "key", {"level", "reason"});
      }
    }
    if (!has_level) fail(name.source(), fmt::format("'{}' has no 'level'", name.str()));
    if (policy.reason.empty())
      fail(name.source(), fmt::format("'{}' has no 'reason'; say why user mode may see it, or must not", name.str()));
    config_.registers.push_back(std::move(policy));
  }

  void thread_flags(const toml::key& section, const toml::table& values, const std::string& arch) {
    Config::ThreadFlags flags;
    flags.arch = arch;
    flags.line = section.source().begin.line;
    for (const auto& [key, node] : values) {
      if (key == "bits") {
        for (const auto& [name, bit] : table(key, node))
          flags.bits[std::string(name.str())] = static_cast<std::uint32_t>(number(name, bit, 0, flag_bits - 1));
      } else if (key == "work") {
        flags.work = texts(key, node);
      } else if (key == "syscall-work") {
        flags.syscall_work = texts(key, node);
      } else {
        unknown(key, "key", {"bits", "work", "syscall-work"});
      }
    }
    Names names;
    for (const auto& [name, bit] : flags.bits) names.push_back(name);
    for (const auto& [key, list] : {std::pair("work", &flags.work), std::pair("syscall-work", &flags.syscall_work)}) {
      for (const std::string& name : *list) {
        if (!flags.bits.contains(name)) unknown(values.get(key)->source(), name, "flag", names);
      }
    }
    config_.thread_flags.push_back(std::move(flags));
  }

  Config config_;
};

bool is_understood(std::string_view text) {
  try {
    (void)toml::parse(text);
  } catch (const toml::parse_error&) {
  } catch (const NotUnderstood&) {
    return false;
  }
  return true;
}

// The line at which an assertion of toml++ fails: the first with which it does.
std::size_t line_not_understood(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
    ends.push_back(end + 1);
  const auto first = std::partition_point(ends.begin(), ends.end(),
                                          [&](std::size_t end) { return is_understood(text.substr(0, end)); });
  return static_cast<std::size_t>(first - ends.begin()) + 1;
}

}  // namespace

Config parse_config(std::string_view text, const std::string& path) {
  try {
    return Reader(path).read(toml::parse(text, path));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}", path, error.source().begin.line),
                fmt::format("is no TOML: {}", error.description()));
  } catch (const NotUnderstood&) {
    throw Error(fmt::format("{}:{}", path, line_not_understood(text)),
                "is no TOML: a key or table header is malformed");
  }
}

Config load_config(const std::string& path) { return parse_config(read_text_file(path), path); }

}  // namespace trapline
