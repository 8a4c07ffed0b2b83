// SPDX-License-Identifier: Apache-2.0
//
// The word of thread flags on 32-bit ARM, and what it takes to test some bits of it.
#include "disasm/arch/arm/thread_flags.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <vector>

#include "disasm/arch/arm/places.h"

namespace trapline::arm_arch {

namespace {

using Bits = std::vector<std::pair<std::string_view, std::uint8_t>>;

// arch/arm/include/asm/thread_info.h: commit 32d59773da38 ("arm: add support for TIF_NOTIFY_SIGNAL", 5.11) added bit 8,
// commit 191f8453fc99 ("ARM: renumber bits related to _TIF_WORK_MASK", 6.2-rc3) moved it to 4 and tracing to 20-23.
const Bits& numbered_first() {
  static const Bits bits = {{"TIF_SIGPENDING", 0},
                            {"TIF_NEED_RESCHED", 1},
                            {"TIF_NOTIFY_RESUME", 2},
                            {"TIF_UPROBE", 3},
                            {"TIF_SYSCALL_TRACE", 4},
                            {"TIF_SYSCALL_AUDIT", 5},
                            {"TIF_SYSCALL_TRACEPOINT", 6},
                            {"TIF_SECCOMP", 7},
                            {"TIF_NOTIFY_SIGNAL", 8},
                            {"TIF_USING_IWMMXT", 17},
                            {"TIF_MEMDIE", 18},
                            {"TIF_RESTORE_SIGMASK", 20}};
  return bits;
}

const Bits& renumbered() {
  static const Bits bits = {{"TIF_SIGPENDING", 0},     {"TIF_NEED_RESCHED", 1},        {"TIF_NOTIFY_RESUME", 2},
                            {"TIF_UPROBE", 3},         {"TIF_NOTIFY_SIGNAL", 4},       {"TIF_USING_IWMMXT", 17},
                            {"TIF_MEMDIE", 18},        {"TIF_RESTORE_SIGMASK", 19},    {"TIF_SYSCALL_TRACE", 20},
                            {"TIF_SYSCALL_AUDIT", 21}, {"TIF_SYSCALL_TRACEPOINT", 22}, {"TIF_SECCOMP", 23}};
  return bits;
}

ThreadFlagRow row(KernelVersion from, KernelVersion until, const Bits& bits, std::string_view source) {
  return {from,
          until,
          bits,
          {"TIF_SIGPENDING", "TIF_NEED_RESCHED", "TIF_NOTIFY_RESUME", "TIF_UPROBE", "TIF_NOTIFY_SIGNAL"},
          {"TIF_SYSCALL_TRACE", "TIF_SYSCALL_AUDIT", "TIF_SYSCALL_TRACEPOINT", "TIF_SECCOMP"},
          source};
}

// A stable series has the new numbers from its release of January 2023 on. The releases right before and after the
// review of the backport are left out: nobody has looked at them.
std::vector<ThreadFlagRow> make_table() {
  constexpr std::string_view first = "32d59773da38 (5.11) and before 191f8453fc99 (6.2)";
  constexpr std::string_view backport = "191f8453fc99, in the stable series since January 2023";
  constexpr std::string_view mainline = "191f8453fc99 (6.2); read in 6.12.117";
  return {
      row({5, 11, 0}, {5, 15, 86}, numbered_first(), first),
      row({5, 15, 88}, {5, 16, 0}, renumbered(), backport),
      row({5, 16, 0}, {6, 0, 18}, numbered_first(), first),
      row({6, 0, 20}, {6, 1, 0}, renumbered(), backport),
      row({6, 1, 0}, {6, 1, 4}, numbered_first(), first),
      row({6, 1, 6}, {6, 2, 0}, renumbered(), "191f8453fc99, in the stable series since January 2023; read in 6.1.192"),
      row({6, 2, 0}, {6, 13, 0}, renumbered(), mainline),
  };
}

// Eight bits, rotated right by an even number (ARM ARM, A5.2.4).
bool is_immediate(std::uint32_t value) {
  for (int turn = 0; turn < 32; turn += 2)
    if (std::rotl(value, turn) <= 0xff) return true;
  return false;
}

// `movs` with a shift that leaves the wanted bits and no other defined ones. One of bits 0 to n-1 or of n to 31.
std::optional<std::string> by_shift(std::uint32_t wanted, std::uint32_t defined) {
  for (unsigned n = 31; n > 0; --n) {  // the fewest bits
    const std::uint32_t low = 0xffffffffu >> n, high = 0xffffffffu << n;
    if ((wanted & ~low) == 0 && (defined & low) == wanted) return fmt::format("movs rN, rN, lsl #{}", n);
    if ((wanted & ~high) == 0 && (defined & high) == wanted) return fmt::format("movs rN, rN, lsr #{}", n);
  }
  return std::nullopt;
}

// Two immediates that make up the mask.
std::optional<std::string> by_two(std::uint32_t wanted) {
  for (int turn = 0; turn < 32; turn += 2) {
    const std::uint32_t one = wanted & std::rotr(0xffu, turn), other = wanted & ~one;
    if (one != 0 && is_immediate(other)) return fmt::format("tst rN, #{:#x}; tsteq rN, #{:#x}", one, other);
  }
  return std::nullopt;
}

}  // namespace

std::string flags_test(std::uint32_t wanted, std::uint32_t defined) {
  if (is_immediate(wanted)) return fmt::format("tst rN, #{:#x}", wanted);
  if (const std::optional<std::string> shift = by_shift(wanted, defined)) return *shift;
  if (const std::optional<std::string> two = by_two(wanted)) return *two;
  return fmt::format("ldr rM, ={:#x}; tst rN, rM", wanted);
}

ThreadFlags make_thread_flags() {
  ThreadFlags flags;
  // tsk of entry-header.S is r9: from 5.16 on current, out of TPIDRURO or, without that register, of the variable
  // __current (asm/assembler.h, get_current); before, the bottom of the stack.
  flags.current = {tpidruro};
  flags.at_exit = {r9};
  flags.variables = {"__current"};
  flags.under_stack = true;
  flags.offset = 0;  // arch/arm/include/asm/thread_info.h: the first member
  flags.width = 4;
  flags.directory = "arm";
  flags.work = "_TIF_WORK_MASK";
  flags.syscall_work = "_TIF_SYSCALL_WORK";
  flags.table = make_table();
  return flags;
}

}  // namespace trapline::arm_arch
