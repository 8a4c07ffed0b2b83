// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "disasm/arch/facts.h"
#include "disasm/image/image.h"

namespace trapline::ppc {

// Where pt_regs lies above the stack pointer while the kernel runs on the frame: STACK_FRAME_OVERHEAD, called
// STACK_INT_FRAME_REGS since 6.2 (arch/powerpc/include/asm/ptrace.h).
inline constexpr std::int64_t regs_at_64_v1 = 112;  // ELFv1, and every 64-bit kernel before 6.2
inline constexpr std::int64_t regs_at_64_v2 = 48;   // ELFv2, since 6.2
inline constexpr std::int64_t regs_at_32 = 16;

// What a kernel of that kind promises, with pt_regs `regs_at` above the stack pointer.
Facts make_facts(bool is64, std::int64_t regs_at);
// Which of the two a 64-bit image is: read off the first `addi rX,r1,N` of its system-call or interrupt return.
// regs_at_64_v1 where there is no such code.
std::int64_t regs_offset_64(const Image& image);

// The rows of the entry table, in facts_entries.cc; contracts are numbered as make_facts lists them.
enum : std::uint8_t {
  contract_vector,            // straight from the interrupt
  contract_vector_sc,         // the same, by a system call instruction
  contract_vector_scv,        // the same, by scv
  contract_syscall,           // system_call_common
  contract_syscall_vectored,  // system_call_vectored_common
  contract_exception,         // *_common
  contract_frame,             // pt_regs is built: return from an interrupt
  contract_frame_user,        // the same, to user mode: system-call exit, new task
  contract_function,          // a C function's view
  contract_syscall_32,        // transfer_to_syscall since 5.13
  contract_fast_32,           // fast_exception_return
  contract_new_task           // pt_regs is built, for a task that runs for the first time
};
std::vector<EntryRow> entry_rows(bool is64);

}  // namespace trapline::ppc
