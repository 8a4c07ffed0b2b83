// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/relocate.h"

namespace trapline::ppc {
namespace {

// R_PPC64_* of the ELFv2 ABI, section 3.5.3; R_PPC_* have the same numbers where both exist.
enum : std::uint32_t {
  ADDR24 = 2,
  ADDR16 = 3,
  ADDR16_LO = 4,
  ADDR16_HI = 5,
  ADDR16_HA = 6,
  ADDR14 = 7,
  ADDR14_NTAKEN = 9,
  REL24 = 10,
  REL14 = 11,
  REL14_NTAKEN = 13,
  PLTREL24 = 18,
  LOCAL24PC = 23,
  ADDR16_HIGHER = 39,
  ADDR16_HIGHERA = 40,
  ADDR16_HIGHEST = 41,
  ADDR16_HIGHESTA = 42,
  TOC16 = 47,
  TOC16_LO = 48,
  TOC16_HI = 49,
  TOC16_HA = 50,
  ADDR16_DS = 56,
  ADDR16_LO_DS = 57,
  TOC16_DS = 63,
  TOC16_LO_DS = 64,
  ADDR16_HIGH = 110,
  ADDR16_HIGHA = 111,
  REL24_NOTOC = 116,
  REL16 = 249,
  REL16_LO = 250,
  REL16_HI = 251,
  REL16_HA = 252
};

constexpr std::uint64_t carry = 0x8000;  // what the "adjusted" halves add, since the low half is signed

std::uint64_t relative(const Builder& b, const Decoded::Fix& fix) {
  return fix.target - (b.decoded.address + fix.offset);
}

std::int64_t part(std::uint64_t value, unsigned shift) { return sign_extend(value >> shift, 16) * 65536; }
std::int64_t upper(std::uint64_t value) { return static_cast<std::int64_t>(value & ~std::uint64_t{0xffff}); }

}  // namespace

Immediate low_immediate(const Builder& b, std::int64_t encoded) {
  for (const Decoded::Fix& fix : b.decoded.fixes) {
    const std::int64_t low = sign_extend(fix.target, 16);
    switch (fix.type) {
      case ADDR16:
      case ADDR16_LO:
      case TOC16_LO:
        return {low, false};
      case ADDR16_DS:
      case ADDR16_LO_DS:
      case TOC16_LO_DS:
        return {low & ~std::int64_t{3}, false};
      case TOC16:
        return {static_cast<std::int64_t>(fix.target), true};
      case TOC16_DS:
        return {static_cast<std::int64_t>(fix.target & ~std::uint64_t{3}), true};
      case REL16:
      case REL16_LO:
        return {sign_extend(relative(b, fix), 16), false};
      // ori after lis in a 64-bit constant.
      case ADDR16_HIGHER:
        return {sign_extend(fix.target >> 32, 16), false};
      case ADDR16_HIGHERA:
        return {sign_extend((fix.target + carry) >> 32, 16), false};
      default:
        break;
    }
  }
  return {encoded, false};
}

Immediate high_immediate(const Builder& b, std::int64_t encoded) {
  for (const Decoded::Fix& fix : b.decoded.fixes) {
    switch (fix.type) {
      case ADDR16_HI:
      case ADDR16_HIGH:
        return {upper(fix.target), false};
      case ADDR16_HA:
      case ADDR16_HIGHA:
        return {upper(fix.target + carry), false};
      case ADDR16_HIGHER:
        return {part(fix.target, 32), false};
      case ADDR16_HIGHERA:
        return {part(fix.target + carry, 32), false};
      case ADDR16_HIGHEST:
        return {part(fix.target, 48), false};
      case ADDR16_HIGHESTA:
        return {part(fix.target + carry, 48), false};
      case TOC16_HI:
        return {upper(fix.target), true};
      case TOC16_HA:
        return {upper(fix.target + carry), true};
      case REL16_HI:
        return {upper(relative(b, fix)), false};
      case REL16_HA:
        return {upper(relative(b, fix) + carry), false};
      default:
        break;
    }
  }
  return {encoded * 65536, false};
}

std::uint64_t branch_target(const Builder& b, std::uint64_t encoded) {
  for (const Decoded::Fix& fix : b.decoded.fixes)
    if ((fix.type >= REL24 && fix.type <= REL14_NTAKEN) || fix.type == ADDR24 ||
        (fix.type >= ADDR14 && fix.type <= ADDR14_NTAKEN) || fix.type == PLTREL24 || fix.type == LOCAL24PC ||
        fix.type == REL24_NOTOC)
      return fix.target;
  return encoded;
}

}  // namespace trapline::ppc
