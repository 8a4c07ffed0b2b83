// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/report.h"
#include "cli/layout.h"

namespace trapline {

// Instructions as kernel people write them in mails, from column `indent` on:
//
//   +0x20:  st.d $zero, $sp, 0        ; PT_R0
//
// Offsets count from the symbol named last; `routine` itself is named only when the walk comes back to it.
void print_listing(Page& page, const std::vector<ListingLine>& lines, std::string_view routine, std::size_t indent);

}  // namespace trapline
