// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disasm/arch/facts.h"

namespace trapline::ppc {

LinkStack link_stack();

}  // namespace trapline::ppc
