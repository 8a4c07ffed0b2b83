// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "analyzer/analyze.h"
#include "analyzer/entries.h"
#include "analyzer/image_set.h"
#include "analyzer/label.h"
#include "analyzer/lint.h"
#include "analyzer/parallel.h"
#include "analyzer/thread_flags.h"
#include "disasm/arch/arch.h"
#include "rules/view.h"

namespace trapline {

namespace {

// Shows every path of one routine to every rule.
class LintVisitor : public PathVisitor {
 public:
  explicit LintVisitor(const RoutineInfo& info) : info_(info) {
    for (const SyscallRestart& restart : info.facts().restarts) {
      const Symbol* symbol = info.image().find_symbol(restart.symbol);
      if (symbol == nullptr) continue;
      Contract contract = info.contract;
      contract.convention = restart.convention;
      contract.ends_system_call = true;
      restarted_.emplace_back(symbol->address, std::move(contract));
    }
    restart();
  }

  void restart() override {
    findings_.clear();
    rules_ = make_rules();
    examined_ = refused_ = either_ = 0;
  }

  void path(const FinishedPath& end) override {
    const EndState state(end, end.machine.setting(), contract_of(end));
    const PathView view(info_, state);
    ++examined_;
    if (view.lost()) ++refused_;
    if (view.exception_return() && view.either()) ++either_;
    for (const std::unique_ptr<Rule>& rule : rules_) rule->path(view, findings_);
  }

  void came_back(std::uint64_t head, std::uint64_t from, const State& then, const State& now,
                 Machine& machine) override {
    for (const std::unique_ptr<Rule>& rule : rules_) rule->came_back(info_, head, from, then, now, machine, findings_);
  }

  void finish() {
    for (const std::unique_ptr<Rule>& rule : rules_) rule->routine(info_, findings_);
  }

  // The contract, with the convention of a system call where the path restarts one.
  const Contract& contract_of(const FinishedPath& end) const {
    for (const auto& [address, contract] : restarted_)
      for (const Step& s : end.path.steps)
        if (end.routine.graph[s.node].key.address == address) return contract;
    return info_.contract;
  }

  const Findings& findings() const { return findings_; }
  std::uint64_t examined() const { return examined_; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t either() const { return either_; }

 private:
  const RoutineInfo& info_;
  std::vector<std::pair<std::uint64_t, Contract>> restarted_;
  Findings findings_;
  std::vector<std::unique_ptr<Rule>> rules_;
  std::uint64_t examined_ = 0, refused_ = 0, either_ = 0;
};

// The register policies of the configuration that are for this image.
std::map<Place, RegisterRule> register_rules(const Image& image, const Config& config) {
  std::map<Place, RegisterRule> rules;
  const std::vector<PlaceInfo>& places = facts_of(image).places;
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (const Config::RegisterPolicy* policy = policy_of(config, image.arch().name(), places[place].name))
      rules.emplace(static_cast<Place>(place), RegisterRule{policy->level, policy->reason});
  }
  return rules;
}

RoutineResult lint_routine(Code& code, const Entry& entry, const PathLimits& limits,
                           const std::map<Place, RegisterRule>& rules, const FlagDefinitions* flags) {
  const RoutineInfo info{code, entry.report.name, entry.report.role, entry.contract, rules, entry.declared, flags};
  LintVisitor visitor(info);
  RoutinePaths found = find_paths(code, entry.address, entry.contract, limits, &visitor);
  visitor.finish();
  RoutineResult r;
  for (const auto& [key, finding] : visitor.findings().all()) r.findings.push_back(finding);
  r.applied = visitor.findings().all_applied();
  if (!r.findings.empty())
    for (const Path& p : found.paths) r.ids.emplace(p.number, path_id(entry.report.name, p));
  r.denied = visitor.findings().denied();
  if (found.bounded)
    for (auto [v, end] = boost::vertices(found.routine.graph); v != end; ++v)
      r.unexamined.insert(found.routine.graph[*v].key.address);
  r.examined = visitor.examined();
  r.refused = visitor.refused();
  r.either = visitor.either();
  r.infeasible = found.infeasible;
  r.bounded = found.bounded;
  return r;
}

// Findings of all routines, merged by rule and place.
struct Merged {
  Finding finding;
  std::vector<std::size_t> routines;
  std::vector<std::string> paths;
};

void merge_into(Merged& into, const Finding& finding) {
  into.finding.level = std::max(into.finding.level, finding.level);
  for (const FactList& list : finding.facts)
    for (const auto& [order, item] : list.items)
      if (list.identifies)
        into.finding.add(list.key, order, item);
      else
        into.finding.add_source(list.key, item);
  into.finding.parts.insert(finding.parts.begin(), finding.parts.end());
}

// Takes out of the findings the instructions that some path needs. Returns whether anything is left of it.
bool drop_denied(Finding& f, const std::vector<RoutineResult>& results) {
  if (f.parts.empty()) return true;
  auto needed = [&](std::uint64_t address) {
    return std::any_of(results.begin(), results.end(), [&](const RoutineResult& r) {
      return r.unexamined.contains(address) || r.denied.contains({f.rule, f.variety, address});
    });
  };
  std::set<std::uint64_t> dropped;
  for (const auto& [address, name] : f.parts)
    if (needed(address)) dropped.insert(address);
  for (std::uint64_t address : dropped) f.parts.erase(address);
  std::erase_if(f.steps, [&](const FindingStep& s) { return dropped.contains(s.address); });
  if (!f.parts.empty() && !f.parts.contains(f.address)) f.address = f.parts.begin()->first;
  return !f.parts.empty();
}

std::vector<Merged> merge(const std::vector<RoutineResult>& results) {
  std::map<std::tuple<RuleId, std::uint64_t, std::string>, std::size_t> index;
  std::vector<Merged> merged;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const Finding& f : results[i].findings) {
      auto [it, fresh] = index.try_emplace({f.rule, f.place, f.variety}, merged.size());
      if (fresh)
        merged.push_back({f, {}, {}});
      else
        merge_into(merged[it->second], f);
      Merged& m = merged[it->second];
      m.routines.push_back(i);
      for (std::uint64_t number : f.paths)
        if (auto id = results[i].ids.find(number); id != results[i].ids.end()) m.paths.push_back(id->second);
    }
  }
  std::erase_if(merged, [&](Merged& m) { return !drop_denied(m.finding, results); });
  return merged;
}

