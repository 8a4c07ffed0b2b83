// SPDX-License-Identifier: Apache-2.0
#include "cli/format/text_parts.h"

#include <fmt/format.h>

#include "cli/format/path_rows.h"

namespace trapline {

std::string shown(std::string_view text, const Page& page) { return printable(one_line(text), page.options().ascii); }

void print_head(Page& page, const ImageHead& head) {
  page.blank();
  const std::string path = printable(head.path, page.options().ascii);
  page.paragraph(0, 2, fmt::format("{}: {}", path, head_text(head, page.options().verbose)), Style::heading,
                 path.size());
  if (!head.variant_note.empty()) page.paragraph(2, 4, shown(head.variant_note, page), Style::warning);
}

}  // namespace trapline
