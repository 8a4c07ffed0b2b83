// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/decode/capstone.h"

namespace trapline::ppc {

// Capstone for PowerPC code. There is one object for each kind of code.
const CapstoneSpec& capstone_spec(bool is64, bool little_endian);

}  // namespace trapline::ppc
