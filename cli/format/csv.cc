// SPDX-License-Identifier: Apache-2.0
//
// CSV: a header, then one row a path, entry or finding. Fields are quoted as RFC 4180 says; lines end as on any Unix,
// in one line feed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli/format/formats.h"
#include "cli/format/report_names.h"

namespace trapline {
namespace {

std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string result = "\"";
  for (const char c : field) {
    result += c;
    if (c == '"') result += c;
  }
  return result + "\"";
}

class Row {
 public:
  Row& text(std::string_view field) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += quoted(field);
    return *this;
  }
  Row& number(std::uint64_t value) { return text(fmt::format("{}", value)); }
  Row& address(std::uint64_t value) { return text(fmt::format("{:#x}", value)); }
  std::string take() { return std::move(line_) + "\n"; }

 private:
  std::string line_;
  bool first_ = true;
};

void put_head(Row& row, const ImageHead& head) {
  row.text(head.path).text(head.kind).text(head.arch).text(head.build_id).text(head.variant);
}

// Counts of a path that one build does not have are empty.
std::string diff_row(const ImageDiff& image, const RoutineDiff& routine, const PathDiff& path) {
  Row row;
  row.text(image.before ? image.before->path : "").text(image.after ? image.after->path : "");
  row.text(image.after ? image.after->arch : image.before->arch).text(routine.name).text(role_name(routine.role));
  row.text(diff_status_name(routine.status)).text(routine.renamed_from).text(diff_status_name(path.status));
  row.text(relation_name(path.relation)).text(path.old_id).text(path.new_id).text(path.old_label).text(path.new_label);
  row.text(path_end_name(path.end)).text(return_to_name(path.to));
  for (const CostField& field : cost_fields) {
    const std::uint64_t before = path.old_cost ? (*path.old_cost).*field.value : 0;
    const std::uint64_t after = path.new_cost ? (*path.new_cost).*field.value : 0;
    row.text(path.old_cost ? fmt::format("{}", before) : "").text(path.new_cost ? fmt::format("{}", after) : "");
    row.text(fmt::format("{}", difference(before, after)));
  }
  return row.take();
}

}  // namespace

std::string paths_csv(const PathsReport& report) {
  Row header;
  for (const std::string_view name : {"image", "kind", "arch", "build_id", "variant", "routine", "role", "address",
                                      "id", "label", "end", "to", "end_address", "end_symbol"}) {
    header.text(name);
  }
  for (const CostField& field : cost_fields) header.text(field.name);
  for (const std::string_view name : class_names) header.text(fmt::format("class_{}", name));
  std::string csv = header.take();

  for (const PathsReport::ImagePart& part : report.images) {
    for (const RoutineReport& routine : part.routines) {
      for (const PathReport& path : routine.paths) {
        Row row;
        put_head(row, part.head);
        row.text(routine.name).text(role_name(routine.role)).address(routine.address);
        row.text(path.id).text(path.label).text(path_end_name(path.end)).text(return_to_name(path.to));
        row.address(path.end_address).text(path.end_symbol);
        for (const CostField& field : cost_fields) row.number(path.cost.*field.value);
        for (const std::uint64_t count : path.cost.classes) row.number(count);
        csv += row.take();
      }
    }
  }
  return csv;
}

std::string diff_csv(const DiffReport& report) {
  Row header;
  for (const std::string_view name :
       {"old_image", "new_image", "arch", "routine", "role", "routine_status", "renamed_from", "status", "relation",
        "old_id", "new_id", "old_label", "new_label", "end", "to"})
    header.text(name);
  for (const CostField& field : cost_fields) {
    header.text(fmt::format("old_{}", field.name)).text(fmt::format("new_{}", field.name));
    header.text(fmt::format("delta_{}", field.name));
  }
  std::string csv = header.take();
  for (const ImageDiff* image : report.images())
    for (const RoutineDiff& routine : image->routines)
      for (const PathDiff& path : routine.paths) csv += diff_row(*image, routine, path);
  return csv;
}

std::string entries_csv(const EntriesReport& report) {
  Row header;
  for (const std::string_view name :
       {"image", "kind", "arch", "build_id", "variant", "name", "aliases", "role", "address", "source", "version"}) {
    header.text(name);
  }
  std::string csv = header.take();
  for (const EntriesReport::ImagePart& part : report.images) {
    for (const EntryReport& entry : part.entries) {
      Row row;
      put_head(row, part.head);
      row.text(entry.name).text(fmt::format("{}", fmt::join(entry.aliases, " "))).text(role_name(entry.role));
      row.address(entry.address).text(entry.source).text(entry.version);
      csv += row.take();
    }
  }
  return csv;
}

std::string findings_csv(const FindingsReport& report) {
  Row header;
  for (const std::string_view name :
       {"image", "kind", "arch", "build_id", "variant", "rule", "level", "routine", "routines", "address", "symbol",
        "file", "line", "message", "fix", "paths", "data", "fingerprint", "suppressed"}) {
    header.text(name);
  }
  std::string csv = header.take();
  for (const FindingsReport::ImagePart& part : report.images) {
    for (const FindingReport& finding : part.findings) {
      Row row;
      put_head(row, part.head);
      row.text(finding.rule).text(level_name(finding.level)).text(finding.routine);
      row.text(fmt::format("{}", fmt::join(finding.routines, " "))).address(finding.address).text(finding.where);
      row.text(finding.location ? finding.location->file : "");
      row.text(finding.location ? fmt::format("{}", finding.location->line) : "");
      row.text(finding.message).text(finding.fix).text(fmt::format("{}", fmt::join(finding.paths, " ")));
      std::string data;
      for (const auto& [key, values] : finding.data)
        data += fmt::format("{}{}={}", data.empty() ? "" : "; ", key, fmt::join(values, " "));
      row.text(data).text(finding.fingerprint).text(finding.suppressed.value_or(""));
      csv += row.take();
    }
  }
  return csv;
}

}  // namespace trapline
