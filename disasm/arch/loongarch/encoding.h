// SPDX-License-Identifier: Apache-2.0
//
// The fields of an instruction word, as the LoongArch Reference Manual, volume 1, section 1.2 and appendix B, draws
// them.
#pragma once

#include <cstdint>

namespace trapline::loongarch {

// The low `bits` bits of `value`, sign-extended.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t mask = (sign << 1) - 1;
  return static_cast<std::int64_t>(((value & mask) ^ sign) - sign);
}

struct Encoding {
  std::uint32_t word = 0;

  constexpr std::uint32_t field(unsigned high, unsigned low) const {
    return (word >> low) & static_cast<std::uint32_t>((std::uint64_t{1} << (high - low + 1)) - 1);
  }
  constexpr std::int64_t signed_field(unsigned high, unsigned low) const {
    return sign_extend(field(high, low), high - low + 1);
  }

  constexpr unsigned rd() const { return field(4, 0); }
  constexpr unsigned rj() const { return field(9, 5); }
  constexpr unsigned rk() const { return field(14, 10); }
  constexpr unsigned cj() const { return field(7, 5); }

  constexpr unsigned ui5() const { return field(14, 10); }
  constexpr unsigned ui6() const { return field(15, 10); }
  constexpr unsigned ui12() const { return field(21, 10); }
  constexpr std::int64_t si12() const { return signed_field(21, 10); }
  constexpr std::int64_t si14() const { return signed_field(23, 10); }
  constexpr std::int64_t si16() const { return signed_field(25, 10); }
  constexpr std::int64_t si20() const { return signed_field(24, 5); }
  constexpr std::int64_t offs16() const { return si16() * 4; }
  constexpr std::int64_t offs21() const { return sign_extend(field(4, 0) << 16 | field(25, 10), 21) * 4; }
  constexpr std::int64_t offs26() const { return sign_extend(field(9, 0) << 16 | field(25, 10), 26) * 4; }

  constexpr unsigned sa2() const { return field(16, 15); }
  constexpr unsigned msbw() const { return field(20, 16); }
  constexpr unsigned lsbw() const { return field(14, 10); }
  constexpr unsigned msbd() const { return field(21, 16); }
  constexpr unsigned lsbd() const { return field(15, 10); }
  constexpr unsigned csr() const { return field(23, 10); }
  constexpr unsigned code() const { return field(14, 0); }
};

}  // namespace trapline::loongarch
