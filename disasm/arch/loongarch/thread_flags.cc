// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/loongarch/thread_flags.h"

#include <fmt/format.h>

#include <bit>

namespace trapline::loongarch {

// andi takes 12 bits, bstrpick a run of bits (LoongArch Reference Manual, volume 1, 2.2.1 and 2.2.4).
std::string flags_test(std::uint64_t wanted, std::uint64_t defined, bool is64) {
  if (wanted <= 0xfff) return fmt::format("andi $tM, $tN, {:#x}; bnez $tM", wanted);
  const int low = std::countr_zero(wanted), high = 63 - std::countl_zero(wanted);
  const std::uint64_t run = (~std::uint64_t{0} >> (63 - high)) & (~std::uint64_t{0} << low);
  if ((defined & run) == wanted)
    return fmt::format("bstrpick.{} $tM, $tN, {}, {}; bnez $tM", is64 ? 'd' : 'w', high, low);
  if (wanted > 0xffffffff) return {};
  return fmt::format("li.w $tM, {:#x}; and $tM, $tN, $tM; bnez $tM", wanted);
}

}  // namespace trapline::loongarch
