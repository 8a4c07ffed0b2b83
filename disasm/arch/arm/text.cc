// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/arm/text.h"

#include <fmt/format.h>

#include <string_view>

#include "disasm/arch/arm/bits.h"

namespace trapline::arm_arch {

namespace {

constexpr std::string_view registers[] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                          "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
constexpr std::string_view conditions[] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                           "hi", "ls", "ge", "lt", "gt", "le", "",   "2"};

// ldc, stc (A8.8.56, A8.8.199): the address is an offset, pre- or post-indexed, or an option.
std::string load_store(std::uint32_t w, std::string_view suffix) {
  const std::string head =
      fmt::format("{}{}{} p{}, c{}, [{}", bit(w, 20) ? "ldc" : "stc", suffix, bit(w, 22) ? "l" : "", bits(w, 11, 8),
                  bits(w, 15, 12), registers[bits(w, 19, 16)]);
  const std::string offset = fmt::format("#{}{}", bit(w, 23) ? "" : "-", 4 * bits(w, 7, 0));
  if (bit(w, 24) && !bit(w, 21) && bits(w, 7, 0) == 0) return head + "]";
  if (bit(w, 24)) return fmt::format("{}, {}]{}", head, offset, bit(w, 21) ? "!" : "");
  return bit(w, 21) ? fmt::format("{}], {}", head, offset) : fmt::format("{}], {{{}}}", head, bits(w, 7, 0));
}

}  // namespace

std::string older_text(std::uint32_t w) {
  const std::string_view suffix = conditions[bits(w, 31, 28)];
  const auto name = [](unsigned r) { return registers[r]; };
  if ((w & 0x0fb00ff0) == 0x01000090) {
    return fmt::format("swp{}{} {}, {}, [{}]", bit(w, 22) ? "b" : "", suffix, name(bits(w, 15, 12)),
                       name(bits(w, 3, 0)), name(bits(w, 19, 16)));
  }
  if (bits(w, 27, 26) != 3 || bits(w, 27, 24) == 0xf) return {};
  const unsigned number = bits(w, 11, 8);
  if (bits(w, 27, 25) == 6) {
    if (bits(w, 24, 21) != 2) return load_store(w, suffix);
    return fmt::format("{}{} p{}, #{}, {}, {}, c{}", bit(w, 20) ? "mrrc" : "mcrr", suffix, number, bits(w, 7, 4),
                       name(bits(w, 15, 12)), name(bits(w, 19, 16)), bits(w, 3, 0));
  }
  if (!bit(w, 4)) {
    return fmt::format("cdp{} p{}, #{}, c{}, c{}, c{}, #{}", suffix, number, bits(w, 23, 20), bits(w, 15, 12),
                       bits(w, 19, 16), bits(w, 3, 0), bits(w, 7, 5));
  }
  return fmt::format("{}{} p{}, #{}, {}, c{}, c{}, #{}", bit(w, 20) ? "mrc" : "mcr", suffix, number, bits(w, 23, 21),
                     name(bits(w, 15, 12)), bits(w, 19, 16), bits(w, 3, 0), bits(w, 7, 5));
}

}  // namespace trapline::arm_arch
