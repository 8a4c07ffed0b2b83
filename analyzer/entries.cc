// SPDX-License-Identifier: Apache-2.0
#include "analyzer/entries.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/image_set.h"
#include "disasm/arch/arch.h"
#include "disasm/error.h"

namespace trapline {

bool is_glob(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

bool matches_name(std::string_view pattern, std::string_view name) {
  if (!is_glob(pattern)) return pattern == name;
  std::size_t prefix = pattern.find_first_of("*?[");
  if (name.substr(0, prefix) != pattern.substr(0, prefix)) return false;
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

namespace {

// Where the code of a symbol begins. A local entry point (PowerPC ELFv2) is for callers; the routine begins at the
// symbol.
std::uint64_t start_of(const Image& image, const Symbol& symbol) {
  std::uint64_t code = image.arch().code_address(image, symbol);
  return image.is_code(symbol.address) && code >= symbol.address + 4 ? symbol.address : code;
}

std::string_view source_of(const Image& image) { return image.kind() == ImageKind::vdso ? "vdso-export" : "symbol"; }

// By its name, an alias, or "name@VERSION".
bool is_called(const EntryReport& report, std::string_view pattern) {
  return matches_name(pattern, report.name) ||
         (!report.version.empty() && matches_name(pattern, report.name + "@" + report.version)) ||
         std::any_of(report.aliases.begin(), report.aliases.end(),
                     [&](const std::string& alias) { return matches_name(pattern, alias); });
}

// The contract of the fewest special places: what a routine of that kind has in common with all others (PowerPC: r13 is
// the PACA).
Contract plain_contract(const Facts& facts, ContractKind kind) {
  const Contract* best = nullptr;
  for (const Contract& contract : facts.contracts) {
    if (contract.kind != kind) continue;
    if (best == nullptr || contract.specials.size() < best->specials.size()) best = &contract;
  }
  if (best != nullptr) return *best;
  Contract contract;
  contract.kind = kind;
  return contract;
}

// What holds at the entry of a routine with that role: what the architecture's table has for the role.
Contract contract_of_role(const Facts& facts, Role role) {
  const Contract* best = nullptr;
  for (const EntryRow& row : facts.entries) {
    if (row.role != role || row.contract >= facts.contracts.size()) continue;
    const Contract& contract = facts.contracts[row.contract];
    if (best == nullptr || contract.specials.size() < best->specials.size()) best = &contract;
  }
  return best != nullptr ? *best : plain_contract(facts, usual_contract(role));
}

class Locator {
 public:
  explicit Locator(const Image& image) : image_(image), facts_(facts_of(image)) {}

  // Rows of the table that apply, with every symbol that matches them: table order, then address order. One pass over
  // the symbols of a kernel, of which there are more than a hundred thousand: most are told from every row by first
  // letter and length.
  std::vector<Entry> from_table() {
    std::unordered_map<std::string_view, std::vector<std::size_t>> exact;
    std::unordered_set<std::string_view> unless;
    std::array<std::uint64_t, 256> lengths{};
    auto expect = [&lengths](std::string_view name) {
      lengths[static_cast<unsigned char>(name.front())] |= 1ull << std::min<std::size_t>(name.size(), 63);
    };
    std::array<std::vector<std::pair<std::size_t, std::string_view>>, 256> globs;  // by first letter: row, fixed prefix
    for (std::size_t i = 0; i < facts_.entries.size(); ++i) {
      const EntryRow& row = facts_.entries[i];
      if (is_glob(row.pattern)) {
        std::string_view prefix = row.pattern.substr(0, row.pattern.find_first_of("*?["));
        if (!prefix.empty())
          globs[static_cast<unsigned char>(prefix.front())].emplace_back(i, prefix);
        else
          for (auto& list : globs) list.emplace_back(i, prefix);
      } else {
        exact[row.pattern].push_back(i);
        expect(row.pattern);
      }
      if (!row.unless.empty()) unless.insert(row.unless), expect(row.unless);
    }
    std::vector<std::pair<std::size_t, const Symbol*>> hits;
    std::unordered_set<std::string_view> present;
    for (const Symbol& symbol : image_.symbols()) {
      if (symbol.undefined || symbol.name.empty()) continue;
      for (const auto& [row, prefix] : globs[static_cast<unsigned char>(symbol.name.front())])
        if (symbol.name.starts_with(prefix) && matches_name(facts_.entries[row].pattern, symbol.name))
          hits.emplace_back(row, &symbol);
      if ((lengths[static_cast<unsigned char>(symbol.name.front())] >> std::min<std::size_t>(symbol.name.size(), 63) &
           1) == 0)
        continue;
      if (auto it = exact.find(symbol.name); it != exact.end())
        for (std::size_t row : it->second) hits.emplace_back(row, &symbol);
      if (unless.contains(symbol.name)) present.insert(symbol.name);
    }
    std::sort(hits.begin(), hits.end());  // symbols lie in address order
    std::vector<Entry> entries;
    for (const auto& [row, symbol] : hits) {
      const EntryRow& r = facts_.entries[row];
      if (!r.unless.empty() && present.contains(r.unless)) continue;
      add(entries, *symbol, r.role, r.contract < facts_.contracts.size() ? facts_.contracts[r.contract] : Contract{},
          source_of(image_));
    }
    return entries;
  }

  // Every exported function of a vDSO is a routine, in address order; of several names at one address the first global
  // one is its name. A symbol without a type counts where there is code (64-bit big-endian PowerPC of old).
  void add_exports(std::vector<Entry>& entries) {
    Contract function;
    function.kind = ContractKind::function;
    std::vector<const Export*> exports;
    for (const Export& e : image_.exports())
      if (e.symbol.type == SymbolType::func || e.symbol.type == SymbolType::ifunc ||
          e.symbol.type == SymbolType::notype)
        exports.push_back(&e);
    std::sort(exports.begin(), exports.end(), [](const Export* a, const Export* b) {
      return std::tuple(a->symbol.address, a->symbol.binding, a->symbol.table_index) <
             std::tuple(b->symbol.address, b->symbol.binding, b->symbol.table_index);
    });
    for (const Export* e : exports) {
      const std::size_t known = entries.size();
      add(entries, e->symbol, Role::vdso, function, "vdso-export");
      if (entries.size() == known) continue;
      entries.back().report.version = std::string(e->version);
      std::vector<std::string>& aliases = entries.back().report.aliases;
      for (const Export* other : exports)
        if (other->symbol.address == e->symbol.address && other->symbol.name != e->symbol.name &&
            std::find(aliases.begin(), aliases.end(), other->symbol.name) == aliases.end())
          aliases.emplace_back(other->symbol.name);
    }
  }

  // One [[entry]] of the configuration.
  void apply(const Config::EntryRule& rule, std::vector<Entry>& entries) {
    if (!rule.arch.empty() && rule.arch != image_.arch().name()) return;
    bool known = false;
    for (Entry& entry : entries) {
      if (!is_called(entry.report, rule.pattern)) continue;
      change(entry, rule);
      known = true;
    }
    if (known) return;
    for (const Symbol& symbol : image_.symbols()) {
      if (symbol.undefined || !matches_name(rule.pattern, symbol.name)) continue;
      const std::size_t count = entries.size();
      const Role role = rule.role.value_or(Role::user_named);
      add(entries, symbol, role, contract_of_role(facts_, role), "config");
      if (entries.size() != count) change(entries.back(), rule);
    }
  }

  void add(std::vector<Entry>& entries, const Symbol& symbol, Role role, const Contract& contract,
           std::string_view source) {
    std::uint64_t start = start_of(image_, symbol);
    if (!image_.is_code(start)) return;
    for (const Entry& known : entries)
      if (known.address == start) return;
    Entry e;
    e.address = start;
    e.contract = contract;
    e.report.name = std::string(symbol.name);
    e.report.role = role;
    e.report.address = image_.shown(start);
    e.report.source = std::string(source);
    for (const Symbol& other : image_.symbols_at(symbol.address))
      if (other.name != symbol.name) e.report.aliases.emplace_back(other.name);
    entries.push_back(std::move(e));
  }

 private:
  void change(Entry& entry, const Config::EntryRule& rule) const {
    // What the table knows of the entry, special registers above all, stays where the kind does.
    const Role role = rule.role.value_or(entry.report.role);
    if (rule.contract) {
      entry.declared = true;
      if (*rule.contract != entry.contract.kind) entry.contract = plain_contract(facts_, *rule.contract);
    } else if (usual_contract(role) != usual_contract(entry.report.role)) {
      entry.contract = contract_of_role(facts_, role);
    } else if (role != entry.report.role) {
      entry.contract.convention = contract_of_role(facts_, role).convention;
    }
    if (rule.frame_offset && entry.contract.kind == ContractKind::frame_built)
      entry.contract.frame_offset = *rule.frame_offset;
    entry.report.role = role;
    entry.report.source = "config";
  }

  const Image& image_;
  const Facts& facts_;
};

std::string nearest_names(std::span<const Image* const> images, std::string_view wanted) {
  std::vector<std::pair<unsigned, std::string_view>> near;
  const unsigned limit = std::max<unsigned>(2, static_cast<unsigned>(wanted.size()) / 3);
  for (const Image* image : images) {
    for (const Symbol& symbol : image->symbols()) {
      if (symbol.undefined || !image->is_code(symbol.address)) continue;
      unsigned d = llvm::StringRef(wanted).edit_distance(llvm::StringRef(symbol.name), true, limit);
      if (d <= limit) near.emplace_back(d, symbol.name);
    }
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::string out;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) {
    if (i != 0) out += ", ";
    out += near[i].second;
  }
  return out;
}

}  // namespace

namespace {

[[noreturn]] void throw_no_entries(const Image& image) {
  if (image.kind() == ImageKind::vdso)
    throw Error(image.path(), "the vDSO exports no function; name a routine with --entry");
  std::string tried;
  for (const EntryRow& row : facts_of(image).entries) {
    if (tried.size() > 160) {
      tried += ", ...";
      break;
    }
    if (!tried.empty()) tried += ", ";
    tried += row.pattern;
  }
  throw Error(image.path(), fmt::format("no entry routine found for {} (looked for {}); name one with --entry",
                                        image.arch().name(), tried));
}

}  // namespace

void throw_unknown_entry(std::span<const Image* const> images, std::string_view pattern) {
  const std::string near = nearest_names(images, pattern);
  throw Error(images.front()->path(), fmt::format("no function named {}{}", pattern,
                                                  near.empty() ? "; 'trapline entries' lists the entry routines"
                                                               : "; did you mean " + near + "?"));
}

Located locate_entries_in(const Image& image, const std::vector<std::string>& wanted, EntryRules rules) {
  if (image.symbols().empty())
    throw Error(image.path(),
                "no symbols: the names of entry routines are looked up in .symtab; pass the unstripped image "
                "(vmlinux from the build tree or the -dbg package), or vmlinux.o");
  Locator locator(image);
  std::vector<Entry> table;
  if (image.kind() == ImageKind::vdso)
    locator.add_exports(table);
  else
    table = locator.from_table();
  for (const Config::EntryRule& rule : rules) locator.apply(rule, table);
  if (wanted.empty()) return {std::move(table), {}};
  Located located;
  auto take = [&](const Entry& e) {
    for (const Entry& known : located.entries)
      if (known.address == e.address) return;
    located.entries.push_back(e);
  };
  Contract function;
  function.kind = ContractKind::function;
  for (const std::string& pattern : wanted) {
    bool found = false;
    for (const Entry& e : table) {
      if (!is_called(e.report, pattern)) continue;
      take(e);
      found = true;
    }
    if (found) continue;  // what the table knows comes first; a glob means entry routines where it matches any
    const bool glob = is_glob(pattern);
    for (const Symbol& symbol : image.symbols()) {
      if (symbol.undefined || !(glob ? matches_name(pattern, symbol.name) : symbol.name == pattern)) continue;
      std::vector<Entry> one;
      locator.add(one, symbol, Role::user_named, function, "option");
      for (const Entry& e : one) take(e);
      found = found || !one.empty();
    }
    if (!found) located.unknown.push_back(pattern);
  }
  return located;
}

std::vector<Entry> locate_entries(const Image& image, const std::vector<std::string>& wanted, EntryRules rules) {
  Located located = locate_entries_in(image, wanted, rules);
  const Image* const images[] = {&image};
  if (!located.unknown.empty()) throw_unknown_entry(images, located.unknown.front());
  if (located.entries.empty()) throw_no_entries(image);
  return std::move(located.entries);
}

std::vector<EntryReport> find_entries(const Image& image, const AnalyzeOptions& options) {
  std::vector<EntryReport> out;
  for (Entry& e : locate_entries(image, options.entries, options.entry_rules)) out.push_back(std::move(e.report));
  return out;
}

ImageHead image_head(const Image& image) {
  ImageHead head;
  head.path = image.path();
  switch (image.kind()) {
    case ImageKind::vmlinux:
      head.kind = "vmlinux";
      break;
    case ImageKind::vdso:
      head.kind = "vdso";
      break;
    case ImageKind::object:
      head.kind = "object";
      break;
    case ImageKind::module:
      head.kind = "module";
      break;
  }
  head.arch = std::string(image.arch().name());
  head.build_id = image.build_id();
  head.variant_note = image.arch().variant_note(image);
  return head;
}

EntriesReport::ImagePart analyze_entries(const Image& image, const AnalyzeOptions& options) {
  return {image_head(image), find_entries(image, options)};
}

std::vector<EntriesReport::ImagePart> analyze_entries(ImageSet& images, const AnalyzeOptions& options) {
  std::vector<EntriesReport::ImagePart> parts;
  for (Selection& selection : select_entries(images, options.entries, options.entry_rules)) {
    parts.push_back({image_head(*selection.image), {}});
    for (Entry& e : selection.entries) parts.back().entries.push_back(std::move(e.report));
  }
  return parts;
}

}  // namespace trapline
