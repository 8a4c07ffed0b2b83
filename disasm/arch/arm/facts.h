// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/arch/facts.h"

namespace trapline::arm_arch {

// What the kernel promises on 32-bit ARM (A and R profiles).
Facts make_facts();

}  // namespace trapline::arm_arch
