// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <string_view>

namespace trapline {
namespace {

// Columns that text behind the first column may claim before it goes on below, and where room is short.
constexpr std::size_t text_limit = 24;
constexpr std::size_t short_text_limit = 12;

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

// Longest first word of a column's cells: "jump" stays beside its numbers, the name may go below.
std::size_t longest_first_word(const std::vector<std::vector<std::string>>& rows, std::size_t index) {
  std::size_t width = 0;
  for (const std::vector<std::string>& row : rows) {
    const std::size_t length = display_width(std::string_view(row[index]).substr(0, row[index].find(' ')));
    if (length <= text_limit) width = std::max(width, length);
  }
  return width;
}

std::size_t longest_word(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    width = std::max(width, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return width;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t room) const {
  const std::size_t first = widest(rows_, columns_[0], 0, room);
  std::vector<std::size_t> result(columns_.size());
  const auto lay_out = [&](std::size_t limit) {
    std::size_t others = 0;
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      const bool is_text = columns_[i].align == Align::left;
      result[i] = widest(rows_, columns_[i], i, is_text ? limit : std::string_view::npos);
      if (is_text) result[i] = std::max(result[i], longest_first_word(rows_, i));
      others += gap_before(columns_, i) + result[i];
    }
    const std::size_t left = room - std::min(others, room);
    result[0] = widest(rows_, columns_[0], 0, left);
    return first <= left;
  };
  // Short text columns are worth it only where they make the first column fit.
  if (!lay_out(text_limit) && !lay_out(short_text_limit)) lay_out(text_limit);
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
      // Further left where a name would not fit otherwise.
      const std::size_t width_needed = std::min(longest_word(text), page_width - indent - 2);
      const std::size_t from = std::min(column + 2, page_width - width_needed);
      page.paragraph(from, from, text);
    }
  }
}

}  // namespace trapline
