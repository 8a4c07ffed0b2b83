// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/loongarch/facts.h"

#include <algorithm>
#include <array>

#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {
namespace {

// ABI names (LoongArch ELF psABI, "Register Convention"); r21 is reserved there, the kernel calls it u0.
constexpr std::array<std::string_view, gpr_count> gpr_names = {
    "zero", "ra", "tp", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3",
    "t4",   "t5", "t6", "t7", "t8", "u0", "fp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"};

constexpr std::array<std::string_view, fcc_count> fcc_names = {"fcc0", "fcc1", "fcc2", "fcc3",
                                                               "fcc4", "fcc5", "fcc6", "fcc7"};

std::vector<PlaceInfo> make_places() {
  std::vector<PlaceInfo> places;
  for (unsigned r = 0; r < gpr_count; ++r) {
    PlaceInfo info{.name = gpr_names[r]};
    if (r == zero) {
      info.kind = PlaceKind::zero;
    } else {
      info.user_visible = true;
      // psABI: ra, a0-a7, t0-t8 are not preserved. tp (the current thread_info) and u0 (the per-CPU base) are never
      // touched by C, which is built with -ffixed-r21 and has no thread-local storage.
      info.call_clobbered = r == ra || (r >= a0 && r < u0);
      // RESTORE_SOME reloads every register from the frame except u0, which it reloads only for user mode: in the
      // kernel it goes on holding the per-CPU base.
      info.kernel_owned = r == u0;
    }
    places.push_back(info);
  }
  // Written by kernel_fpu_begin sections only; the user's are saved with the floating-point context, which is not
  // followed.
  for (const std::string_view name : fcc_names) {
    places.push_back({.name = name, .kind = PlaceKind::system, .call_clobbered = true});
  }
  for (const CsrRow& row : csr_rows()) {
    places.push_back({.name = row.name,
                      .kind = row.kind,
                      .holds_privilege = csr_place(row.number) == csr_place(csr::prmd),
                      .survives_irq = row.survives_irq});
  }
  return places;
}

// struct pt_regs: 32 general registers, then the words named below, each as wide as a register. The names are those of
// arch/loongarch/kernel/asm-offsets.c.
FrameLayout make_frame(unsigned register_bytes) {
  static constexpr std::array<std::string_view, gpr_count> names = {
      "PT_R0",  "PT_R1",  "PT_R2",  "PT_R3",  "PT_R4",  "PT_R5",  "PT_R6",  "PT_R7",  "PT_R8",  "PT_R9",  "PT_R10",
      "PT_R11", "PT_R12", "PT_R13", "PT_R14", "PT_R15", "PT_R16", "PT_R17", "PT_R18", "PT_R19", "PT_R20", "PT_R21",
      "PT_R22", "PT_R23", "PT_R24", "PT_R25", "PT_R26", "PT_R27", "PT_R28", "PT_R29", "PT_R30", "PT_R31"};
  FrameLayout frame;
  frame.source = "arch/loongarch/include/asm/ptrace.h, struct pt_regs (5.19-)";
  const auto add = [&](std::string_view name, SlotKind kind, Place place, std::string_view member,
                       std::uint8_t element = 0) {
    frame.slots.push_back({name, frame.size, static_cast<std::uint8_t>(register_bytes), kind, place, member, element});
    frame.size += register_bytes;
  };
  // r0 is always zero: its word holds the system-call number plus one while a system call can be restarted.
  add(names[0], SlotKind::bookkeeping, no_place, "regs");
  for (std::uint8_t r = 1; r < gpr_count; ++r) add(names[r], SlotKind::user_register, gpr(r), "regs", r);
  add("PT_ORIG_A0", SlotKind::bookkeeping, no_place, "orig_a0");
  add("PT_ERA", SlotKind::return_state, csr_place(csr::era), "csr_era");
  add("PT_BVADDR", SlotKind::bookkeeping, csr_place(csr::badv), "csr_badvaddr");
  add("PT_CRMD", SlotKind::bookkeeping, csr_place(csr::crmd), "csr_crmd");
  add("PT_PRMD", SlotKind::return_state, csr_place(csr::prmd), "csr_prmd");
  add("PT_EUEN", SlotKind::bookkeeping, csr_place(csr::euen), "csr_euen");
  add("PT_ECFG", SlotKind::bookkeeping, csr_place(csr::ecfg), "csr_ecfg");
  add("PT_ESTAT", SlotKind::bookkeeping, csr_place(csr::estat), "csr_estat");
  return frame;
}

// Indices into Facts::contracts.
enum ContractIndex : std::uint8_t { interrupted, system_call, from_stub, from_tlb_handler, frame_built, function };
// Indices into Facts::conventions.
enum ConventionIndex : std::uint8_t { by_exception, by_system_call, by_new_task };

std::vector<Contract> make_contracts() {
  std::vector<Contract> contracts(6);
  contracts[interrupted].kind = ContractKind::interrupted;

  contracts[system_call].kind = ContractKind::interrupted;
  contracts[system_call].convention = by_system_call;
  contracts[system_call].from = Contract::From::user;  // the kernel makes no system calls

  // handle_sys has jumped through t0, so the user's t0 is gone: the system-call convention lets t0-t8 change.
  contracts[from_stub].kind = ContractKind::interrupted;
  contracts[from_stub].convention = by_system_call;
  contracts[from_stub].from = Contract::From::user;
  contracts[from_stub].specials = {{t0, no_place, "address of the handler, put there by the copied stub handle_sys"}};

  // The TLB handlers park the user's t0, t1 and ra in KS0, KS1, KS2 and put ra back before they jump through t0.
  contracts[from_tlb_handler].kind = ContractKind::interrupted;
  contracts[from_tlb_handler].specials = {
      {csr_place(csr::ks0), t0, "user t0, parked by the TLB handler"},
      {csr_place(csr::ks1), t1, "user t1, parked by the TLB handler"},
      {t0, no_place, "address of this routine, put there by the TLB handler"},
      {t1, no_place, "what the page-table walk left"},
  };

  // copy_thread makes the child's stack pointer the address of its pt_regs.
  contracts[frame_built].kind = ContractKind::frame_built;
  contracts[frame_built].convention = by_new_task;
  contracts[frame_built].all_kernel = true;
  contracts[frame_built].specials = {{tp, no_place, "thread_info of the new task"}, {u0, no_place, "per-CPU base"}};
  contracts[function].kind = ContractKind::function;
  return contracts;
}

// The system-call convention lets t0-t8 change and nothing else but the result (Documentation of the C library's
// syscall wrappers; arch/loongarch/include/asm/vdso/gettimeofday.h lists them as clobbered).
std::vector<Convention> make_conventions() {
  std::vector<Convention> conventions(3);
  conventions[by_exception].name = "an exception";
  conventions[by_system_call].name = "a system call";
  conventions[by_new_task].name = "the system call that made the task";
  for (unsigned r = t0; r < u0; ++r) {
    const Place place = gpr(r);
    conventions[by_system_call].may_change.push_back({place, false, "the system-call convention lets it change"});
    conventions[by_new_task].may_change.push_back(
        {place, true, "the exit of a new task has never reloaded t0-t8: entry.S, ret_from_fork, since 5.19"});
  }
  return conventions;
}

std::vector<EntryRow> make_entries() {
  constexpr Role exception = Role::exception_entry;
  constexpr Role tlb = Role::tlb_handler;
  return {
      {"handle_syscall", Role::syscall_entry, from_stub, "5.19-", "system call"},
      {"handle_sys", Role::syscall_entry, system_call, "5.19-", "stub of the system-call vector, copied to eentry"},

      {"ret_from_fork_asm", Role::fork_return, frame_built, "6.15-", "first return of a forked task"},
      {"ret_from_kernel_thread_asm", Role::fork_return, frame_built, "6.15-", "first run of a kernel thread"},
      {"ret_from_fork", Role::fork_return, frame_built, "5.19-6.14", "first return of a forked task",
       "ret_from_fork_asm"},
      {"ret_from_kernel_thread", Role::fork_return, frame_built, "5.19-6.14", "first run of a kernel thread",
       "ret_from_kernel_thread_asm"},

      {"handle_vint", exception, interrupted, "5.19-", "interrupt"},
      {"handle_ade", exception, interrupted, "5.19-", "address error"},
      {"handle_ale", exception, interrupted, "5.19-", "unaligned access"},
      {"handle_bce", exception, interrupted, "6.5-", "bound check"},
      {"handle_bp", exception, interrupted, "5.19-", "breakpoint"},
      {"handle_fpe", exception, interrupted, "5.19-", "floating-point exception"},
      {"handle_fpu", exception, interrupted, "5.19-", "floating point is off"},
      {"handle_lsx", exception, interrupted, "5.19-", "128-bit vectors are off"},
      {"handle_lasx", exception, interrupted, "5.19-", "256-bit vectors are off"},
      {"handle_lbt", exception, interrupted, "5.19-", "binary translation is off"},
      {"handle_ri", exception, interrupted, "5.19-", "reserved instruction"},
      {"handle_watch", exception, interrupted, "5.19-", "watchpoint"},
      {"handle_reserved", exception, interrupted, "5.19-", "exception without a handler"},
      {"tlb_do_page_fault_0", exception, from_tlb_handler, "5.19-", "page fault on a load or fetch"},
      {"tlb_do_page_fault_1", exception, from_tlb_handler, "5.19-", "page fault on a store"},

      {"handle_tlb_refill", tlb, interrupted, "5.19-", "page-table walk of the refill exception"},
      {"handle_tlb_load", tlb, interrupted, "5.19-", "invalid page on a load or fetch"},
      {"handle_tlb_store", tlb, interrupted, "5.19-", "invalid page on a store"},
      {"handle_tlb_modify", tlb, interrupted, "5.19-", "store to a clean page"},
      {"handle_tlb_protect", tlb, interrupted, "5.19-", "page without the right to read, execute or be seen"},
      {"handle_tlb_load_ptw", tlb, interrupted, "6.6-", "the same with a hardware page-table walker"},
      {"handle_tlb_store_ptw", tlb, interrupted, "6.6-", "the same with a hardware page-table walker"},
      {"handle_tlb_modify_ptw", tlb, interrupted, "6.6-", "the same with a hardware page-table walker"},

      {"except_vec_cex", Role::vector, interrupted, "5.19-", "machine error (cache parity)"},
      {"__switch_to", Role::context_switch, function, "5.19-", "switch of tasks"},
      {"__vdso_*", Role::vdso, function, "5.19-", "exported by the vDSO"},
  };
}

std::vector<NamedFunction> make_no_return() {
  return {
      {"cache_parity_error", "arch/loongarch/kernel/traps.c: ends in panic"},
      {"panic", "stops the machine"},
      {"vpanic", "stops the machine (6.16-)"},
      {"nmi_panic", "panics, or waits for the processor that does"},
      {"nmi_panic_self_stop", "waits for the processor that panics"},
      {"do_exit", "ends the current task"},
      {"do_group_exit", "ends the current process"},
      {"make_task_dead", "ends the current task after an oops"},
      {"kthread_exit", "ends the current kernel thread"},
      {"kthread_complete_and_exit", "ends the current kernel thread"},
      {"__module_put_and_kthread_exit", "ends the current kernel thread"},
      {"machine_halt", "arch/loongarch/kernel/reset.c: idles forever"},
      {"machine_power_off", "arch/loongarch/kernel/reset.c: idles forever"},
      {"machine_restart", "arch/loongarch/kernel/reset.c: idles forever"},
      {"start_kernel", "becomes the idle task"},
      {"start_secondary", "becomes the idle task"},
      {"rest_init", "becomes the idle task"},
      {"cpu_startup_entry", "the idle loop"},
      {"arch_cpu_idle_dead", "a processor that was taken offline waits to be started anew"},
      {"stop_this_cpu", "idles forever"},
      {"__stack_chk_fail", "a broken stack canary: panics"},
      {"fortify_panic", "a buffer overflow was caught: BUG"},
      {"__fortify_panic", "a buffer overflow was caught: BUG"},
      {"usercopy_abort", "a bad copy to or from user space was caught: BUG"},
      {"__ubsan_handle_builtin_unreachable", "unreachable code was reached: panics"},
  };
}

}  // namespace

