// SPDX-License-Identifier: Apache-2.0
#include "analyzer/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/cost_names.h"
#include "analyzer/diff.h"
#include "analyzer/image_set.h"

namespace trapline {
namespace {

std::map<std::string, const Cost*> costs_of(const Baseline::ImagePart& part) {
  std::map<std::string, const Cost*> costs;
  for (const Baseline::Routine& routine : *part.routines)
    for (const Baseline::Path& path : routine.paths)
      costs[fmt::format("{}: {}, {}", part.image, routine.name, path.label)] = &path.cost;
  return costs;
}

std::set<std::string> findings_of(const Baseline::ImagePart& part) {
  std::set<std::string> findings;
  for (const FindingReport& f : *part.findings)
    findings.insert(
        fmt::format("{}: {}: {} [{}] {}", part.image, symbol_of(f.where), f.message, f.rule, f.fingerprint));
  return findings;
}

// "loads 30 -> 29, stores 1 -> 2".
std::string cost_changes(const Cost& before, const Cost& after) {
  std::string text;
  for (const CostField& field : cost_fields)
    if (before.*field.value != after.*field.value)
      text +=
          fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", field.name, before.*field.value, after.*field.value);
  return text.empty() ? "other kinds of instructions" : text;
}

void add_changes(std::vector<std::string>& out, const Baseline::ImagePart& old, const Baseline::ImagePart& now) {
  // What a baseline begins to speak of is no change of it.
  if (now.routines && old.routines) {
    const std::map<std::string, const Cost*> before = costs_of(old), after = costs_of(now);
    for (const auto& [path, cost] : before) {
      const auto found = after.find(path);
      if (found == after.end()) out.push_back(fmt::format("{}: gone", path));
      if (found != after.end() && *found->second != *cost)
        out.push_back(fmt::format("{}: {}", path, cost_changes(*cost, *found->second)));
    }
    for (const auto& [path, cost] : after)
      if (!before.contains(path)) out.push_back(fmt::format("{}: new", path));
  }
  if (!now.findings || !old.findings) return;
  const std::set<std::string> before = findings_of(old), after = findings_of(now);
  for (const std::string& f : before)
    if (!after.contains(f)) out.push_back(fmt::format("{}: gone", f));
  for (const std::string& f : after)
    if (!before.contains(f)) out.push_back(fmt::format("{}: new", f));
}

template <typename Images>
auto find_part(Images& images, const std::string& key) {
  return std::find_if(images.begin(), images.end(), [&](const Baseline::ImagePart& p) { return p.image == key; });
}

}  // namespace

std::string image_key(const ImageHead& head) {
  const std::string_view embedded = embedded_name(head.path);
  return fmt::format("{} {}", head.arch, embedded.empty() ? head.kind : embedded);
}

Baseline baseline_of(const PathsReport& report) {
  Baseline out;
  for (const PathsReport::ImagePart& part : report.images) {
    Baseline::ImagePart& image = out.images.emplace_back();
    image.image = image_key(part.head);
    image.routines.emplace();
    for (const RoutineReport& routine : part.routines) {
      Baseline::Routine& r = image.routines->emplace_back();
      r.name = routine.name;
      for (const PathReport& path : routine.paths)  // equal ones stand together
        if (r.paths.empty() || r.paths.back().label != path.label || r.paths.back().cost != path.cost)
          r.paths.push_back({path.label, path.cost});
    }
  }
  return out;
}

Baseline baseline_of(const FindingsReport& report) {
  Baseline out;
  for (const FindingsReport::ImagePart& part : report.images) {
    Baseline::ImagePart& image = out.images.emplace_back();
    image.image = image_key(part.head);
    image.findings.emplace();
    for (const FindingReport& f : part.findings)
      if (!f.suppressed) image.findings->push_back(f);
  }
  return out;
}

const Cost* base_cost(const Baseline& baseline, const ImageHead& head, std::string_view routine,
                      std::string_view label) {
  const auto part = find_part(baseline.images, image_key(head));
  if (part == baseline.images.end() || !part->routines) return nullptr;
  for (const Baseline::Routine& r : *part->routines) {
    if (r.name != routine) continue;
    for (const Baseline::Path& path : r.paths)
      if (path.label == label) return &path.cost;
  }
  return nullptr;
}

void accept_known(FindingsReport& report, const Baseline& baseline) {
  for (FindingsReport::ImagePart& part : report.images) {
    const auto known = find_part(baseline.images, image_key(part.head));
    if (known == baseline.images.end() || !known->findings) continue;
    std::multiset<std::string> fresh;  // each once for each time
    for (const FindingReport& f : compare_findings(*known->findings, part.findings).fresh) fresh.insert(f.fingerprint);
    for (FindingReport& f : part.findings) {
      if (f.suppressed) continue;
      if (const auto it = fresh.find(f.fingerprint); it != fresh.end())
        fresh.erase(it);
      else
        f.suppressed = fmt::format("in the baseline {}", baseline.path);
    }
    count_levels(part);
  }
}

std::vector<std::string> changes(const Baseline& known, const Baseline& now) {
  std::vector<std::string> out;
  for (const Baseline::ImagePart& part : now.images) {
    const auto before = find_part(known.images, part.image);
    if (before != known.images.end()) add_changes(out, *before, part);
  }
  return out;
}

Baseline moved(const Baseline& known, const Baseline& now, const std::string& reason) {
  Baseline out = known;
  if (std::vector<std::string> what = changes(known, now); !what.empty())
    out.history.push_back({reason, std::move(what)});
  for (const Baseline::ImagePart& part : now.images) {
    auto it = find_part(out.images, part.image);
    if (it == out.images.end()) it = out.images.insert(it, {part.image, {}, {}});
    if (part.routines) it->routines = part.routines;
    if (part.findings) it->findings = part.findings;
  }
  return out;
}

}  // namespace trapline
