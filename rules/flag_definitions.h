// SPDX-License-Identifier: Apache-2.0
//
// What the bits of the thread-flags word are called, and which of them are work: from a kernel source, the
// configuration or the architecture's table.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trapline {

struct FlagDefinitions {
  std::vector<std::pair<std::uint8_t, std::string>> flags;  // by bit; one bit may have several names
  std::uint64_t work = 0;                                   // to be done before any return to user mode
  std::uint64_t syscall_work = 0;                           // besides, before a system call ends
  // Bits that depend on the kernel's configuration, or whose mask could not be made out: nothing is said about them.
  std::uint64_t uncertain = 0;
  std::string source;  // "arch/arm/include/asm/thread_info.h (--kernel-src)"

  // All bits that are certainly flags.
  std::uint64_t defined() const {
    std::uint64_t all = 0;
    for (const auto& [bit, name] : flags) all |= std::uint64_t{1} << bit;
    return all & ~uncertain;
  }
};

}  // namespace trapline
