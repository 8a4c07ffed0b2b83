// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/loongarch/regs.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace trapline::loongarch {
namespace {

// Names without a note are those of the manual. What C rewrites (interrupt enable, translation state on a switch of
// address space, everything that an exception overwrites) does not survive a call.
constexpr auto rows = std::to_array<CsrRow>({
    {0x00, "CRMD", PlaceKind::system, false},
    {0x01, "PRMD", PlaceKind::status, false},
    {0x02, "EUEN", PlaceKind::system, false},
    {0x03, "MISC", PlaceKind::system, true},
    {0x04, "ECFG", PlaceKind::system, false},
    {0x05, "ESTAT", PlaceKind::system, false},
    {0x06, "ERA", PlaceKind::status, false},
    {0x07, "BADV", PlaceKind::system, false},
    {0x08, "BADI", PlaceKind::system, false},
    {0x0c, "EENTRY", PlaceKind::system, true},
    {0x10, "TLBIDX", PlaceKind::system, false},
    {0x11, "TLBEHI", PlaceKind::system, false},
    {0x12, "TLBELO0", PlaceKind::system, false},
    {0x13, "TLBELO1", PlaceKind::system, false},
    {0x18, "ASID", PlaceKind::system, false},
    {0x19, "PGDL", PlaceKind::system, false},
    {0x1a, "PGDH", PlaceKind::system, true},
    {0x1b, "PGD", PlaceKind::system, false},
    {0x1c, "PWCL", PlaceKind::system, true},
    {0x1d, "PWCH", PlaceKind::system, true},
    {0x1e, "STLBPS", PlaceKind::system, true},
    {0x20, "CPUID", PlaceKind::system, true},
    // SAVE0 to SAVE8 of the manual. The kernel names them by use (asm/loongarch.h, EXCEPTION_KS0 and following).
    {0x30, "KS0", PlaceKind::scratch, false},      // user t0 while an exception enters
    {0x31, "KS1", PlaceKind::scratch, false},      // user t1
    {0x32, "KS2", PlaceKind::scratch, false},      // user ra in the TLB handlers
    {0x33, "PERCPU_BASE", PlaceKind::base, true},  // KS3
    {0x34, "KS4", PlaceKind::scratch, false},      // KVM: the virtual processor
    {0x35, "KS5", PlaceKind::scratch, false},
    {0x36, "KS6", PlaceKind::scratch, false},
    {0x37, "KS7", PlaceKind::scratch, false},
    {0x38, "KS8", PlaceKind::scratch, false},
    {0x60, "LLBCTL", PlaceKind::system, false},
    {0x88, "TLBRENTRY", PlaceKind::system, true},
    {0x89, "TLBRBADV", PlaceKind::system, false},
    {0x8a, "TLBRERA", PlaceKind::status, false},
    {0x8b, "TLBRSAVE", PlaceKind::scratch, false},
    {0x8c, "TLBRELO0", PlaceKind::system, false},
    {0x8d, "TLBRELO1", PlaceKind::system, false},
    {0x8e, "TLBREHI", PlaceKind::system, false},
    {0x8f, "TLBRPRMD", PlaceKind::status, false},
    {0x90, "MERRCTL", PlaceKind::status, false},
    {0x94, "MERRERA", PlaceKind::status, false},
    {0x95, "MERRSAVE", PlaceKind::scratch, false},
    {0x180, "DMW0", PlaceKind::system, true},
    {0x181, "DMW1", PlaceKind::system, true},
    {0x182, "DMW2", PlaceKind::system, true},
    {0x183, "DMW3", PlaceKind::system, true},
    {0x501, "DERA", PlaceKind::status, false},
    {0x502, "DSAVE", PlaceKind::scratch, false},
});
static_assert(std::ranges::is_sorted(rows, {}, &CsrRow::number));

}  // namespace

std::span<const CsrRow> csr_rows() { return rows; }

Place csr_place(unsigned number) {
  const auto row = std::ranges::lower_bound(rows, number, {}, &CsrRow::number);
  if (row == rows.end() || row->number != number) return no_place;
  return static_cast<Place>(gpr_count + fcc_count + static_cast<unsigned>(std::distance(rows.begin(), row)));
}

}  // namespace trapline::loongarch
