// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/image/image.h"

namespace trapline::loongarch {

// Writes the addresses that the kernel's table .la_abs names into the instructions that it names, as the kernel does
// before any of them runs (arch/loongarch/kernel/relocate.c). `word_bytes` is the size of a pointer. Throws Error for
// a table that is cut off or points at anything but the instructions it is for.
void apply_la_abs(Image& image, unsigned word_bytes);

}  // namespace trapline::loongarch
