// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <string_view>

namespace trapline {
namespace {

constexpr std::size_t text_limit = 20;  // columns that text behind the first column may claim before it goes on below

// Blanks in front of column `i`: numbers stand close together, text keeps its distance.
std::size_t gap_before(const std::vector<Column>& columns, std::size_t i) {
  if (i == 0) return 0;
  return columns[i].align == Align::left || columns[i - 1].align == Align::left ? 2 : 1;
}

// A line of cells; blanks are written only in front of something, so that none trail.
class CellLine {
 public:
  void put(std::size_t column, std::string_view text, Style style, bool color) {
    if (text.empty()) return;
    if (column > filled_) line_ += std::string(column - filled_, ' ');
    line_ += paint(style, text, color);
    filled_ = std::max(column, filled_) + display_width(text);
  }
  const std::string& text() const { return line_; }

 private:
  std::string line_;
  std::size_t filled_ = 0;
};

// Widest of the cells of a column that are no wider than `limit`, header included.
std::size_t widest(const std::vector<std::vector<std::string>>& rows, const Column& column, std::size_t index,
                   std::size_t limit) {
  std::size_t width = display_width(column.header);
  for (const std::vector<std::string>& row : rows) {
    const std::size_t cell = display_width(row[index]);
    if (cell <= limit) width = std::max(width, cell);
  }
  return width;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t room) const {
  std::vector<std::size_t> result(columns_.size());
  std::size_t others = 0;
  for (std::size_t i = 1; i < columns_.size(); ++i) {
    const bool is_last = i + 1 == columns_.size();
    const bool wraps = columns_[i].align == Align::left && !is_last;
    result[i] = widest(rows_, columns_[i], i, wraps ? text_limit : std::string_view::npos);
    // Text in the last column takes what is left and goes on below.
    if (is_last && columns_[i].align == Align::left) result[i] = std::min(result[i], text_limit);
    others += gap_before(columns_, i) + result[i];
  }
  result[0] = widest(rows_, columns_[0], 0, room - std::min(others, room));
  return result;
}

void Table::print(Page& page, std::size_t indent) const {
  const std::size_t page_width = page.options().width;
  const bool color = page.options().color;
  const std::vector<std::size_t> width = widths(page_width - std::min(indent, page_width));
  std::vector<std::size_t> start(columns_.size(), indent);
  for (std::size_t i = 1; i < columns_.size(); ++i) start[i] = start[i - 1] + width[i - 1] + gap_before(columns_, i);
  const auto right_edge = [&](std::size_t i) { return start[i] + width[i]; };

  CellLine header;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& text = columns_[i].header;
    const bool right = columns_[i].align == Align::right;
    header.put(right ? right_edge(i) - display_width(text) : start[i], text, Style::header, color);
  }
  if (!header.text().empty()) page.line(header.text());

  for (const std::vector<std::string>& row : rows_) {
    CellLine line;
    std::vector<std::pair<std::size_t, std::string>> below;  // column, text
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& text = row[i];
      if (columns_[i].align == Align::right) {
        const std::size_t cell = display_width(text);
        line.put(right_edge(i) - std::min(cell, right_edge(i)), text, Style::plain, color);
        continue;
      }
      const bool is_last = i + 1 == columns_.size();
      const std::size_t room = is_last ? page_width - std::min(page_width, start[i]) : width[i];
      if (display_width(text) <= room) {
        line.put(start[i], text, Style::plain, color);
      } else if (i == 0) {
        page.paragraph(indent, indent + 2, text);
      } else {
        // As many words as fit; the rest may run on under the numbers.
        std::size_t cut = text.rfind(' ', room);
        if (cut == std::string::npos) cut = 0;
        line.put(start[i], std::string_view(text).substr(0, cut), Style::plain, color);
        below.emplace_back(start[i], text.substr(cut == 0 ? 0 : cut + 1));
      }
    }
    if (!line.text().empty()) page.line(line.text());
    for (const auto& [column, text] : below) {
      const std::size_t from = std::min(column + 2, page_width / 2);
      page.paragraph(from, from, text);
    }
  }
}

}  // namespace trapline
