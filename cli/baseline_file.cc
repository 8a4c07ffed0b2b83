// SPDX-License-Identifier: Apache-2.0
#include "cli/baseline_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyzer/cost_names.h"
#include "analyzer/text_file.h"
#include "cli/format/json_parts.h"
#include "cli/format/report_names.h"
#include "cli/output.h"
#include "disasm/error.h"

namespace trapline {
namespace {

Cost cost_from(const Json& counts, const Json& classes) {
  Cost cost;
  for (const CostField& field : cost_fields)
    cost.*field.value = counts.at(std::string(field.name)).get<std::uint64_t>();
  for (std::size_t i = 0; i < class_names.size(); ++i)
    cost.classes[i] = classes.at(std::string(class_names[i])).get<std::uint64_t>();
  return cost;
}

std::string text_from(const Json& value) { return value.is_null() ? std::string() : value.get<std::string>(); }

FindingReport finding_from(const Json& json) {
  FindingReport f;
  f.rule = json.at("rule").get<std::string>();
  const std::string level = json.at("level").get<std::string>();
  for (const Level l : {Level::note, Level::warning, Level::error})
    if (level_name(l) == level) f.level = l;
  f.message = json.at("message").get<std::string>();
  f.routine = json.at("routine").get<std::string>();
  f.routines = json.at("routines").get<std::vector<std::string>>();
  f.where = text_from(json.at("symbol"));
  f.fingerprint = text_from(json.at("fingerprint"));
  for (const auto& [key, values] : json.at("data").items())
    f.data.emplace_back(key, values.get<std::vector<std::string>>());
  return f;
}

std::vector<FindingReport> findings_from(const Json& json) {
  std::vector<FindingReport> out;
  for (const Json& one : json)
    // What was accepted then is accepted by the configuration, or it is new.
    if (!one.contains("suppressed") || one.at("suppressed").is_null()) out.push_back(finding_from(one));
  return out;
}

std::vector<Baseline::Routine> routines_from(const Json& json) {
  std::vector<Baseline::Routine> out;
  for (const Json& routine : json) {
    Baseline::Routine& r = out.emplace_back();
    r.name = routine.at("name").get<std::string>();
    for (const Json& path : routine.at("paths"))
      r.paths.push_back({path.at("label").get<std::string>(), cost_from(path.at("cost"), path.at("classes"))});
  }
  return out;
}

std::string key_from(const Json& image) {
  if (image.contains("image")) return image.at("image").get<std::string>();
  ImageHead head;
  head.path = image.at("path").get<std::string>();
  head.kind = image.at("kind").get<std::string>();
  head.arch = image.at("arch").get<std::string>();
  return image_key(head);
}

Baseline baseline_from(const Json& json) {
  Baseline out;
  for (const Json& image : json.at("images")) {
    Baseline::ImagePart& part = out.images.emplace_back();
    part.image = key_from(image);
    if (image.contains("routines") && !image.at("routines").is_null())
      part.routines = routines_from(image.at("routines"));
    if (image.contains("findings") && !image.at("findings").is_null())
      part.findings = findings_from(image.at("findings"));
  }
  if (!json.contains("history")) return out;
  for (const Json& move : json.at("history"))
    out.history.push_back({move.at("reason").get<std::string>(), move.at("changes").get<std::vector<std::string>>()});
  return out;
}

Json known_finding_json(const FindingReport& f) {
  Json data = Json::object();
  for (const auto& [name, values] : f.data) data[name] = values;
  return {{"rule", f.rule},
          {"level", level_name(f.level)},
          {"message", f.message},
          {"routine", f.routine},
          {"routines", f.routines},
          {"symbol", text_or_null(f.where)},
          {"fingerprint", text_or_null(f.fingerprint)},
          {"data", std::move(data)}};
}

Json routine_json(const Baseline::Routine& routine) {
  Json paths = Json::array();
  for (const Baseline::Path& path : routine.paths)
    paths.push_back({{"label", path.label}, {"cost", cost_json(path.cost)}, {"classes", classes_json(path.cost)}});
  return {{"name", routine.name}, {"paths", std::move(paths)}};
}

Json image_json(const Baseline::ImagePart& part) {
  Json routines = nullptr, findings = nullptr;
  if (part.routines) {
    routines = Json::array();
    for (const Baseline::Routine& routine : *part.routines) routines.push_back(routine_json(routine));
  }
  if (part.findings) {
    findings = Json::array();
    for (const FindingReport& f : *part.findings) findings.push_back(known_finding_json(f));
  }
  return {{"image", part.image}, {"routines", std::move(routines)}, {"findings", std::move(findings)}};
}

}  // namespace

Baseline read_baseline(const std::string& file) {
  const Json json = Json::parse(read_text_file(file), nullptr, false);
  const bool has_schema = json.is_object() && json.contains("schema") && json.at("schema").is_string();
  const std::string schema = has_schema ? json.at("schema").get<std::string>() : std::string();
  if (schema != "trapline/baseline/1" && schema != "trapline/paths/1" && schema != "trapline/findings/1")
    throw Error(file, "is no baseline; write one with --write-baseline, or take the JSON of 'paths' or 'lint'");
  try {
    Baseline baseline = baseline_from(json);
    baseline.path = file;
    return baseline;
  } catch (const Json::exception& error) {
    throw Error(file, fmt::format("is a damaged {} document: {}", schema, error.what()));
  }
}

std::string baseline_json(const Baseline& baseline) {
  Json images = Json::array(), history = Json::array();
  for (const Baseline::ImagePart& part : baseline.images) images.push_back(image_json(part));
  for (const Baseline::Move& move : baseline.history)
    history.push_back({{"reason", move.reason}, {"changes", move.changes}});
  Json json = document("baseline");
  json["history"] = std::move(history);
  json["images"] = std::move(images);
  return dump(json);
}

void move_baseline(const std::string& file, const Baseline& now, const std::string& reason) {
  if (!std::filesystem::exists(file)) return write_output(file, baseline_json(now));
  const Baseline known = read_baseline(file);
  const std::vector<std::string> what = changes(known, now);
  if (!what.empty() && reason.empty())
    throw Error(file, fmt::format("says otherwise ({}{}); to move it, say why with --reason", what.front(),
                                  what.size() == 1 ? "" : fmt::format(", and {} more", what.size() - 1)));
  write_output(file, baseline_json(moved(known, now, reason)));
}

}  // namespace trapline
