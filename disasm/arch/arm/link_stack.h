// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/arch/facts.h"

namespace trapline::arm_arch {

LinkStack link_stack();

}  // namespace trapline::arm_arch
