// SPDX-License-Identifier: Apache-2.0
//
// What the Markdown reports have in common.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/report.h"
#include "cli/table.h"

namespace trapline {

// Plain words: what Markdown or HTML would read as markup is escaped.
std::string escaped(std::string_view text);
// A name or an instruction, as code. In a table even code must escape its bars.
std::string code(std::string_view text, bool in_table);
// The cells are printed as they are.
std::string table_text(const Table& table);
// The image as a heading, and what is known of it.
std::string head_markdown(const ImageHead& head, bool full);

}  // namespace trapline
