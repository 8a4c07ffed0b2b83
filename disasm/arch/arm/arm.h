// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/arch/arch.h"

namespace trapline {

// 32-bit ARM, little-endian; ARM and Thumb state.
const Arch& arm();
// The same with big-endian data: BE8 (instructions little-endian) in linked images, BE-32 in objects.
const Arch& armeb();

}  // namespace trapline
