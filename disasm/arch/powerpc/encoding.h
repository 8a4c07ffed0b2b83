// SPDX-License-Identifier: Apache-2.0
//
// The fields of an instruction word, as Power ISA 3.1 (Book I, section 1.6) draws them: bit 0 is the most significant
// one.
#pragma once

#include <cstdint>

namespace trapline::ppc {

// The low `bits` bits of `value`, sign-extended.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t mask = (sign << 1) - 1;
  return static_cast<std::int64_t>(((value & mask) ^ sign) - sign);
}

// MASK(first, last) of the manual, bits 0..63: ones from `first` to `last`, around the end where first > last.
constexpr std::uint64_t mask64(unsigned first, unsigned last) {
  const std::uint64_t from_first = ~std::uint64_t{0} >> first;
  const std::uint64_t up_to_last = ~std::uint64_t{0} << (63 - last);
  return first <= last ? from_first & up_to_last : from_first | up_to_last;
}

struct Encoding {
  std::uint32_t word = 0;

  constexpr std::uint32_t field(unsigned first, unsigned last) const {
    return (word >> (31 - last)) & static_cast<std::uint32_t>((std::uint64_t{1} << (last - first + 1)) - 1);
  }
  constexpr bool bit(unsigned n) const { return field(n, n) != 0; }

  constexpr unsigned opcd() const { return field(0, 5); }
  constexpr unsigned rt() const { return field(6, 10); }   // also RS, FRT, VRT, TO, BO
  constexpr unsigned ra() const { return field(11, 15); }  // also BI
  constexpr unsigned rb() const { return field(16, 20); }  // also SH, NB
  constexpr unsigned bf() const { return field(6, 8); }
  constexpr unsigned l() const { return field(10, 10); }
  constexpr unsigned to() const { return field(6, 10); }
  constexpr unsigned xo() const { return field(21, 30); }
  constexpr bool rc() const { return bit(31); }
  constexpr bool lk() const { return bit(31); }
  constexpr bool aa() const { return bit(30); }

  constexpr std::int64_t si() const { return sign_extend(field(16, 31), 16); }
  constexpr std::uint64_t ui() const { return field(16, 31); }
  constexpr std::int64_t ds() const { return sign_extend(field(16, 29), 14) * 4; }
  constexpr std::int64_t dq() const { return sign_extend(field(16, 27), 12) * 16; }
  constexpr std::int64_t li() const { return sign_extend(field(6, 29), 24) * 4; }
  constexpr std::int64_t bd() const { return sign_extend(field(16, 29), 14) * 4; }

  constexpr unsigned bo() const { return field(6, 10); }
  constexpr unsigned bi() const { return field(11, 15); }
  constexpr unsigned bh() const { return field(19, 20); }

  // M form (rlwinm): SH, MB, ME of five bits.
  constexpr unsigned sh() const { return field(16, 20); }
  constexpr unsigned mb() const { return field(21, 25); }
  constexpr unsigned me() const { return field(26, 30); }
  // MD form (rldicl): SH is split, bit 30 is its most significant bit; MB or ME likewise with bit 26.
  constexpr unsigned sh6() const { return field(30, 30) << 5 | field(16, 20); }
  constexpr unsigned mb6() const { return field(26, 26) << 5 | field(21, 25); }

  // XFX form: the halves of a special register's number are swapped.
  constexpr unsigned spr() const { return field(16, 20) << 5 | field(11, 15); }
  constexpr unsigned fxm() const { return field(12, 19); }
};

}  // namespace trapline::ppc
