// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/arm/facts.h"

#include <array>

#include "disasm/arch/arm/link_stack.h"
#include "disasm/arch/arm/places.h"
#include "disasm/arch/arm/thread_flags.h"

namespace trapline::arm_arch {

namespace {

constexpr std::array<std::string_view, place_count> names = {
    "r0",       "r1",       "r2",         "r3",     "r4",       "r5",      "r6",      "r7",       "r8",
    "r9",       "r10",      "r11",        "r12",    "sp",       "lr",      "sp_usr",  "lr_usr",   "pc",
    "flags",    "cpsr",     "spsr",       "r8_fiq", "r9_fiq",   "r10_fiq", "r11_fiq", "r12_fiq",  "sp_fiq",
    "lr_fiq",   "spsr_fiq", "sp_irq",     "lr_irq", "spsr_irq", "sp_abt",  "lr_abt",  "spsr_abt", "sp_und",
    "lr_und",   "spsr_und", "sp_mon",     "lr_mon", "spsr_mon", "sp_hyp",  "elr_hyp", "spsr_hyp", "TPIDRPRW",
    "TPIDRURO", "TPIDRURW", "CONTEXTIDR", "DACR",   "SCTLR",    "CPACR",   "TTBR0",   "TTBCR"};

bool is_saved_status(Place p) {
  return p == spsr || p == spsr_fiq || p == spsr_irq || p == spsr_abt || p == spsr_und || p == spsr_mon ||
         p == spsr_hyp;
}

PlaceInfo make_place(Place p) {
  PlaceInfo info{.name = names[p]};
  if (p <= r12) {
    info.user_visible = true;
    info.call_clobbered = p <= r3 || p == r12;  // AAPCS 6.1.1
  } else if (p == lr) {
    info.call_clobbered = true;
  } else if (p == sp_usr || p == lr_usr) {
    // C never names them, but a task switch does not save them either: after a call they may be another task's.
    info.user_visible = true;
    info.survives_irq = false;
  } else if (p == flags) {
    info.kind = PlaceKind::flags;  // the user's flags are in the saved status, not here
    info.call_clobbered = true;
  } else if (p == pc || p == elr_hyp || is_saved_status(p)) {
    info.kind = PlaceKind::status;
    info.holds_privilege = is_saved_status(p);
    info.survives_irq = false;
  } else if (p == tpidrprw || p == tpidruro) {
    // Per-CPU offset, and current from 5.16 on (before, the user's thread pointer stays in TPIDRURO).
    info.kind = PlaceKind::base;
    info.kernel_owned = true;
  } else if (p >= tpidrurw || p == cpsr) {
    info.kind = PlaceKind::system;
  } else if (p >= r8_fiq && p <= sp_hyp) {
    info.survives_irq = p != lr_fiq && p != lr_irq && p != lr_abt && p != lr_und;
  }
  return info;
}

constexpr std::array<std::string_view, 18> slot_names = {"S_R0", "S_R1", "S_R2", "S_R3", "S_R4",  "S_R5",
                                                         "S_R6", "S_R7", "S_R8", "S_R9", "S_R10", "S_FP",
                                                         "S_IP", "S_SP", "S_LR", "S_PC", "S_PSR", "S_OLD_R0"};

// struct pt_regs; names from arch/arm/kernel/asm-offsets.c. What interrupted user mode keeps the user's banked sp and
// lr in it, what interrupted the kernel those of SVC mode.
FrameLayout make_frame(bool user) {
  FrameLayout frame;
  frame.source = user ? "arch/arm/include/uapi/asm/ptrace.h, struct pt_regs"
                      : "arch/arm/include/asm/ptrace.h, struct svc_pt_regs (4.9-; dacr from 4.9, ttbcr from 6.10)";
  for (std::uint32_t i = 0; i < slot_names.size(); ++i) {
    Slot slot{
        slot_names[i], 4 * i, 4, SlotKind::user_register, static_cast<Place>(i), "uregs", static_cast<std::uint8_t>(i)};
    if (i == 13) slot.place = user ? sp_usr : sp;
    if (i == 14) slot.place = user ? lr_usr : lr;
    if (i == 15 || i == 16) {
      slot.kind = SlotKind::return_state;
      slot.place = i == 15 ? static_cast<Place>(pc) : static_cast<Place>(spsr);
    }
    if (i == 17) {  // the first argument, for system-call restart
      slot.kind = SlotKind::bookkeeping;
      slot.place = no_place;
    }
    frame.slots.push_back(slot);
  }
  frame.size = 72;
  if (!user) {
    frame.struct_name = "svc_pt_regs";
    frame.slots.push_back({"SVC_DACR", 72, 4, SlotKind::bookkeeping, dacr, "dacr"});
    frame.slots.push_back({"SVC_TTBCR", 76, 4, SlotKind::bookkeeping, ttbcr, "ttbcr"});
    frame.size = 80;
  }
  return frame;
}

enum ConventionIndex : std::uint8_t { by_exception, by_system_call };  // indices into Facts::conventions
enum FrameIndex : std::uint8_t { user_frame, kernel_frame };
enum ContractIndex : std::uint8_t {
  syscall,
  from_user,
  from_kernel,
  from_either,
  stub,
  built,
  built_below,
  forked,
  function,
  contract_count
};

void add_saved_words(Contract& c) {
  c.specials.push_back(
      {r0, no_place, "address of three words on the exception mode's stack: the interrupted r0, pc and status"});
  c.saved_words = {{r0, 0, r0}, {r0, 4, pc}, {r0, 8, spsr}};
}

std::vector<Contract> make_contracts() {
  std::vector<Contract> contracts(contract_count);
  Contract& swi = contracts[syscall];
  swi.from = Contract::From::user;
  swi.convention = by_system_call;
  swi.specials = {{lr, pc, "address behind the user's svc, put there by the processor"}};

  Contract& usr = contracts[from_user];
  usr.from = Contract::From::user;
  usr.specials = {{lr, no_place, "left over from the last time in the kernel"},
                  {spsr, no_place, "left over from the last time in the kernel"}};
  add_saved_words(usr);

  Contract& svc = contracts[from_kernel];
  svc.from = Contract::From::kernel;
  svc.frame = kernel_frame;
  svc.specials = {{spsr, no_place, "of the exception before this one"}};
  add_saved_words(svc);

  add_saved_words(contracts[from_either]);
  contracts[stub].kind = ContractKind::interrupted;

  contracts[built].kind = ContractKind::frame_built;
  contracts[built].from = Contract::From::user;
  // Two words for the fifth and sixth argument still lie below the frame (S_OFF).
  contracts[built].convention = by_system_call;
  contracts[built_below] = contracts[built];
  contracts[built_below].frame_offset = 8;
  contracts[built_below].ends_system_call = true;
  contracts[built_below].specials = {{r0, no_place, "result of the system call", true}};
  contracts[forked] = contracts[built];
  contracts[forked].all_kernel = true;
  contracts[forked].specials = {{r4, no_place, "argument of a kernel thread's function"},
                                {r5, no_place, "a kernel thread's function, or 0"}};
  contracts[function].kind = ContractKind::function;
  return contracts;
}

std::vector<EntryRow> make_entries() {
  constexpr Role exception = Role::exception_entry;
  constexpr Role vector = Role::vector;
  constexpr Role to_user = Role::return_to_user;
  return {
      {"vector_swi", Role::syscall_entry, syscall, "", "system call"},
      {"vector_bhb_loop8_swi", Role::syscall_entry, syscall, "5.17-",
       "system call, branch history overwritten by a loop"},
      {"vector_bhb_bpiall_swi", Role::syscall_entry, syscall, "5.17-", "system call, branch predictor invalidated"},

      {"__irq_usr", exception, from_user, "", "interrupt of user mode"},
      {"__dabt_usr", exception, from_user, "", "data abort in user mode"},
      {"__pabt_usr", exception, from_user, "", "prefetch abort in user mode"},
      {"__und_usr", exception, from_user, "", "undefined instruction in user mode"},
      {"__fiq_usr", exception, from_user, "3.16-", "fast interrupt of user mode"},
      {"__irq_svc", exception, from_kernel, "", "interrupt of the kernel"},
      {"__dabt_svc", exception, from_kernel, "", "data abort in the kernel"},
      {"__pabt_svc", exception, from_kernel, "", "prefetch abort in the kernel"},
      {"__und_svc", exception, from_kernel, "", "undefined instruction in the kernel"},
      {"__fiq_svc", exception, from_kernel, "3.16-", "fast interrupt of the kernel"},
      {"__fiq_abt", exception, from_kernel, "3.16-", "fast interrupt of abort mode"},
      {"__irq_invalid", exception, from_either, "", "interrupt of a mode that takes none"},
      {"__dabt_invalid", exception, from_either, "", "data abort in a mode that has none"},
      {"__pabt_invalid", exception, from_either, "", "prefetch abort in a mode that has none"},
      {"__und_invalid", exception, from_either, "", "undefined instruction in a mode that has none"},

      {"ret_fast_syscall", to_user, built_below, "", "common exit of a system call"},
      {"__ret_fast_syscall", to_user, built_below, "4.4-", "common exit of a system call, with context tracking"},
      {"ret_slow_syscall", to_user, built, "", "exit of a system call after work or tracing"},
      {"ret_to_user", to_user, built, "", "exit to user mode"},
      {"ret_to_user_from_irq", to_user, built, "3.2-", "exit to user mode, interrupts off already"},
      {"ret_from_exception", to_user, built, "", "exit to user mode after an exception"},
      {"ret_from_fork", Role::fork_return, forked, "", "first return of a forked task, first run of a kernel thread"},
      {"__switch_to", Role::context_switch, function, "", "switch of tasks"},

      {"vector_irq", vector, stub, "", "stub of the interrupt vector"},
      {"vector_dabt", vector, stub, "", "stub of the data-abort vector"},
      {"vector_pabt", vector, stub, "", "stub of the prefetch-abort vector"},
      {"vector_und", vector, stub, "", "stub of the undefined-instruction vector"},
      {"vector_fiq", vector, stub, "", "stub of the fast-interrupt vector"},
      {"vector_rst", vector, stub, "", "stub of the reset vector"},
      {"vector_addrexcptn", vector, stub, "", "stub of the vector that ARMv3 left unused"},
      {"vector_bhb_loop8_irq", vector, stub, "5.17-", "the same, branch history overwritten by a loop"},
      {"vector_bhb_loop8_dabt", vector, stub, "5.17-", "the same, branch history overwritten by a loop"},
      {"vector_bhb_loop8_pabt", vector, stub, "5.17-", "the same, branch history overwritten by a loop"},
      {"vector_bhb_loop8_und", vector, stub, "5.17-", "the same, branch history overwritten by a loop"},
      {"vector_bhb_loop8_fiq", vector, stub, "5.17-", "the same, branch history overwritten by a loop"},
      {"vector_bhb_bpiall_irq", vector, stub, "5.17-", "the same, branch predictor invalidated"},
      {"vector_bhb_bpiall_dabt", vector, stub, "5.17-", "the same, branch predictor invalidated"},
      {"vector_bhb_bpiall_pabt", vector, stub, "5.17-", "the same, branch predictor invalidated"},
      {"vector_bhb_bpiall_und", vector, stub, "5.17-", "the same, branch predictor invalidated"},
      {"vector_bhb_bpiall_fiq", vector, stub, "5.17-", "the same, branch predictor invalidated"},

      {"__vdso_*", Role::vdso, function, "", "exported by the vDSO"},
  };
}

std::vector<NamedFunction> make_no_return() {
  return {
      {"bad_mode", "arch/arm/kernel/traps.c: an exception in a mode that takes none: panics"},
      {"__bad_stack", "the kernel stack overflowed: panics"},
      {"handle_bad_stack", "arch/arm/kernel/traps.c: the kernel stack overflowed: panics"},
      {"panic", "stops the machine"},
      {"vpanic", "stops the machine (6.16-)"},
      {"nmi_panic", "panics, or waits for the processor that does"},
      {"do_exit", "ends the current task"},
      {"do_group_exit", "ends the current process"},
      {"make_task_dead", "ends the current task after an oops"},
      {"kthread_exit", "ends the current kernel thread"},
      {"kthread_complete_and_exit", "ends the current kernel thread"},
      {"machine_halt", "arch/arm/kernel/reboot.c: waits forever"},
      {"machine_restart", "arch/arm/kernel/reboot.c: waits forever"},
      {"soft_restart", "jumps into the next kernel"},
      {"cpu_die", "a processor that was taken offline"},
      {"arch_cpu_idle_dead", "a processor that was taken offline waits to be started anew"},
      {"ipi_cpu_stop", "waits forever"},
      {"start_kernel", "becomes the idle task"},
      {"secondary_start_kernel", "becomes the idle task"},
      {"rest_init", "becomes the idle task"},
      {"cpu_startup_entry", "the idle loop"},
      {"__bug", "BUG"},
      {"__stack_chk_fail", "a broken stack canary: panics"},
      {"fortify_panic", "a buffer overflow was caught: BUG"},
      {"__fortify_panic", "a buffer overflow was caught: BUG"},
      {"usercopy_abort", "a bad copy to or from user space was caught: BUG"},
  };
}

}  // namespace

Facts make_facts() {
  Facts facts;
  for (Place p = 0; p < place_count; ++p) facts.places.push_back(make_place(p));
  facts.stack_pointer = sp;
  facts.link = lr;
  facts.result = r0;
  facts.second_return = r9;
  facts.status = spsr;
  facts.register_bytes = 4;
  // SPSR.M is 0x10 for user mode; bit 4 is set in every 32-bit mode, and of those only user mode has the rest clear.
  // Entry code tests it together with the interrupt mask, `tst r1, #0x8f`.
  facts.privilege_mask = 0x0f;
  facts.privilege_user = 0;
  facts.contracts = make_contracts();
  facts.entries = make_entries();
  facts.frames = {make_frame(true), make_frame(false)};
  // EABI: number in r7; but for the result in r0 a system call changes no register (arch/arm/kernel/entry-common.S).
  facts.conventions = {{"an exception", {}}, {"a system call", {}}};
  // What an exception mode's lr holds is the interrupted pc; which lr interrupted code had cannot be told where the
  // mode it ran in is none that takes the exception (inv_entry).
  facts.crossed_pairs = {{lr_und, pc, "lr of undefined-instruction mode is the interrupted pc"},
                         {lr_abt, pc, "lr of abort mode is the interrupted pc"},
                         {lr_irq, pc, "lr of interrupt mode is the interrupted pc"},
                         {lr_fiq, pc, "lr of fast-interrupt mode is the interrupted pc"},
                         {spsr, spsr_und, "the status that undefined-instruction mode saved is the interrupted one"},
                         {spsr, spsr_abt, "the status that abort mode saved is the interrupted one"},
                         {spsr, spsr_irq, "the status that interrupt mode saved is the interrupted one"},
                         {spsr, spsr_fiq, "the status that fast-interrupt mode saved is the interrupted one"},
                         {lr, lr_usr, "entry-armv.S, inv_entry: an exception in a mode that takes none"}};
  facts.restarts = {{"local_restart", by_system_call}};
  facts.link_stack = link_stack();
  facts.thread_flags = make_thread_flags();
  facts.syscall_number = r7;
  facts.signal_returns = {119, 173};  // sigreturn, rt_sigreturn: arch/arm/tools/syscall.tbl
  facts.signal_exempt = {{r0, false, "sys_sigreturn and sys_rt_sigreturn return what they put into the slot of r0"},
                         {pc, true, "the return instruction takes it from lr or from the slot"}};
  facts.no_return = make_no_return();
  facts.walk_into = {
      {"call_fpe", "__und_usr jumps to it with two return addresses: lr not handled, r9 handled"},
      {"do_vfp", "part of call_fpe: returns through r9 or lr"},
      {"vfp_support_entry", "part of call_fpe: returns through r9 or lr"},
      {"__gnu_mcount_nc", "pops the lr that its caller pushed (entry-ftrace.S)"},
  };
  facts.labels = {
      {"do_work_pending", "work"},
      {"do_notify_resume", "work"},
      {"syscall_trace_enter", "trace"},
      {"syscall_trace_exit", "trace"},
      {"sys_sigreturn_wrapper", "sigreturn"},
      {"sys_rt_sigreturn_wrapper", "sigreturn"},
  };
  return facts;
}

}  // namespace trapline::arm_arch
