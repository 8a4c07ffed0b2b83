// SPDX-License-Identifier: Apache-2.0
//
// The list of architectures: adding one is a folder and a line here.
#include <array>

#include "disasm/arch/arch.h"
#include "disasm/arch/arm/arm.h"
#include "disasm/arch/loongarch/loongarch.h"

namespace trapline {

std::span<const Arch* const> all_archs() {
  static const std::array archs{
      &loongarch64(),
      &loongarch32(),
      &arm(),
      &armeb(),
  };
  return archs;
}

}  // namespace trapline
