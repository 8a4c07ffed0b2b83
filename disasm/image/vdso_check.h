// SPDX-License-Identifier: Apache-2.0
//
// What LLVM Object says of the parts of a vDSO that LIEF is about to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace trapline {

// Checks an ELF file whose section headers have been checked (ElfView::open): program headers, dynamic entries,
// symbol versions, notes, and that the dynamic segment and the section headers mean the same tables. Throws Error on
// what is damaged. False: there is nothing for LIEF (no dynamic segment), or more than it takes without losing
// some of it.
bool fit_for_lief(const std::string& name, std::span<const std::uint8_t> bytes);

}  // namespace trapline
