// SPDX-License-Identifier: Apache-2.0
//
// The places of PowerPC, by number: general registers, link and count register, condition fields, special registers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "disasm/arch/facts.h"
#include "disasm/insn.h"

namespace trapline::ppc {

// r0..r31 are places 0..31.
inline constexpr unsigned gpr_count = 32;
constexpr Place gpr(unsigned number) { return static_cast<Place>(number); }
inline constexpr Place r0 = 0, r1 = 1, r2 = 2, r3 = 3, r9 = 9, r10 = 10, r11 = 11, r12 = 12, r13 = 13;
inline constexpr Place lr = 32, ctr = 33;
// cr0..cr7 follow, each a flags place of its own.
inline constexpr unsigned cr_count = 8;
constexpr Place cr(unsigned field) { return static_cast<Place>(34 + field); }
inline constexpr Place xer = 42;
inline constexpr Place first_spr = 43;

inline constexpr Place srr0 = 43, srr1 = 44, hsrr0 = 45, hsrr1 = 46, csrr0 = 47, csrr1 = 48, dsrr0 = 49, dsrr1 = 50,
                       mcsrr0 = 51, mcsrr1 = 52;
inline constexpr Place sprg0 = 53;  // sprg0..sprg9 are consecutive
inline constexpr Place sprg1 = 54, sprg3 = 56;
inline constexpr Place hsprg0 = 63, hsprg1 = 64, msr = 65, cfar = 66, ppr = 67, dar = 68, dsisr = 69, amr = 70,
                       iamr = 71, hdar = 72, hdsisr = 73, dscr = 74, tar = 75, vrsave = 76, esr = 77;
inline constexpr unsigned place_count = 78;

// The place of special register `number` (Power ISA 3.1 Book III, table of SPR numbers; Book III-E of 2.07 for the
// embedded ones), or no_place when it is not followed.
Place spr_place(unsigned number);
// The place of a register that LLVM MC names ("X3", "R3", "CR0", "CR0EQ", "LR8", "CTR", "XER", "CARRY"), or no_place.
Place llvm_place(std::string_view name);
// All places in order, as a 64-bit or a 32-bit kernel uses them.
std::vector<PlaceInfo> place_infos(bool is64);

}  // namespace trapline::ppc
