// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/layout.h"

namespace trapline {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

// Rows of text and numbers. Text and Markdown print the same table.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell for each column; a missing one is empty.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Prints header and rows from column `indent` on. Columns are as wide as their content. Where that is too wide for
  // the page, text gives way: a first cell that does not fit stands on a line of its own above its row, any other text
  // goes on below it; numbers stay aligned.
  void print(Page& page, std::size_t indent) const;

 private:
  std::vector<std::size_t> widths(std::size_t room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace trapline
