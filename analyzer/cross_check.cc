// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cross_check.h"

#include <algorithm>

namespace trapline {
namespace {

// Sorted, each instruction once, neighbours in one range: Capstone reads an `it` and what it makes conditional
// together.
std::vector<CodeRange> merged(std::vector<CodeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  std::vector<CodeRange> out;
  for (const CodeRange& range : ranges) {
    if (!out.empty() && range.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, range.end);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

std::optional<CrossCheckReport::View> view(const Image& image, const InsnView& v, const std::string& text) {
  if (v.size == 0) return std::nullopt;
  CrossCheckReport::View out;
  out.size = v.size;
  out.flow = flow_kind_name(v.flow);
  out.conditional = v.conditional;
  if (v.target) {
    out.target = image.shown(*v.target);
    out.target_symbol = image.describe(*v.target);
  }
  out.text = text;
  return out;
}

}  // namespace

std::vector<CodeRange> instructions_of(const Graph& graph) {
  std::vector<CodeRange> ranges;
  for (Vertex v = 0; v < boost::num_vertices(graph); ++v) {
    const Node& node = graph[v];
    if (node.size != 0) ranges.push_back({node.key.address, node.key.address + node.size});
  }
  return merged(std::move(ranges));
}

CrossCheckReport cross_check_report(const Image& image, std::span<const std::vector<CodeRange>> routines) {
  std::vector<CodeRange> ranges;
  for (const std::vector<CodeRange>& routine : routines) ranges.insert(ranges.end(), routine.begin(), routine.end());
  const Decoder decoder(image);
  CrossReport found = cross_check(image, decoder, merged(std::move(ranges)));
  CrossCheckReport report;
  report.decoder = std::move(found.decoder);
  report.known = found.asked;
  report.instructions = found.instructions;
  report.agreed = found.agreed;
  for (const Difference& d : found.differences) {
    CrossCheckReport::Difference out;
    out.address = image.shown(d.address);
    out.where = image.describe(d.address);
    out.kind = difference_kind_name(d.kind);
    out.ours = view(image, d.ours, d.our_text);
    out.theirs = view(image, d.theirs, d.their_text);
    if (d.explained != nullptr) {
      out.explained = d.explained->name;
      out.right = d.explained->right;
      out.reason = d.explained->reason;
    }
    report.differences.push_back(std::move(out));
  }
  return report;
}

}  // namespace trapline
