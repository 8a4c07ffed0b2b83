// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analyzer/entries.h"
#include "analyzer/hash.h"
#include "analyzer/image_set.h"
#include "analyzer/path_match.h"
#include "disasm/error.h"

namespace trapline {
namespace {

// Lines of two listings, aligned along their longest common subsequence.
std::vector<DiffLine> aligned(const PathReport& before, const PathReport& after) {
  const std::vector<std::uint64_t>&a = before.shape.steps, &b = after.shape.steps;
  if (a.size() != before.listing.size() || b.size() != after.listing.size()) return {};
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
  // length[i][k]: of the rest behind i and k.
  std::vector<std::vector<std::uint32_t>> length(rows + 1, std::vector<std::uint32_t>(columns + 1));
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t k = columns; k-- > 0;)
      length[i][k] =
          a[head + i] == b[head + k] ? length[i + 1][k + 1] + 1 : std::max(length[i + 1][k], length[i][k + 1]);
  std::vector<DiffLine> out;
  const auto put = [&](DiffLine::Side side, const ListingLine& line) { out.push_back({side, line}); };
  for (std::size_t i = 0; i < head; ++i) put(DiffLine::Side::both, after.listing[i]);
  std::size_t i = 0, k = 0;
  while (i < rows || k < columns) {
    if (i < rows && k < columns && a[head + i] == b[head + k]) {
      put(DiffLine::Side::both, after.listing[head + k]);
      ++i, ++k;
    } else if (k == columns || (i < rows && length[i + 1][k] >= length[i][k + 1])) {
      put(DiffLine::Side::old_only, before.listing[head + i++]);
    } else {
      put(DiffLine::Side::new_only, after.listing[head + k++]);
    }
  }
  for (std::size_t n = b.size() - tail; n < b.size(); ++n) put(DiffLine::Side::both, after.listing[n]);
  return out;
}

PathDiff path_diff(const PathReport* before, const PathReport* after, PathDiff::Relation relation) {
  PathDiff d;
  d.relation = relation;
  const PathReport& shown = after != nullptr ? *after : *before;
  d.end = shown.end;
  d.to = shown.to;
  if (before != nullptr) {
    d.old_id = before->id;
    d.old_label = before->label;
    d.old_cost = before->cost;
  }
  if (after != nullptr) {
    d.new_id = after->id;
    d.new_label = after->label;
    d.new_cost = after->cost;
  }
  if (before == nullptr) {
    d.status = DiffStatus::added;
  } else if (after == nullptr) {
    d.status = DiffStatus::removed;
  } else {
    const bool same = before->cost == after->cost && before->shape.code == after->shape.code;
    d.status = same ? DiffStatus::same : DiffStatus::changed;
    if (!same) d.listing = aligned(*before, *after);
  }
  return d;
}

// Does a routine have that name?
bool goes_by(const RoutineReport& routine, const std::string& name) {
  return routine.name == name ||
         std::find(routine.aliases.begin(), routine.aliases.end(), name) != routine.aliases.end();
}

// What the paths of a routine ask and call, and with `code` their instructions, too: in whatever order.
std::vector<std::uint64_t> structure(const RoutineReport& routine, bool code) {
  std::vector<std::uint64_t> out;
  for (const PathReport& path : routine.paths) {
    Hash h = code ? path.shape.code : 0;
    for (const PathShape::Token& t : path.shape.tokens) h = mix(h, t.what, t.holds ? 1 : 0, static_cast<Hash>(t.kind));
    out.push_back(mix(h, static_cast<Hash>(path.end), static_cast<Hash>(path.to)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Routines = std::vector<const RoutineReport*>;

// Pairs of routines; null: that side does not have it.
struct RoutinePair {
  const RoutineReport* before = nullptr;
  const RoutineReport* after = nullptr;
  const RoutineReport* like = nullptr;  // of an added one: the removed one that is built like it
};

class RoutineMatcher {
 public:
  RoutineMatcher(const std::vector<RoutineReport>& before, const std::vector<RoutineReport>& after)
      : before_(before), after_(after) {}

  // In the order of the new build; what it does not have last.
  std::vector<RoutinePair> match() {
    by([](const RoutineReport& a, const RoutineReport& b) { return a.name == b.name && a.version == b.version; });
    by([](const RoutineReport& a, const RoutineReport& b) { return a.name == b.name; });
    by([](const RoutineReport& a, const RoutineReport& b) {
      return goes_by(b, a.name) || std::any_of(a.aliases.begin(), a.aliases.end(),
                                               [&](const std::string& alias) { return goes_by(b, alias); });
    });
    std::map<const RoutineReport*, const RoutineReport*> like;
    renamed(true, [&](const RoutineReport& a, const RoutineReport& b) { pair(a, b); });
    renamed(false, [&](const RoutineReport& a, const RoutineReport& b) { like[&b] = &a; });
    std::vector<RoutinePair> out;
    for (const RoutineReport& r : after_) {
      const auto partner = partner_.find(&r);
      const auto similar = like.find(&r);
      out.push_back({partner == partner_.end() ? nullptr : partner->second, &r,
                     similar == like.end() ? nullptr : similar->second});
    }
    for (const RoutineReport& r : before_)
      if (!taken_.contains(&r)) out.push_back({&r, nullptr, nullptr});
    return out;
  }

 private:
  void pair(const RoutineReport& a, const RoutineReport& b) {
    partner_[&b] = &a;
    taken_.insert(&a);
  }

  // Pairs what is left by names.
  template <typename Same>
  void by(const Same& same) {
    std::multimap<std::string_view, const RoutineReport*> names;
    for (const RoutineReport& a : before_) {
      if (taken_.contains(&a)) continue;
      names.emplace(a.name, &a);
      for (const std::string& alias : a.aliases) names.emplace(alias, &a);
    }
    const auto find = [&](const RoutineReport& b, std::string_view name) {
      for (auto [it, end] = names.equal_range(name); it != end; ++it)
        if (!taken_.contains(it->second) && same(*it->second, b)) return it->second;
      return static_cast<const RoutineReport*>(nullptr);
    };
    for (const RoutineReport& b : after_) {
      if (partner_.contains(&b)) continue;
      const RoutineReport* a = find(b, b.name);
      for (std::size_t i = 0; a == nullptr && i < b.aliases.size(); ++i) a = find(b, b.aliases[i]);
      if (a != nullptr) pair(*a, b);
    }
  }

  // Routines that vanished and those that came, where exactly one of each is built alike.
  template <typename Found>
  void renamed(bool code, const Found& found) {
    std::map<std::pair<Role, std::vector<std::uint64_t>>, std::pair<Routines, Routines>> built;
    for (const RoutineReport& a : before_)
      if (!taken_.contains(&a) && !a.paths.empty()) built[{a.role, structure(a, code)}].first.push_back(&a);
    for (const RoutineReport& b : after_)
      if (!partner_.contains(&b) && !b.paths.empty()) built[{b.role, structure(b, code)}].second.push_back(&b);
    for (const auto& [key, routines] : built)
      if (routines.first.size() == 1 && routines.second.size() == 1)
        found(*routines.first.front(), *routines.second.front());
  }

  const std::vector<RoutineReport>& before_;
  const std::vector<RoutineReport>& after_;
  std::map<const RoutineReport*, const RoutineReport*> partner_;  // by new routine
  std::set<const RoutineReport*> taken_;
};

// Is what `after` says no more than what `before` said: the same place, and lists that hold nothing new?
bool is_part_of(const FindingReport& after, const FindingReport& before,
                const std::map<std::string, std::string>& renamed) {
  std::string old_symbol = symbol_of(before.where);
  if (const auto now = renamed.find(old_symbol); now != renamed.end()) old_symbol = now->second;
  if (after.rule != before.rule || symbol_of(after.where) != old_symbol || after.level > before.level) return false;
  return std::all_of(after.data.begin(), after.data.end(), [&](const auto& list) {
    const auto there = std::find_if(before.data.begin(), before.data.end(),
                                    [&](const auto& other) { return other.first == list.first; });
    return there != before.data.end() && std::all_of(list.second.begin(), list.second.end(), [&](const auto& item) {
             return std::find(there->second.begin(), there->second.end(), item) != there->second.end();
           });
  });
}

ImageDiff compare_images(const PathsReport::ImagePart* old_paths, const PathsReport::ImagePart* new_paths,
                         const FindingsReport::ImagePart* old_findings, const FindingsReport::ImagePart* new_findings) {
  static const std::vector<RoutineReport> no_routines;
  static const std::vector<FindingReport> no_findings;
  ImageDiff d;
  if (old_paths != nullptr) d.before = old_paths->head;
  if (new_paths != nullptr) d.after = new_paths->head;
  const std::vector<RoutineReport>& before = old_paths != nullptr ? old_paths->routines : no_routines;
  const std::vector<RoutineReport>& after = new_paths != nullptr ? new_paths->routines : no_routines;
  std::map<std::string, std::string> renamed;
  for (const RoutinePair& pair : RoutineMatcher(before, after).match()) {
    d.routines.push_back(compare_routines(pair.before, pair.after));
    if (pair.like != nullptr) d.routines.back().renamed_from = pair.like->name;
    if (pair.before != nullptr && pair.after != nullptr) renamed[pair.before->name] = pair.after->name;
  }
  d.findings = compare_findings(old_findings != nullptr ? old_findings->findings : no_findings,
                                new_findings != nullptr ? new_findings->findings : no_findings, renamed);
  return d;
}

}  // namespace

std::string_view diff_status_name(DiffStatus status) {
  switch (status) {
    case DiffStatus::same:
      return "same";
    case DiffStatus::changed:
      return "changed";
    case DiffStatus::added:
      return "added";
    case DiffStatus::removed:
      break;
  }
  return "removed";
}

std::vector<const ImageDiff*> DiffReport::images() const {
  std::vector<const ImageDiff*> all = {&main};
  for (const ImageDiff& image : embedded) all.push_back(&image);
  return all;
}

bool DiffReport::has_new_findings(Level least) const {
  if (least == Level::none) return false;
  for (const ImageDiff* image : images())
    for (const FindingReport& f : image->findings.fresh)
      if (f.level >= least) return true;
  return false;
}

namespace {

void count(DiffCounts& counts, DiffStatus status) {
  ++(status == DiffStatus::same      ? counts.same
     : status == DiffStatus::changed ? counts.changed
     : status == DiffStatus::added   ? counts.added
                                     : counts.removed);
}

}  // namespace

DiffCounts count_routines(const ImageDiff& image) {
  DiffCounts counts;
  for (const RoutineDiff& r : image.routines) count(counts, r.status);
  return counts;
}

DiffCounts count_paths(const ImageDiff& image) {
  DiffCounts counts;
  for (const RoutineDiff& r : image.routines)
    for (const PathDiff& p : r.paths) {
      count(counts, p.status);
      if (p.status != DiffStatus::changed) continue;
      const std::int64_t delta = difference(p.old_cost->instructions, p.new_cost->instructions);
      if (delta > 0) ++counts.grown;
      if (delta < 0) ++counts.shrunk;
    }
  return counts;
}

RoutineDiff compare_routines(const RoutineReport* before, const RoutineReport* after) {
  RoutineDiff d;
  const RoutineReport& shown = after != nullptr ? *after : *before;
  d.name = shown.name;
  d.version = shown.version;
  d.role = shown.role;
  if (before == nullptr || after == nullptr) {
    d.status = before == nullptr ? DiffStatus::added : DiffStatus::removed;
    for (const PathReport& p : shown.paths)
      d.paths.push_back(
          path_diff(before == nullptr ? nullptr : &p, after == nullptr ? nullptr : &p, PathDiff::Relation::one));
    return d;
  }
  if (before->name != after->name && !goes_by(*after, before->name)) d.renamed_from = before->name;
  const auto unlisted = [](const RoutineReport& r) { return r.bounded || r.paths_total > r.paths.size(); };
  d.bounded = unlisted(*before) || unlisted(*after);
  const PathMatches matches = match_paths(*before, *after);
  struct Row {
    PathPair pair;
    PathDiff::Relation relation;
  };
  std::vector<Row> rows;
  for (const PathPair& pair : matches.pairs) rows.push_back({pair, PathDiff::Relation::one});
  for (const PathPair& pair : matches.splits) rows.push_back({pair, PathDiff::Relation::split});
  for (const PathPair& pair : matches.merges) rows.push_back({pair, PathDiff::Relation::merged});
  // no_path is the largest number: removed ones come last.
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.pair.after, a.pair.before) < std::pair(b.pair.after, b.pair.before);
  });
  for (const Row& row : rows) {
    const auto& [old_path, new_path] = row.pair;
    d.paths.push_back(path_diff(old_path == no_path ? nullptr : &before->paths[old_path],
                                new_path == no_path ? nullptr : &after->paths[new_path], row.relation));
  }
  const bool same =
      std::all_of(d.paths.begin(), d.paths.end(), [](const PathDiff& p) { return p.status == DiffStatus::same; });
  d.status = same ? DiffStatus::same : DiffStatus::changed;
  return d;
}

FindingsDiff compare_findings(const std::vector<FindingReport>& before, const std::vector<FindingReport>& after,
                              const std::map<std::string, std::string>& renamed) {
  std::vector<const FindingReport*> gone, fresh;
  std::multimap<std::string_view, const FindingReport*> prints;
  for (const FindingReport& f : before) prints.emplace(f.fingerprint, &f);
  FindingsDiff d;
  std::set<const FindingReport*> known;
  for (const FindingReport& f : after) {
    auto [it, end] = prints.equal_range(f.fingerprint);
    while (it != end && known.contains(it->second)) ++it;
    if (it == end) {
      fresh.push_back(&f);
      continue;
    }
    known.insert(it->second);
    if (!f.suppressed) ++d.unchanged;
  }
  for (const FindingReport& f : before)
    if (!known.contains(&f)) gone.push_back(&f);
  // A finding that holds for less than it did is none that is new.
  std::erase_if(fresh, [&](const FindingReport* f) {
    const auto old =
        std::find_if(gone.begin(), gone.end(), [&](const FindingReport* o) { return is_part_of(*f, *o, renamed); });
    if (old == gone.end()) return false;
    gone.erase(old);
    if (!f->suppressed) ++d.unchanged;
    return true;
  });
  for (const FindingReport* f : gone)
    if (!f->suppressed) d.fixed.push_back(*f);
  for (const FindingReport* f : fresh)
    if (!f->suppressed) d.fresh.push_back(*f);
  return d;
}

DiffSide analyze_side(ImageSet& images, const AnalyzeOptions& options, const Config& config) {
  DiffSide side;
  side.head = image_head(images.main());
  AnalyzeOptions here = options;
  here.shapes = true;
  here.details = false;
  if (!options.entries.empty()) side.unknown = select_entries_in(images, options.entries, options.entry_rules).unknown;
  std::erase_if(here.entries, [&](const std::string& name) {
    return std::find(side.unknown.begin(), side.unknown.end(), name) != side.unknown.end();
  });
  if (!here.entries.empty() || options.entries.empty()) {
    side.paths = analyze_paths(images, here);
    side.findings = analyze_lint(images, here, config);
  }
  // The image comes first even if the routines asked for are all in its vDSOs.
  if (side.paths.empty() || side.paths.front().head.path != side.head.path) {
    side.paths.insert(side.paths.begin(), PathsReport::ImagePart{side.head, {}});
    side.findings.insert(side.findings.begin(), FindingsReport::ImagePart());
    side.findings.front().head = side.head;
  }
  return side;
}

DiffReport compare(const DiffSide& before, const DiffSide& after) {
  if (before.head.arch != after.head.arch)
    throw Error(after.head.path, fmt::format("is for {}, and {} is for {}; compare two builds for one architecture",
                                             after.head.arch, before.head.path, before.head.arch));
  for (const std::string& name : before.unknown)
    if (std::find(after.unknown.begin(), after.unknown.end(), name) != after.unknown.end())
      throw Error(after.head.path,
                  fmt::format("has no routine '{}', and neither has {} ('trapline entries' lists them)", name,
                              before.head.path));
  DiffReport report;
  report.main =
      compare_images(&before.paths.front(), &after.paths.front(), &before.findings.front(), &after.findings.front());
  std::map<std::string_view, std::pair<std::size_t, std::size_t>> embedded;  // index, 0: there is none
  for (std::size_t i = 1; i < before.paths.size(); ++i) embedded[embedded_name(before.paths[i].head.path)].first = i;
  for (std::size_t i = 1; i < after.paths.size(); ++i) embedded[embedded_name(after.paths[i].head.path)].second = i;
  for (const auto& [name, index] : embedded) {
    const auto [a, b] = index;
    report.embedded.push_back(compare_images(a == 0 ? nullptr : &before.paths[a], b == 0 ? nullptr : &after.paths[b],
                                             a == 0 ? nullptr : &before.findings[a],
                                             b == 0 ? nullptr : &after.findings[b]));
  }
  return report;
}

}  // namespace trapline
