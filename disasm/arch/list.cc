// SPDX-License-Identifier: Apache-2.0
//
// The list of architectures: adding one is a folder and a line here.
#include <array>

#include "disasm/arch/arch.h"
#include "disasm/arch/arm/arm.h"
#include "disasm/arch/loongarch/loongarch.h"
#include "disasm/arch/powerpc/powerpc.h"

namespace trapline {

std::span<const Arch* const> all_archs() {
  static const std::array archs{
      &loongarch64(), &loongarch32(), &arm(), &armeb(), &powerpc64le(), &powerpc64(), &powerpc(),
  };
  return archs;
}

}  // namespace trapline
