// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace trapline::arm_arch {

inline constexpr std::uint32_t ef_arm_be8 = 0x00800000;  // EF_ARM_BE8 (ELF for the ARM architecture, 5.2)

// Bits hi to lo of a word, as the manual writes them.
constexpr std::uint32_t bits(std::uint32_t word, unsigned hi, unsigned lo) {
  return (word >> lo) & (0xffffffffu >> (31 - (hi - lo)));
}
constexpr bool bit(std::uint32_t word, unsigned n) { return ((word >> n) & 1u) != 0; }

constexpr std::int64_t sign_extend(std::uint32_t value, unsigned width) {
  const std::uint32_t sign = 1u << (width - 1);
  return static_cast<std::int64_t>(value ^ sign) - static_cast<std::int64_t>(sign);
}

constexpr std::uint32_t word_of(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return std::uint32_t{a} << 24 | std::uint32_t{b} << 16 | std::uint32_t{c} << 8 | std::uint32_t{d};
}

// ARMExpandImm: eight bits rotated right by twice the four-bit field above them.
constexpr std::uint32_t arm_immediate(std::uint32_t imm12) {
  return std::rotr(imm12 & 0xffu, static_cast<int>(2 * (imm12 >> 8 & 0xf)));
}

// ThumbExpandImm, from the twelve bits i:imm3:imm8.
constexpr std::uint32_t thumb_immediate(std::uint32_t imm12) {
  const std::uint32_t byte = imm12 & 0xff;
  if ((imm12 & 0xc00) == 0) {
    switch (imm12 >> 8 & 3) {
      case 0:
        return byte;
      case 1:
        return byte << 16 | byte;
      case 2:
        return byte << 24 | byte << 8;
      default:
        return byte * 0x01010101u;
    }
  }
  return std::rotr(0x80u | (imm12 & 0x7f), static_cast<int>(imm12 >> 7 & 0x1f));
}

}  // namespace trapline::arm_arch
