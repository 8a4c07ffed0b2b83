// SPDX-License-Identifier: Apache-2.0
#include "analyzer/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "analyzer/cost_names.h"
#include "analyzer/entries.h"
#include "analyzer/path_match.h"
#include "disasm/error.h"

namespace trapline {
namespace {

// A path as budgets see it.
struct Measured {
  const ImageHead* head = nullptr;
  std::string routine, label;
  const Cost* cost = nullptr;
  const Cost* base = nullptr;                      // null: not known
  const std::vector<DiffLine>* listing = nullptr;  // of a comparison, when there is one
};

bool has_label(const Config::Budget& budget, const std::string& label) {
  return label == budget.label || label_words(label) == budget.label;
}

// The labels of the routines that a budget is for, for those who have to correct it.
std::string known_labels(const Config::Budget& budget, const std::vector<Measured>& paths) {
  std::set<std::string> labels;
  for (const Measured& path : paths)
    if (matches_name(budget.routine, path.routine)) labels.insert(path.label);
  constexpr std::size_t most = 8;
  std::vector<std::string> shown(labels.begin(), labels.end());
  const bool more = shown.size() > most;
  if (more) shown.resize(most);
  return fmt::format("'{}'{}", fmt::join(shown, "', '"), more ? " and others" : "");
}

class Checker {
 public:
  enum class Against : std::uint8_t { nothing, baseline, old_build };
  Checker(const Config& config, bool single, Against against) : config_(config), single_(single), against_(against) {}

  BudgetCheck check(const std::vector<Measured>& paths, std::string_view arch) {
    for (const Config::Budget& budget : config_.budgets)
      if (budget.arch.empty() || budget.arch == arch) check(budget, paths);
    return std::move(out_);
  }

 private:
  void check(const Config::Budget& budget, const std::vector<Measured>& paths) {
    bool routine = false, label = false;
    // Paths that cost the same are measured once.
    std::set<std::tuple<std::string, std::string, std::string>> done;
    for (const Measured& path : paths) {
      if (!matches_name(budget.routine, path.routine)) continue;
      routine = true;
      if (!has_label(budget, path.label)) continue;
      label = true;
      for (const Config::Budget::Limit& limit : budget.limits) {
        const std::uint64_t actual = (*path.cost).*find_cost_field(limit.count)->value;
        const std::string counted = fmt::format("{} {} {}", limit_text(limit), actual,
                                                path.base == nullptr ? "" : fmt::to_string(base_of(path, limit)));
        if (done.emplace(path.routine, path.label, counted).second) measure(budget, limit, path, actual);
      }
    }
    if (!routine && single_) return;
    if (!routine)
      throw Error(budget_place(config_, budget),
                  fmt::format("this budget is for '{}', and there is no such routine; correct "
                              "or remove it ('trapline entries' lists them)",
                              budget.routine));
    if (!label)
      throw Error(budget_place(config_, budget),
                  fmt::format("no path of '{}' is labelled '{}' any more; its labels are {}", budget.routine,
                              budget.label, known_labels(budget, paths)));
  }

  static std::uint64_t base_of(const Measured& path, const Config::Budget::Limit& limit) {
    return (*path.base).*find_cost_field(limit.count)->value;
  }

  void measure(const Config::Budget& budget, const Config::Budget::Limit& limit, const Measured& path,
               std::uint64_t actual) {
    BudgetReport b;
    b.where = budget_place(config_, budget);
    b.routine = path.routine;
    b.label = path.label;
    b.count = limit.count;
    b.actual = actual;
    b.reason = budget.reason;
    std::int64_t most = limit.most;
    if (limit.relative) {
      if (against_ == Against::nothing)
        return skip(fmt::format("{}: '{}' is relative, and was not checked: there is no --baseline", b.where,
                                limit_text(limit)));
      if (path.base == nullptr && against_ == Against::old_build)
        return skip(fmt::format("{}: '{}' was not checked: path '{}' of '{}' is new", b.where, limit_text(limit),
                                path.label, path.routine));
      if (path.base == nullptr)
        throw Error(b.where, fmt::format("'{}' is relative, and the baseline has no path '{}' of '{}'; write the "
                                         "baseline anew, or correct the label",
                                         limit_text(limit), path.label, path.routine));
      b.base = base_of(path, limit);
      most += static_cast<std::int64_t>(*b.base);
    }
    b.limit = most < 0 ? 0 : static_cast<std::uint64_t>(most);
    b.only_new = limit.relative && path.listing != nullptr;
    if (b.exceeded() && path.listing != nullptr) b.instructions = counting(lines(*path.listing, limit), b.count);
    out_.budgets.push_back(std::move(b));
  }

  // What a relative limit is about is what came; any other is about all of the path.
  static std::vector<ListingLine> lines(const std::vector<DiffLine>& listing, const Config::Budget::Limit& limit) {
    std::vector<ListingLine> out;
    for (const DiffLine& line : listing)
      if (line.side == DiffLine::Side::new_only || (line.side == DiffLine::Side::both && !limit.relative))
        out.push_back(line.line);
    return out;
  }

  void skip(std::string note) {
    if (std::find(out_.unchecked.begin(), out_.unchecked.end(), note) == out_.unchecked.end())
      out_.unchecked.push_back(std::move(note));
  }

  const Config& config_;
  bool single_;
  Against against_;
  BudgetCheck out_;
};

}  // namespace

std::string budget_place(const Config& config, const Config::Budget& budget) {
  return fmt::format("{}:{}", config.path, budget.line);
}

BudgetCheck check_budgets(const Config& config, std::span<const PathsReport::ImagePart> images, bool single,
                          const Baseline* baseline) {
  if (config.budgets.empty()) return {};
  std::vector<Measured> paths;
  for (const PathsReport::ImagePart& part : images)
    for (const RoutineReport& routine : part.routines)
      for (const PathReport& path : routine.paths)
        paths.push_back({&part.head, routine.name, path.label, &path.cost,
                         baseline == nullptr ? nullptr : base_cost(*baseline, part.head, routine.name, path.label),
                         nullptr});
  return Checker(config, single, baseline != nullptr ? Checker::Against::baseline : Checker::Against::nothing)
      .check(paths, images.empty() ? std::string_view() : std::string_view(images.front().head.arch));
}

BudgetCheck check_budgets(const Config& config, const DiffReport& report, bool single) {
  if (config.budgets.empty()) return {};
  std::vector<Measured> paths;
  for (const ImageDiff* image : report.images())
    for (const RoutineDiff& routine : image->routines)
      for (const PathDiff& path : routine.paths)
        if (path.new_cost)
          paths.push_back({&*image->after, routine.name, path.new_label, &*path.new_cost,
                           path.old_cost ? &*path.old_cost : nullptr, &path.listing});
  return Checker(config, single, Checker::Against::old_build).check(paths, report.main.after->arch);
}

std::vector<ListingLine> counting(const std::vector<ListingLine>& listing, std::string_view count) {
  std::vector<ListingLine> out;
  for (const ListingLine& line : listing) {
    const bool counts = count == "instructions" || (line.loads && count.find("load") != std::string_view::npos) ||
                        (line.stores && count.find("store") != std::string_view::npos) ||
                        (line.cls == InsnClass::branch && count.starts_with("branches")) ||
                        (line.cls == InsnClass::call && count.find("calls") != std::string_view::npos) ||
                        (line.cls == InsnClass::system && count == "system") ||
                        (line.cls == InsnClass::barrier && count == "barriers") ||
                        (line.cls == InsnClass::nop && count == "nops");
    if (counts) out.push_back(line);
  }
  return out;
}

}  // namespace trapline
