// SPDX-License-Identifier: Apache-2.0
#include "cli/format/budgets.h"
#include "cli/format/formats.h"
#include "cli/format/json_parts.h"
#include "cli/format/report_names.h"

namespace trapline {
namespace {

Json head_or_null(const std::optional<ImageHead>& head) { return head ? head_json(*head) : Json(nullptr); }
Json cost_or_null(const std::optional<Cost>& cost) { return cost ? cost_json(*cost) : Json(nullptr); }

Json delta_json(const PathDiff& path) {
  static const Cost none;
  const Cost& before = path.old_cost ? *path.old_cost : none;
  const Cost& after = path.new_cost ? *path.new_cost : none;
  Json json = Json::object();
  for (const CostField& field : cost_fields)
    json[std::string(field.name)] = difference(before.*field.value, after.*field.value);
  return json;
}

Json listing_json(const std::vector<DiffLine>& listing) {
  if (listing.empty()) return nullptr;
  Json json = Json::array();
  for (const DiffLine& line : listing) {
    const std::string_view in = line.side == DiffLine::Side::both       ? "both"
                                : line.side == DiffLine::Side::old_only ? "old"
                                                                        : "new";
    json.push_back({{"in", in},
                    {"address", hex(line.line.address)},
                    {"symbol", text_or_null(line.line.where)},
                    {"text", line.line.text},
                    {"note", text_or_null(line.line.note)}});
  }
  return json;
}

Json path_json(const PathDiff& path) {
  return {{"status", diff_status_name(path.status)},
          {"relation", relation_name(path.relation)},
          {"old_id", text_or_null(path.old_id)},
          {"new_id", text_or_null(path.new_id)},
          {"label", path.label()},
          {"old_label", text_or_null(path.old_label)},
          {"end", path_end_name(path.end)},
          {"to", text_or_null(return_to_name(path.to))},
          {"old", cost_or_null(path.old_cost)},
          {"new", cost_or_null(path.new_cost)},
          {"delta", delta_json(path)},
          {"listing", listing_json(path.listing)}};
}

Json routine_json(const RoutineDiff& routine) {
  Json paths = Json::array();
  for (const PathDiff& path : routine.paths) paths.push_back(path_json(path));
  return {{"name", routine.name},
          {"version", text_or_null(routine.version)},
          {"role", role_name(routine.role)},
          {"status", diff_status_name(routine.status)},
          {"renamed_from", text_or_null(routine.renamed_from)},
          {"bounded", routine.bounded},
          {"paths", std::move(paths)}};
}

Json findings_array(const std::vector<FindingReport>& findings) {
  Json json = Json::array();
  for (const FindingReport& finding : findings) json.push_back(finding_json(finding));
  return json;
}

void put_image(Json& json, const ImageDiff& image) {
  json["old"] = head_or_null(image.before);
  json["new"] = head_or_null(image.after);
  json["routines"] = Json::array();
  for (const RoutineDiff& routine : image.routines) json["routines"].push_back(routine_json(routine));
  json["findings"] = {{"fixed", findings_array(image.findings.fixed)},
                      {"new", findings_array(image.findings.fresh)},
                      {"unchanged", image.findings.unchanged}};
}

}  // namespace

std::string diff_json(const DiffReport& report) {
  Json json = document("diff");
  put_image(json, report.main);
  json["embedded"] = Json::array();
  for (const ImageDiff& image : report.embedded) {
    Json one = Json::object();
    put_image(one, image);
    json["embedded"].push_back(std::move(one));
  }
  json["budgets"] = budgets_json(report.budgets);
  return dump(json);
}

}  // namespace trapline
