// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <deque>
#include <string>

#include "disasm/arch/powerpc/facts.h"

namespace trapline::ppc {
namespace {

// Handlers of arch/powerpc/kernel/exceptions-64s.S, by the name that EXC_REAL, EXC_VIRT and EXC_COMMON give them. The
// vectors that the file calls "unused" hold zeros and are no entries.
constexpr std::array handlers_64s = std::to_array<std::string_view>({"system_reset",
                                                                     "machine_check",
                                                                     "machine_check_early",
                                                                     "machine_check_idle",
                                                                     "data_access",
                                                                     "data_access_slb",
                                                                     "instruction_access",
                                                                     "instruction_access_slb",
                                                                     "hardware_interrupt",
                                                                     "alignment",
                                                                     "program_check",
                                                                     "fp_unavailable",
                                                                     "decrementer",
                                                                     "hdecrementer",
                                                                     "doorbell_super",
                                                                     "single_step",
                                                                     "h_data_storage",
                                                                     "h_instr_storage",
                                                                     "emulation_assist",
                                                                     "hmi_exception_early",
                                                                     "hmi_exception",
                                                                     "h_doorbell",
                                                                     "h_virt_irq",
                                                                     "performance_monitor",
                                                                     "altivec_unavailable",
                                                                     "vsx_unavailable",
                                                                     "facility_unavailable",
                                                                     "h_facility_unavailable",
                                                                     "cbe_system_error",
                                                                     "instruction_breakpoint",
                                                                     "denorm_exception",
                                                                     "cbe_maintenance",
                                                                     "altivec_assist",
                                                                     "cbe_thermal",
                                                                     "soft_nmi"});

constexpr EntryRow row(std::string_view pattern, Role role, std::uint8_t contract, std::string_view versions,
                       std::string_view note, std::string_view unless = {}) {
  EntryRow r;
  r.pattern = pattern;
  r.role = role;
  r.contract = contract;
  r.versions = versions;
  r.note = note;
  r.unless = unless;
  return r;
}

constexpr std::array rows_64 = std::to_array<EntryRow>({
    row("system_call_common", Role::syscall_entry, contract_syscall, "", "sc"),
    row("system_call_common_real", Role::syscall_entry, contract_syscall, "5.8-", "sc, taken with the MMU off"),
    row("system_call_vectored_common", Role::syscall_entry, contract_syscall_vectored, "5.9-", "scv 0"),
    row("system_call_vectored_sigill", Role::syscall_entry, contract_syscall_vectored, "5.9-", "scv 1 to 127"),
    row("interrupt_return_srr", Role::return_to_user, contract_frame, "5.14-", "return through SRR0/1"),
    row("interrupt_return_hsrr", Role::return_to_user, contract_frame, "5.14-", "return through HSRR0/1"),
    row("fast_interrupt_return_srr", Role::return_to_user, contract_frame, "5.14-", "return without exit work"),
    row("interrupt_return", Role::return_to_user, contract_frame, "5.8-5.13; embedded", "return from an interrupt"),
    row("fast_interrupt_return", Role::return_to_user, contract_frame, "5.8-5.13; embedded", "without exit work"),
    row("ret_from_except", Role::return_to_user, contract_frame, "-5.7", "return from an interrupt, all registers"),
    row("ret_from_except_lite", Role::return_to_user, contract_frame, "-5.7", "return from an interrupt"),
    row("fast_exception_return", Role::return_to_user, contract_frame, "-5.7", "return without exit work"),
    row("ret_from_fork", Role::fork_return, contract_new_task, "", "new task, entered by sc"),
    row("ret_from_fork_scv", Role::fork_return, contract_new_task, "6.1-", "new task, entered by scv"),
    row("ret_from_kernel_thread", Role::fork_return, contract_new_task, "-6.3", "new kernel thread"),
    row("ret_from_kernel_user_thread", Role::fork_return, contract_new_task, "6.4-", "kernel thread that execs"),
    row("start_kernel_thread", Role::fork_return, contract_new_task, "6.4-", "new kernel thread"),
    row("_switch", Role::context_switch, contract_function, "", "from one task's stack to the next one's"),
    row("exc_real_0x*_system_call", Role::vector, contract_vector_sc, "4.10-", "sc, MMU off"),
    row("exc_virt_0x*_system_call", Role::vector, contract_vector_sc, "4.10-", "sc, MMU on"),
    row("exc_virt_0x*_system_call_vectored", Role::vector, contract_vector_scv, "5.9-", "scv"),
    row("exc_data_tlb_miss_*", Role::tlb_handler, contract_vector, "", "embedded: data TLB miss"),
    row("exc_instruction_tlb_miss_*", Role::tlb_handler, contract_vector, "", "embedded: instruction TLB miss"),
    row("exc_system_call_book3e", Role::vector, contract_vector_sc, "", "embedded: sc"),
    row("exc_*_book3e", Role::vector, contract_vector, "", "embedded vector"),
});

constexpr std::array rows_32 = std::to_array<EntryRow>({
    row("transfer_to_syscall", Role::syscall_entry, contract_syscall_32, "5.13-", "system call, MMU on", "DoSyscall"),
    row("DoSyscall", Role::syscall_entry, contract_frame_user, "-5.12", "system call, frame built"),
    row("ret_from_syscall", Role::return_to_user, contract_frame_user, "", "system-call exit"),
    row("interrupt_return", Role::return_to_user, contract_frame, "5.13-", "return from an interrupt"),
    row("fast_exception_return", Role::return_to_user, contract_fast_32, "", "return without exit work"),
    row("ret_from_except_full", Role::return_to_user, contract_frame, "-5.12", "return, r13-r31 from the frame"),
    row("ret_from_except", Role::return_to_user, contract_frame, "-5.12", "return from an interrupt"),
    row("ret_from_crit_exc", Role::return_to_user, contract_frame, "", "embedded: from a critical interrupt"),
    row("ret_from_debug_exc", Role::return_to_user, contract_frame, "", "embedded: from a debug interrupt"),
    row("ret_from_mcheck_exc", Role::return_to_user, contract_frame, "", "embedded: from a machine check"),
    row("ret_from_fork", Role::fork_return, contract_new_task, "", "new task"),
    row("ret_from_kernel_thread", Role::fork_return, contract_new_task, "-6.3", "new kernel thread"),
    row("ret_from_kernel_user_thread", Role::fork_return, contract_new_task, "6.4-", "kernel thread that execs"),
    row("start_kernel_thread", Role::fork_return, contract_new_task, "6.4-", "new kernel thread"),
    row("_switch", Role::context_switch, contract_function, "", "from one task's stack to the next one's"),
    row("SystemCall", Role::vector, contract_vector_sc, "", "sc"),
    // Book3S and 8xx: head_book3s_32.S, head_8xx.S. Embedded: head_44x.S, head_85xx.S.
    row("Reset", Role::vector, contract_vector, "", ""),
    row("MachineCheck", Role::vector, contract_vector, "", ""),
    row("DataAccess", Role::vector, contract_vector, "", ""),
    row("InstructionAccess", Role::vector, contract_vector, "", ""),
    row("HardwareInterrupt", Role::vector, contract_vector, "", ""),
    row("Alignment", Role::vector, contract_vector, "", ""),
    row("ProgramCheck", Role::vector, contract_vector, "", ""),
    row("FPUnavailable", Role::vector, contract_vector, "", ""),
    row("Decrementer", Role::vector, contract_vector, "", ""),
    row("SingleStep", Role::vector, contract_vector, "", ""),
    row("PerformanceMonitor", Role::vector, contract_vector, "", ""),
    row("AltiVecUnavailable", Role::vector, contract_vector, "", ""),
    row("SoftEmu", Role::vector, contract_vector, "", "8xx"),
    row("DataBreakpoint", Role::vector, contract_vector, "", "8xx"),
    row("InstructionBreakpoint", Role::vector, contract_vector, "", "8xx"),
    row("CriticalInput", Role::vector, contract_vector, "", "embedded"),
    row("DataStorage", Role::vector, contract_vector, "", "embedded"),
    row("InstructionStorage", Role::vector, contract_vector, "", "embedded"),
    row("ExternalInput", Role::vector, contract_vector, "", "embedded"),
    row("Program", Role::vector, contract_vector, "", "embedded"),
    row("FloatingPointUnavailable", Role::vector, contract_vector, "", "embedded"),
    row("AuxillaryProcessorUnavailable", Role::vector, contract_vector, "", "embedded; the kernel's spelling"),
    row("FixedIntervalTimer", Role::vector, contract_vector, "", "embedded"),
    row("WatchdogTimer", Role::vector, contract_vector, "", "embedded"),
    row("DebugCrit", Role::vector, contract_vector, "", "embedded"),
    row("DebugDebug", Role::vector, contract_vector, "", "embedded"),
    row("InstructionTLBMiss", Role::tlb_handler, contract_vector, "", "603, 8xx"),
    row("DataLoadTLBMiss", Role::tlb_handler, contract_vector, "", "603"),
    row("DataStoreTLBMiss", Role::tlb_handler, contract_vector, "", "603, 8xx"),
    row("DTLBMiss", Role::tlb_handler, contract_vector, "-6.12", "40x"),
    row("ITLBMiss", Role::tlb_handler, contract_vector, "-6.12", "40x"),
    row("DataTLBError*", Role::tlb_handler, contract_vector, "", "8xx; embedded"),
    row("InstructionTLBError*", Role::tlb_handler, contract_vector, "", "8xx; embedded"),
});

// Names made from handlers_64s; a row holds views of them.
const std::deque<std::string>& handler_patterns() {
  static const std::deque<std::string> patterns = [] {
    std::deque<std::string> made;
    for (std::string_view name : handlers_64s) {
      const std::string n{name};
      for (const std::string& p :
           {"exc_real_0x*_" + n, "exc_virt_0x*_" + n, n + "_common_virt", n + "_common_real", n + "_common"})
        made.push_back(p);
    }
    return made;
  }();
  return patterns;
}

}  // namespace

std::vector<EntryRow> entry_rows(bool is64) {
  if (!is64) return {rows_32.begin(), rows_32.end()};
  std::vector<EntryRow> rows{rows_64.begin(), rows_64.end()};
  for (const std::string& pattern : handler_patterns()) {
    if (pattern.starts_with("exc_"))
      rows.push_back(row(pattern, Role::vector, contract_vector, "4.10-", "Book3S vector"));
    else
      rows.push_back(row(pattern, Role::exception_entry, contract_exception, "", "Book3S handler"));
  }
  return rows;
}

}  // namespace trapline::ppc
