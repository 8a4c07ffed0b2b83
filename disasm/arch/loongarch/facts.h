// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/arch/facts.h"

namespace trapline::loongarch {

// What the kernel promises on a machine whose registers have `register_bytes` bytes (8 or 4).
Facts make_facts(unsigned register_bytes);

}  // namespace trapline::loongarch
