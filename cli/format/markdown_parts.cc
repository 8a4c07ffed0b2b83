// SPDX-License-Identifier: Apache-2.0
#include "cli/format/markdown_parts.h"

#include <fmt/format.h>

#include "cli/format/path_rows.h"
#include "cli/layout.h"

namespace trapline {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(one_line(text), false)) {
    if (std::string_view("\\`*_{}[]<>#|&~$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string code(std::string_view text, bool in_table) {
  std::string content;
  for (const char c : printable(one_line(text), false)) {
    if (c == '|' && in_table) content += '\\';
    content += c;
  }
  if (content.empty()) return "";
  if (content.find('`') == std::string::npos) return fmt::format("`{}`", content);
  return fmt::format("`` {} ``", content);
}

std::string table_text(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns()) text += fmt::format(" {} |", column.header);
  text += "\n|";
  for (const Column& column : table.columns()) text += column.align == Align::right ? " ---: |" : " :--- |";
  text += "\n";
  for (const std::vector<std::string>& row : table.rows()) {
    text += "|";
    for (const std::string& cell : row) text += cell.empty() ? " |" : fmt::format(" {} |", cell);
    text += "\n";
  }
  return text;
}

std::string head_markdown(const ImageHead& head, bool full) {
  std::string text = fmt::format("## {}\n\n{}\n", code(head.path, false), escaped(head_text(head, full)));
  if (!head.variant_note.empty()) text += fmt::format("\n{}\n", escaped(head.variant_note));
  return text;
}

}  // namespace trapline
