// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace trapline::ppc {

// Is `word` an instruction that kernels use and LLVM MC 22 does not decode? lift knows these all the same.
bool is_own_word(std::uint32_t word);
// Its text, operands as llvm-objdump prints them (registers by number); empty for any other word.
std::string own_word_text(std::uint32_t word);

}  // namespace trapline::ppc
