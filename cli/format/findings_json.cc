// SPDX-License-Identifier: Apache-2.0
#include "cli/format/formats.h"
#include "cli/format/json_parts.h"

namespace trapline {
namespace {

Json steps_json(const std::vector<StepReport>& steps) {
  Json json = Json::array();
  for (const StepReport& step : steps) {
    json.push_back({{"address", hex(step.address)},
                    {"symbol", text_or_null(step.where)},
                    {"text", step.text},
                    {"note", text_or_null(step.note)}});
  }
  return json;
}

}  // namespace

Json finding_json(const FindingReport& finding) {
  Json location = nullptr;
  if (finding.location) location = {{"file", finding.location->file}, {"line", finding.location->line}};
  Json data = Json::object();
  for (const auto& [name, values] : finding.data) data[name] = values;
  return {{"rule", finding.rule},
          {"level", level_name(finding.level)},
          {"message", finding.message},
          {"fix", text_or_null(finding.fix)},
          {"routine", finding.routine},
          {"routines", finding.routines},
          {"paths", finding.paths},
          {"address", hex(finding.address)},
          {"symbol", text_or_null(finding.where)},
          {"location", std::move(location)},
          {"fingerprint", text_or_null(finding.fingerprint)},
          {"steps", steps_json(finding.steps)},
          {"data", std::move(data)},
          {"suppressed", finding.suppressed ? Json(*finding.suppressed) : Json(nullptr)}};
}

namespace {

Json candidates_json(const std::optional<FindingsReport::Candidates>& c) {
  if (!c) return nullptr;
  return {{"all", c->all()},   {"found", c->found},       {"exempt", c->exempt},       {"flush", c->flush},
          {"calls", c->calls}, {"balanced", c->balanced}, {"undecided", c->undecided}, {"unreached", c->unreached}};
}

Json summary_json(const FindingsReport::ImagePart& part) {
  const FindingsReport::Summary& summary = part.summary;
  return {{"routines", summary.routines},
          {"paths_examined", summary.paths_examined},
          {"paths_refused", summary.paths_refused},
          {"infeasible", summary.infeasible},
          {"either", summary.either},
          {"by_level", {{"error", summary.errors}, {"warning", summary.warnings}, {"note", summary.notes}}},
          {"suppressed", summary.suppressed},
          {"candidates", candidates_json(part.candidates)}};
}

}  // namespace

std::string findings_json(const FindingsReport& report) {
  Json images = Json::array();
  for (const FindingsReport::ImagePart& part : report.images) {
    Json findings = Json::array();
    for (const FindingReport& finding : part.findings) findings.push_back(finding_json(finding));
    Json image = head_json(part.head);
    image["summary"] = summary_json(part);
    image["layouts"] = part.layouts;
    image["thread_flags"] = text_or_null(part.thread_flags);
    image["not_applicable"] = Json::array();
    for (const auto& [rule, reason] : part.not_applicable)
      image["not_applicable"].push_back({{"rule", rule}, {"reason", reason}});
    image["remarks"] = part.remarks;
    image["findings"] = std::move(findings);
    images.push_back(std::move(image));
  }
  Json json = document("findings");
  json["config"] = text_or_null(report.config);
  json["remarks"] = report.remarks;
  json["images"] = std::move(images);
  return dump(json);
}

}  // namespace trapline
