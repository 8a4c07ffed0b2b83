// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/places.h"

#include <array>
#include <charconv>
#include <optional>

namespace trapline::ppc {
namespace {

struct SprRow {
  std::uint16_t number;
  Place place;
};

constexpr std::array<SprRow, 48> spr_rows = {{
    {1, xer},      {3, dscr},     {8, lr},       {9, ctr},    {13, amr},    {17, dscr},   {18, dsisr},   {19, dar},
    {26, srr0},    {27, srr1},    {28, cfar},    {29, amr},   {58, csrr0},  {59, csrr1},  {61, iamr},    {62, esr},
    {256, vrsave}, {259, 56},     {272, 53},     {273, 54},   {274, 55},    {275, 56},    {276, 57},     {277, 58},
    {278, 59},     {279, 60},     {260, 57},     {261, 58},   {262, 59},    {263, 60},    {604, 61},     {605, 62},
    {304, hsprg0}, {305, hsprg1}, {306, hdsisr}, {307, hdar}, {314, hsrr0}, {315, hsrr1}, {570, mcsrr0}, {571, mcsrr1},
    {574, dsrr0},  {575, dsrr1},  {815, tar},    {896, ppr},  {980, esr},   {981, iamr},  {990, csrr0},  {991, csrr1},
}};

constexpr std::array<std::string_view, place_count> names = {
    "r0",    "r1",     "r2",    "r3",     "r4",     "r5",    "r6",    "r7",    "r8",    "r9",    "r10",   "r11",
    "r12",   "r13",    "r14",   "r15",    "r16",    "r17",   "r18",   "r19",   "r20",   "r21",   "r22",   "r23",
    "r24",   "r25",    "r26",   "r27",    "r28",    "r29",   "r30",   "r31",   "lr",    "ctr",   "cr0",   "cr1",
    "cr2",   "cr3",    "cr4",   "cr5",    "cr6",    "cr7",   "xer",   "srr0",  "srr1",  "hsrr0", "hsrr1", "csrr0",
    "csrr1", "dsrr0",  "dsrr1", "mcsrr0", "mcsrr1", "sprg0", "sprg1", "sprg2", "sprg3", "sprg4", "sprg5", "sprg6",
    "sprg7", "sprg8",  "sprg9", "hsprg0", "hsprg1", "msr",   "cfar",  "ppr",   "dar",   "dsisr", "amr",   "iamr",
    "hdar",  "hdsisr", "dscr",  "tar",    "vrsave", "esr",
};

// Volatile by the ELF calling conventions of both ABIs: r0, r3-r12, lr, ctr, xer, cr0, cr1, cr5-cr7.
bool is_call_clobbered(Place p) {
  if (p == r0 || (p >= r3 && p <= r12) || p == lr || p == ctr || p == xer) return true;
  return p == cr(0) || p == cr(1) || p == cr(5) || p == cr(6) || p == cr(7);
}

PlaceKind spr_kind(Place p, bool is64) {
  if (p >= srr0 && p <= mcsrr1) return PlaceKind::status;
  // Book3S 64 keeps the PACA in SPRG1 (HSPRG0 under no hypervisor); 32-bit kernels the thread_struct in SPRG3.
  if (is64 ? p == sprg1 || p == hsprg0 : p == sprg3) return PlaceKind::base;
  if ((p >= sprg0 && p < hsprg0) || p == hsprg1) return PlaceKind::scratch;
  return PlaceKind::system;
}

std::optional<unsigned> trailing_number(std::string_view text) {
  unsigned n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

Place spr_place(unsigned number) {
  for (const SprRow& row : spr_rows)
    if (row.number == number) return row.place;
  return no_place;
}

Place llvm_place(std::string_view name) {
  if (name == "LR" || name == "LR8") return lr;
  if (name == "CTR" || name == "CTR8") return ctr;
  if (name == "XER" || name == "CARRY") return xer;
  if (name.size() >= 3 && name.starts_with("CR") && name[2] >= '0' && name[2] <= '7')
    return cr(static_cast<unsigned>(name[2] - '0'));
  if (name.starts_with("X") || name.starts_with("R")) {
    const std::optional<unsigned> n = trailing_number(name.substr(1));
    if (n && *n < gpr_count) return gpr(*n);
  }
  return no_place;
}

std::vector<PlaceInfo> place_infos(bool is64) {
  std::vector<PlaceInfo> infos(place_count);
  for (Place p = 0; p < place_count; ++p) {
    PlaceInfo& info = infos[p];
    info.name = names[p];
    info.call_clobbered = is_call_clobbered(p);
    if (p < gpr_count) {
      info.kind = PlaceKind::general;
      info.user_visible = true;
    } else if (p == lr || p == ctr) {
      info.kind = PlaceKind::link;
      info.user_visible = true;
    } else if (p >= cr(0) && p <= cr(7)) {
      info.kind = PlaceKind::flags;
      info.user_visible = true;
    } else if (p == xer) {
      info.kind = PlaceKind::system;
      info.user_visible = true;
    } else {
      // AMR, PPR, DSCR, TAR and VRSAVE can be read by a user program as well, but C restores them at a task switch, or
      // feature sections at the exit; no entry path owes them to every caller.
      info.kind = spr_kind(p, is64);
      info.holds_privilege = p == srr1 || p == hsrr1 || p == csrr1 || p == dsrr1 || p == mcsrr1;
      info.survives_irq = info.kind == PlaceKind::base || (info.kind == PlaceKind::system && p != cfar && p != dar &&
                                                           p != dsisr && p != hdar && p != hdsisr && p != esr);
    }
  }
  // One number, two registers: IAMR on Book3S, the data exception address on embedded processors.
  if (!is64) {
    infos[iamr].name = "dear";
    infos[iamr].survives_irq = false;
  }
  // What the kernel owns while it runs: r13 is the PACA, on 32-bit r2 is current.
  infos[is64 ? r13 : r2].kernel_owned = true;
  return infos;
}

}  // namespace trapline::ppc