Facts make_facts(unsigned register_bytes) {
  Facts facts;
  facts.places = make_places();
  facts.stack_pointer = sp;
  facts.link = ra;
  facts.result = a0;
  facts.status = csr_place(csr::prmd);
  facts.register_bytes = static_cast<std::uint8_t>(register_bytes);
  // PRMD.PPLV, bits 1:0: the privilege level to return to. The kernel runs at 0, user programs at 3; entry code asks
  // "not 0".
  facts.privilege_mask = 3;
  facts.privilege_user = 3;
  facts.user_is_nonzero = true;
  facts.contracts = make_contracts();
  facts.conventions = make_conventions();
  facts.entries = make_entries();
  facts.frames = {make_frame(register_bytes)};
  facts.no_return = make_no_return();
  // Work, tracing and restarts are decided in C on LoongArch. What is left is a return path that serves
  // rt_sigreturn alone, as proposed in 2022.
  facts.labels = {{"sys_rt_sigreturn", "sigreturn"}};
  facts.thread_flags.current = {tp};
  // arch/loongarch/include/asm/thread_info.h: behind the pointer to the task.
  facts.thread_flags.offset = register_bytes;
  facts.thread_flags.width = static_cast<std::uint8_t>(register_bytes);
  facts.thread_flags.directory = "loongarch";
  facts.thread_flags.work = "_TIF_WORK_MASK";
  facts.thread_flags.syscall_work = "_TIF_SYSCALL_WORK";
  facts.thread_flags.in_c = "exit_to_user_mode_loop (kernel/entry/common.c, since 5.19)";
  facts.syscall_number = a7;
  facts.signal_returns = {139};  // __NR_rt_sigreturn of include/uapi/asm-generic/unistd.h
  return facts;
}

}  // namespace trapline::loongarch
