// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/thread_flags.h"

#include <fmt/format.h>

namespace trapline::ppc {

// andi. and andis. take 16 bits each (Power ISA 3.1 Book I, 3.3.13).
std::string flags_test(std::uint64_t wanted) {
  if (wanted <= 0xffff) return fmt::format("andi. r0, rN, {:#x}", wanted);
  if ((wanted & 0xffff) == 0 && wanted <= 0xffff0000) return fmt::format("andis. r0, rN, {:#x}", wanted >> 16);
  if (wanted > 0xffffffff) return {};
  return fmt::format("lis rM, {:#x}; ori rM, rM, {:#x}; and. r0, rN, rM", wanted >> 16, wanted & 0xffff);
}

}  // namespace trapline::ppc
