// SPDX-License-Identifier: Apache-2.0
//
// What the text reports have in common.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/report.h"
#include "cli/layout.h"

namespace trapline {

// `text` on one line, as the page may show it.
std::string shown(std::string_view text, const Page& page);

// "vmlinux: loongarch64 vmlinux, build-id ...", and the note on the variant below.
void print_head(Page& page, const ImageHead& head);

}  // namespace trapline
