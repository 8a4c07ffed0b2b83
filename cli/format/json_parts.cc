// SPDX-License-Identifier: Apache-2.0
#include "cli/format/json_parts.h"

#include <fmt/format.h>

#include "cli/format/report_names.h"
#include "cli/version.h"

namespace trapline {

std::string hex(std::uint64_t address) { return fmt::format("{:#x}", address); }

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json document(std::string_view command) {
  return {{"schema", fmt::format("trapline/{}/1", command)},
          {"tool", {{"name", "trapline"}, {"version", trapline_version()}}}};
}

// One blank a level keeps reports of thousands of paths readable and half as long.
std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json head_json(const ImageHead& head) {
  return {{"path", head.path},
          {"kind", head.kind},
          {"arch", head.arch},
          {"build_id", text_or_null(head.build_id)},
          {"variant", head.variant}};
}

Json classes_json(const Cost& cost) {
  Json json = Json::object();
  for (std::size_t i = 0; i < class_names.size(); ++i) json[std::string(class_names[i])] = cost.classes[i];
  return json;
}

Json instructions_json(const std::vector<ListingLine>& lines) {
  Json json = Json::array();
  for (const ListingLine& line : lines) {
    json.push_back({{"address", hex(line.address)},
                    {"symbol", text_or_null(line.where)},
                    {"text", line.text},
                    {"note", text_or_null(line.note)}});
  }
  return json;
}

Json cost_json(const Cost& cost) {
  Json json = Json::object();
  for (const CostField& field : cost_fields) json[std::string(field.name)] = cost.*field.value;
  return json;
}

}  // namespace trapline
