// SPDX-License-Identifier: Apache-2.0
//
// The places of LoongArch, by number: general registers, floating-point condition flags, control and status registers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "disasm/arch/facts.h"
#include "disasm/insn.h"

namespace trapline::loongarch {

// r0..r31 are places 0..31.
inline constexpr unsigned gpr_count = 32;
constexpr Place gpr(unsigned number) { return static_cast<Place>(number); }
inline constexpr Place zero = 0, ra = 1, tp = 2, sp = 3, a0 = 4, a7 = 11, t0 = 12, t1 = 13, u0 = 21, fp = 22;

// fcc0..fcc7 follow.
inline constexpr unsigned fcc_count = 8;
constexpr Place fcc(unsigned number) { return static_cast<Place>(gpr_count + number); }

// A control and status register that is followed as a place.
struct CsrRow {
  std::uint16_t number;   // LoongArch Reference Manual, volume 1, chapter 7, table of control and status registers
  std::string_view name;  // as the manual calls it; the kernel's names where they are better known
  PlaceKind kind;
  bool survives_irq;  // C and interrupts leave it alone
};
std::span<const CsrRow> csr_rows();

// The place of control and status register `number`, or no_place when it is not followed.
Place csr_place(unsigned number);

namespace csr {
inline constexpr unsigned crmd = 0x0, prmd = 0x1, euen = 0x2, ecfg = 0x4, estat = 0x5, era = 0x6, badv = 0x7,
                          tlbidx = 0x10, tlbehi = 0x11, tlbelo0 = 0x12, tlbelo1 = 0x13, asid = 0x18, ks0 = 0x30,
                          ks1 = 0x31, tlbrelo0 = 0x8c, tlbrelo1 = 0x8d;
}  // namespace csr

}  // namespace trapline::loongarch
