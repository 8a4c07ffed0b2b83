// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::ppc {

// What one instruction does on a machine with registers of 8 (`is64`) or 4 bytes. Flow::unknown where neither LLVM MC
// nor our own table of terminators knows the word.
Insn lift(const Image& image, const Decoded& decoded, bool is64);

// Does the trap instruction at `address` come back? A WARN does, a BUG does not: BUGFLAG_WARNING in the image's
// __bug_table (include/asm-generic/bug.h). False where the table has no record of it.
bool trap_is_warning(const Image& image, std::uint64_t address);

}  // namespace trapline::ppc
