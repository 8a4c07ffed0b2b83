// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/decode/capstone.h"

namespace trapline::arm_arch {

// Capstone for ARM or Thumb code, its instructions in this byte order. There is one object for each kind of code.
const CapstoneSpec& capstone_spec(bool thumb, bool big_endian_code);

}  // namespace trapline::arm_arch