class FindingReporter {
 public:
  FindingReporter(const Image& image, const std::vector<Entry>& entries)
      : image_(image), entries_(entries), code_(image), facts_(facts_of(image)) {}

  FindingReport report(Merged& m) const {
    Finding& f = m.finding;
    describe(facts_, f);
    FindingReport r;
    r.rule = rule_info(f.rule).id;
    r.level = f.level;
    r.message = f.message;
    r.fix = f.fix;
    for (std::size_t i : m.routines) r.routines.push_back(entries_[i].report.name);
    r.routine = r.routines.front();
    r.paths = m.paths;
    r.address = image_.shown(f.address);
    r.where = image_.describe(f.address);
    for (const FindingStep& s : f.steps)
      r.steps.push_back({image_.shown(s.address), image_.describe(s.address), code_.decoder().text(s.address), s.note});
    for (const FactList& list : f.facts) {
      r.data.push_back({list.key, {}});
      for (const auto& [order, item] : list.items) r.data.back().second.push_back(item);
    }
    return r;
  }

  // What identifies a finding in another build: the rule, the function that it is in, and what it holds for.
  std::string fingerprint(const Merged& m, std::map<std::string, unsigned>& seen) const {
    const Symbol* symbol = image_.enclosing_symbol(m.finding.place);
    std::string key = fmt::format("{}\n{}\n{}", rule_info(m.finding.rule).id,
                                  symbol != nullptr ? symbol->name : std::string_view(), m.finding.variety);
    for (const FactList& list : m.finding.facts) {
      if (!list.identifies) continue;
      key += fmt::format("\n{}", list.key);
      for (const auto& [order, item] : list.items) key += fmt::format(" {}", item);
    }
    const unsigned number = seen[key]++;
    if (number != 0) key += fmt::format("\n{}", number);
    return fmt::format("{:016x}", llvm::xxh3_64bits(key));
  }

 private:
  const Image& image_;
  const std::vector<Entry>& entries_;
  mutable Code code_;
  const Facts& facts_;
};

void summarise(FindingsReport::ImagePart& part, const std::vector<Entry>& entries,
               const std::vector<RoutineResult>& results) {
  part.summary.routines = entries.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RoutineResult& r = results[i];
    part.summary.paths_examined += r.examined;
    part.summary.paths_refused += r.refused;
    part.summary.infeasible += r.infeasible;
    part.summary.either += r.either;
    if (r.bounded)
      part.remarks.push_back(fmt::format("{}: {} paths were examined, and there are more (--max-paths)",
                                         entries[i].report.name, r.examined));
  }
  count_levels(part);
}

