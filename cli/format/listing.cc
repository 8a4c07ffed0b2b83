// SPDX-License-Identifier: Apache-2.0
#include "cli/format/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trapline {
namespace {

constexpr std::size_t longest_text = 34;  // an instruction up to which notes are lined up

// "handle_syscall+0x20" in two: symbol and offset. Without a symbol the whole address is the offset.
std::pair<std::string, std::string> split_where(const ListingLine& line) {
  if (line.where.empty() || line.where.starts_with("0x")) return {"", fmt::format("{:#x}", line.address)};
  const std::size_t plus = line.where.rfind("+0x");
  if (plus == std::string::npos) return {line.where, "+0x0"};
  return {line.where.substr(0, plus), line.where.substr(plus)};
}

}  // namespace

void print_listing(Page& page, const std::vector<ListingLine>& lines, std::string_view routine, std::size_t indent) {
  const bool ascii = page.options().ascii;
  std::size_t offset_width = 0;
  std::size_t text_width = 0;
  for (const ListingLine& line : lines) {
    offset_width = std::max(offset_width, split_where(line).second.size() + 1);
    const std::size_t width = display_width(printable(one_line(line.text), ascii));
    if (width <= longest_text) text_width = std::max(text_width, width);
  }
  const std::size_t text_column = indent + offset_width + 2;
  const std::size_t note_column = text_column + text_width + 2;

  std::string symbol(routine);
  for (const ListingLine& line : lines) {
    const auto [name, offset] = split_where(line);
    if (!name.empty() && name != symbol) {
      page.paragraph(indent - std::min<std::size_t>(indent, 1), indent + 2, printable(name, ascii) + ":", Style::faint);
      symbol = name;
    }
    const std::string text = printable(one_line(line.text), ascii);
    const std::string note = printable(one_line(line.note), ascii);
    std::string out = fmt::format("{:{}}{:<{}}", "", indent, offset + ":", offset_width + 2) + text;
    if (display_width(out) > page.options().width) {
      page.paragraph(indent, text_column + 2, offset + ":  " + text);
      out.clear();
    }
    if (!note.empty()) {
      const std::size_t used = display_width(out);
      const std::size_t column = used > note_column ? used + 2 : note_column;
      if (column + 2 + display_width(note) <= page.options().width) {
        out += std::string(column - used, ' ') + paint(Style::faint, "; " + note, page.options().color);
      } else {
        if (!out.empty()) page.line(out);
        out.clear();
        page.paragraph(text_column + 2, text_column + 4, "; " + note, Style::faint);
      }
    }
    if (!out.empty()) page.line(out);
  }
}

}  // namespace trapline
