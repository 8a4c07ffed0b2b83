// SPDX-License-Identifier: Apache-2.0
//
// The graph of a routine for Graphviz. Edges are told apart by colour and by a word, never by colour alone.
#include <fmt/format.h>

#include "cli/format/formats.h"
#include "cli/format/path_rows.h"

namespace trapline {
namespace {

// For a quoted string of the dot language, where & begins an HTML entity.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(one_line(text), false)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
    if (c == '&') result += "amp;";
  }
  return result;
}

std::string label(const CfgReport::Block& block) {
  std::string text = escaped(place_text(block.where, block.address));
  if (block.continuation != 0) {
    text += fmt::format(" (returns to {})", escaped(place_text(block.continuation_symbol, block.continuation)));
  }
  text += ":\\l";
  for (const ListingLine& line : block.instructions) {
    text += fmt::format("  {:#x}  {}", line.address, escaped(line.text));
    if (!line.note.empty()) text += "  ; " + escaped(line.note);
    text += "\\l";
  }
  if (!block.end.empty()) text += fmt::format("{}\\l", escaped(block.end));
  return text;
}

// The colours that disassemblers have made customary: green taken, red not taken, blue without a choice.
std::string_view color(std::string_view kind) {
  if (kind == "taken") return "#1a7f37";
  if (kind == "not-taken") return "#cf222e";
  if (kind == "jump" || kind == "next") return "#0969da";
  return "#57606a";
}

}  // namespace

std::string cfg_dot(const CfgReport& report) {
  std::string dot = fmt::format("digraph \"{}\" {{\n", escaped(report.name));
  dot += fmt::format("  label=\"{} ({}), {}\";\n", escaped(report.name), role_name(report.role),
                     escaped(report.head.path));
  dot += "  labelloc=t;\n";
  dot += "  fontname=\"monospace\";\n";
  dot += "  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  dot += "  edge [fontname=\"monospace\", fontsize=9];\n";
  for (std::size_t i = 0; i < report.blocks.size(); ++i) {
    const CfgReport::Block& block = report.blocks[i];
    const std::string_view pen = i == 0 ? ", penwidth=2" : "";
    const std::string_view border = block.end.empty() ? "" : ", style=rounded";
    dot += fmt::format("  b{} [label=\"{}\"{}{}];\n", i, label(block), pen, border);
  }
  for (const CfgReport::Edge& edge : report.edges) {
    dot += fmt::format("  b{} -> b{} [label=\"{}\", color=\"{}\"];\n", edge.from, edge.to, escaped(edge.kind),
                       color(edge.kind));
  }
  return dot + "}\n";
}

}  // namespace trapline
