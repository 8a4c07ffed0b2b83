// SPDX-License-Identifier: Apache-2.0
//
// Power ISA 3.1: bctar Book I section 2.4; Book III: rfscv and urfid sections 4.3.1 and 4.3.2, slbia 6.9.3.2, tlbie and
// tlbiel 6.9.3.3, msg* chapter 10; 2.07 Book III-E: rfgi, ehpriv, the cache-locking instructions.
#include "disasm/arch/powerpc/own_words.h"

#include <fmt/format.h>

#include <array>

#include "disasm/arch/powerpc/encoding.h"

namespace trapline::ppc {
namespace {

enum class Operands : std::uint8_t { none, ih, rb, invalidate, level, line, branch };

struct Row {
  std::uint32_t mask, value;
  std::string_view name;
  Operands operands;
};

constexpr std::array rows = std::to_array<Row>({
    {0xffffffff, 0x4c0000a4, "rfscv", Operands::none},
    {0xffffffff, 0x4c0000cc, "rfgi", Operands::none},
    {0xfc00e7fe, 0x4c000460, "bctar", Operands::branch},
    {0xffffffff, 0x4c000264, "urfid", Operands::none},
    {0xff1fffff, 0x7c0003e4, "slbia", Operands::ih},
    {0xfc1007ff, 0x7c000264, "tlbie", Operands::invalidate},
    {0xfc1007ff, 0x7c000224, "tlbiel", Operands::invalidate},
    {0xffff07ff, 0x7c00019c, "msgsnd", Operands::rb},
    {0xffff07ff, 0x7c0001dc, "msgclr", Operands::rb},
    {0xffff07ff, 0x7c00011c, "msgsndp", Operands::rb},
    {0xffff07ff, 0x7c00015c, "msgclrp", Operands::rb},
    {0xfc0007ff, 0x7c00021c, "ehpriv", Operands::level},
    {0xfe0007ff, 0x7c00014c, "dcbtls", Operands::line},
    {0xfe0007ff, 0x7c00010c, "dcbtstls", Operands::line},
    {0xfe0007ff, 0x7c00030c, "dcblc", Operands::line},
});

const Row* find(std::uint32_t word) {
  for (const Row& row : rows)
    if ((word & row.mask) == row.value) return &row;
  return nullptr;
}

}  // namespace

bool is_own_word(std::uint32_t word) { return find(word) != nullptr; }

std::string own_word_text(std::uint32_t word) {
  const Row* row = find(word);
  if (row == nullptr) return {};
  const Encoding e{word};
  switch (row->operands) {
    case Operands::none:
      return std::string(row->name);
    case Operands::ih:
      return fmt::format("{} {}", row->name, e.field(8, 10));
    case Operands::rb:
      return fmt::format("{} {}", row->name, e.rb());
    case Operands::invalidate:
      return fmt::format("{} {}, {}, {}, {}, {}", row->name, e.rb(), e.rt(), e.field(12, 13), e.field(14, 14),
                         e.field(15, 15));
    case Operands::level:
      return fmt::format("{} {}", row->name, e.field(6, 20));
    case Operands::branch:
      return fmt::format("{}{} {}, {}, {}", row->name, e.lk() ? "l" : "", e.bo(), e.bi(), e.bh());
    case Operands::line:
      return fmt::format("{} {}, {}, {}", row->name, e.field(7, 10), e.ra(), e.rb());
  }
  return {};
}

}  // namespace trapline::ppc