// Which pt_regs the paths were judged by, and why it.
std::vector<std::string> layouts_used(const Image& image, const std::vector<Entry>& entries) {
  const Facts& facts = facts_of(image);
  std::set<std::uint8_t> used;
  for (const Entry& e : entries)
    if (e.contract.kind != ContractKind::function && e.contract.frame < facts.frames.size())
      used.insert(e.contract.frame);
  std::vector<std::string> out;
  for (std::uint8_t frame : used) {
    const FrameLayout& layout = facts.frames[frame];
    std::string why = "the image has no BTF";
    if (image.section_named(".BTF") != nullptr) why = "the image's BTF does not describe it";
    if (!layout_problem(image).empty()) why = layout_problem(image);
    out.push_back(
        layout.from_image
            ? fmt::format("struct {} ({} bytes), from the image's BTF", layout.struct_name, layout.size)
            : fmt::format("{} ({} bytes), from the architecture's table: {}", layout.source, layout.size, why));
  }
  return out;
}

// Where the definitions of the thread flags are from, if any code tests them; else why the rule has nothing to judge.
void report_thread_flags(FindingsReport::ImagePart& part, const Image& image, const ThreadFlagSearch& flags,
                         const std::vector<RoutineResult>& results, const Config& config) {
  const RuleId rule = RuleId::thread_flags_mask;
  if (level_of(config, rule, rule_info(rule).level) == Level::none) return;
  const bool applied =
      std::any_of(results.begin(), results.end(), [&](const RoutineResult& r) { return r.applied.contains(rule); });
  if (applied) {
    part.thread_flags = flags.found ? flags.found->source : std::string();
    part.remarks.insert(part.remarks.end(), flags.remarks.begin(), flags.remarks.end());
    return;
  }
  if (image.kind() == ImageKind::vdso) return;  // user mode's own code
  std::string reason = "no path to user mode tests the word of thread flags in assembly";
  if (const std::string_view in_c = facts_of(image).thread_flags.in_c; !in_c.empty())
    reason += fmt::format("; C does: {}", in_c);
  part.not_applicable.push_back({std::string(rule_info(rule).id), std::move(reason)});
}

void report_link_stack(FindingsReport::ImagePart& part, const Image& image, const Config& config) {
  const RuleInfo& info = rule_info(RuleId::link_stack_imbalance);
  if (facts_of(image).link_stack || level_of(config, info.rule, info.level) == Level::none) return;
  part.not_applicable.push_back({std::string(info.id), std::string(no_link_stack)});
}

FindingsReport::ImagePart lint_of(const Image& image, const std::vector<Entry>& entries, const AnalyzeOptions& options,
                                  const Config& config) {
  FindingsReport::ImagePart part;
  part.head = image_head(image);
  PathLimits limits;
  limits.listed = options.max_paths;
  const std::map<Place, RegisterRule> rules = register_rules(image, config);
  const ThreadFlagSearch flags = find_thread_flags(image, options.kernel_src, config);
  const FlagDefinitions* definitions = flags.found ? &*flags.found : nullptr;
  std::vector<RoutineResult> results(entries.size());
  for_each_job(
      entries.size(), options.jobs, [&] { return std::make_unique<Code>(image); },
      [&](Code& code, std::size_t i) { results[i] = lint_routine(code, entries[i], limits, rules, definitions); });
  part.layouts = layouts_used(image, entries);
  report_thread_flags(part, image, flags, results, config);
  report_link_stack(part, image, config);
  report_findings(part, image, entries, results, config);
  return part;
}

}  // namespace

void report_findings(FindingsReport::ImagePart& part, const Image& image, const std::vector<Entry>& entries,
                     const std::vector<RoutineResult>& results, const Config& config) {
  const FindingReporter reporter(image, entries);
  std::vector<Merged> merged = merge(results);
  std::map<std::string, unsigned> seen;
  for (Merged& m : merged) {
    m.finding.level = level_of(config, m.finding.rule, m.finding.level);
    if (m.finding.level == Level::none) continue;
    part.findings.push_back(reporter.report(m));
    FindingReport& report = part.findings.back();
    report.fingerprint = reporter.fingerprint(m, seen);
    if (const Config::Suppression* found = suppressed(config, part.head.arch, report))
      report.suppressed = found->reason;
  }
  // The worst first; within a level in the order of the routines.
  std::vector<FindingReport> sorted;
  for (Level level : {Level::error, Level::warning, Level::note})
    for (FindingReport& f : part.findings)
      if (f.level == level) sorted.push_back(std::move(f));
  part.findings = std::move(sorted);
  summarise(part, entries, results);
}

std::vector<FindingsReport::ImagePart> analyze_lint(ImageSet& images, const AnalyzeOptions& options,
                                                    const Config& config) {
  std::vector<FindingsReport::ImagePart> parts;
  for (const Selection& selection : select_entries(images, options.entries, config.entries))
    parts.push_back(lint_of(*selection.image, selection.entries, options, config));
  return parts;
}

}  // namespace trapline
