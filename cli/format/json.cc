// SPDX-License-Identifier: Apache-2.0
//
// JSON, key by key as interface.md has it. What is unknown is null; no key is ever left out.
#include "cli/format/budgets.h"
#include "cli/format/formats.h"
#include "cli/format/json_parts.h"
#include "cli/format/report_names.h"

namespace trapline {
namespace {

Json range_json(const Range& range) { return {{"min", range.min}, {"max", range.max}}; }

Json loop_json(const LoopReport& loop) {
  return {{"address", hex(loop.address)},
          {"turns", loop.turns ? Json(*loop.turns) : Json(nullptr)},
          {"instructions", loop.instructions},
          {"loads", loop.loads},
          {"stores", loop.stores}};
}

// Loops and remarks of a routine, which say where.
Json loops_json(const std::vector<LoopReport>& loops) {
  Json json = Json::array();
  for (const LoopReport& loop : loops) {
    Json one = loop_json(loop);
    one["symbol"] = text_or_null(loop.symbol);
    one["condition"] = text_or_null(loop.condition);
    json.push_back(std::move(one));
  }
  return json;
}

Json remarks_json(const std::vector<Remark>& remarks) {
  Json json = Json::array();
  for (const Remark& remark : remarks) {
    json.push_back({{"address", hex(remark.address)}, {"symbol", text_or_null(remark.where)}, {"text", remark.what}});
  }
  return json;
}

Json path_json(const PathReport& path) {
  Json decisions = Json::array();
  for (const DecisionReport& decision : path.decisions) {
    decisions.push_back({{"address", hex(decision.address)}, {"text", decision.text}, {"taken", decision.taken}});
  }
  Json calls = Json::array();
  for (const CallReport& call : path.calls) {
    calls.push_back({{"address", hex(call.address)}, {"target", text_or_null(call.target)}});
  }
  Json loops = Json::array();
  for (const LoopReport& loop : path.loops) loops.push_back(loop_json(loop));
  Json blocks = Json::array();
  for (const BlockReport& block : path.blocks) {
    blocks.push_back({{"address", hex(block.address)}, {"size", block.size}});
  }
  return {{"id", path.id},
          {"label", path.label},
          {"end", path_end_name(path.end)},
          {"to", text_or_null(return_to_name(path.to))},
          {"end_address", hex(path.end_address)},
          {"end_symbol", text_or_null(path.end_symbol)},
          {"cost", cost_json(path.cost)},
          {"classes", classes_json(path.cost)},
          {"decisions", std::move(decisions)},
          {"calls", std::move(calls)},
          {"loops", std::move(loops)},
          {"blocks", std::move(blocks)}};
}

Json routine_json(const RoutineReport& routine) {
  Json paths = Json::array();
  for (const PathReport& path : routine.paths) paths.push_back(path_json(path));
  return {{"name", routine.name},
          {"aliases", routine.aliases},
          {"version", text_or_null(routine.version)},
          {"role", role_name(routine.role)},
          {"address", hex(routine.address)},
          {"nodes", routine.nodes},
          {"instructions", routine.instructions},
          {"paths_total", routine.paths_total},
          {"paths_listed", routine.paths.size()},
          {"infeasible", routine.infeasible},
          {"bounded", routine.bounded},
          {"range",
           {{"loads", range_json(routine.loads)},
            {"stores", range_json(routine.stores)},
            {"instructions", range_json(routine.instructions_range)}}},
          {"loops", loops_json(routine.loops)},
          {"remarks", remarks_json(routine.remarks)},
          {"paths", std::move(paths)}};
}

Json block_json(const CfgReport::Block& block) {
  return {{"address", hex(block.address)},
          {"symbol", text_or_null(block.where)},
          {"size", block.size},
          {"continuation", block.continuation == 0 ? Json(nullptr) : Json(hex(block.continuation))},
          {"continuation_symbol", text_or_null(block.continuation_symbol)},
          {"end", text_or_null(block.end)},
          {"instructions", instructions_json(block.instructions)}};
}

Json opinion_json(const std::optional<CrossCheckReport::View>& view) {
  if (!view) return nullptr;
  return {{"size", view->size},
          {"flow", view->flow},
          {"conditional", view->conditional},
          {"target", view->target ? Json(hex(*view->target)) : Json(nullptr)},
          {"target_symbol", text_or_null(view->target_symbol)},
          {"text", view->text}};
}

Json cross_check_json(const std::optional<CrossCheckReport>& report) {
  if (!report) return nullptr;
  Json differences = Json::array();
  for (const CrossCheckReport::Difference& d : report->differences) {
    differences.push_back({{"address", hex(d.address)},
                           {"symbol", text_or_null(d.where)},
                           {"kind", d.kind},
                           {"trapline", opinion_json(d.ours)},
                           {"other", opinion_json(d.theirs)},
                           {"class", text_or_null(d.explained)},
                           {"right", text_or_null(d.right)},
                           {"reason", text_or_null(d.reason)}});
  }
  return {{"decoder", report->decoder},
          {"known", report->known},
          {"instructions", report->instructions},
          {"agreed", report->agreed},
          {"differences", std::move(differences)}};
}

}  // namespace

std::string paths_json(const PathsReport& report) {
  Json images = Json::array();
  for (const PathsReport::ImagePart& part : report.images) {
    Json routines = Json::array();
    for (const RoutineReport& routine : part.routines) routines.push_back(routine_json(routine));
    Json image = head_json(part.head);
    image["routines"] = std::move(routines);
    image["cross_check"] = cross_check_json(part.cross_check);
    images.push_back(std::move(image));
  }
  Json json = document("paths");
  json["images"] = std::move(images);
  json["budgets"] = budgets_json(report.budgets);
  return dump(json);
}

std::string entries_json(const EntriesReport& report) {
  Json images = Json::array();
  for (const EntriesReport::ImagePart& part : report.images) {
    Json entries = Json::array();
    for (const EntryReport& entry : part.entries) {
      entries.push_back({{"name", entry.name},
                         {"aliases", entry.aliases},
                         {"version", text_or_null(entry.version)},
                         {"role", role_name(entry.role)},
                         {"address", hex(entry.address)},
                         {"source", entry.source}});
    }
    Json image = head_json(part.head);
    image["entries"] = std::move(entries);
    images.push_back(std::move(image));
  }
  Json json = document("entries");
  json["images"] = std::move(images);
  return dump(json);
}

std::string cfg_json(const CfgReport& report) {
  Json blocks = Json::array();
  for (const CfgReport::Block& block : report.blocks) blocks.push_back(block_json(block));
  Json edges = Json::array();
  for (const CfgReport::Edge& edge : report.edges) {
    edges.push_back({{"from", edge.from}, {"to", edge.to}, {"kind", edge.kind}});
  }
  Json json = document("cfg");
  json["image"] = head_json(report.head);
  json["routine"] = {{"name", report.name},
                     {"aliases", report.aliases},
                     {"role", role_name(report.role)},
                     {"blocks", std::move(blocks)},
                     {"edges", std::move(edges)},
                     {"loops", loops_json(report.loops)},
                     {"remarks", remarks_json(report.remarks)}};
  return dump(json);
}

}  // namespace trapline
