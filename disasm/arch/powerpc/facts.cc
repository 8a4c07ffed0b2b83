// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/facts.h"

#include <array>
#include <optional>

#include "disasm/arch/powerpc/encoding.h"
#include "disasm/arch/powerpc/link_stack.h"
#include "disasm/arch/powerpc/places.h"

namespace trapline::ppc {
namespace {

constexpr std::array<std::string_view, 32> gpr_slots = {
    "PT_R0",  "PT_R1",  "PT_R2",  "PT_R3",  "PT_R4",  "PT_R5",  "PT_R6",  "PT_R7",  "PT_R8",  "PT_R9",  "PT_R10",
    "PT_R11", "PT_R12", "PT_R13", "PT_R14", "PT_R15", "PT_R16", "PT_R17", "PT_R18", "PT_R19", "PT_R20", "PT_R21",
    "PT_R22", "PT_R23", "PT_R24", "PT_R25", "PT_R26", "PT_R27", "PT_R28", "PT_R29", "PT_R30", "PT_R31"};

struct Builder {
  FrameLayout layout;
  std::uint8_t width;
  std::uint32_t at = 0;
  void slot(std::string_view name, SlotKind kind, Place place, std::string_view member, std::uint8_t element = 0) {
    layout.slots.push_back({name, at, width, kind, place, member, element});
    at += width;
  }
  // CR is one word for eight places.
  void condition_register() {
    for (unsigned n = 0; n < cr_count; ++n)
      layout.slots.push_back({"PT_CCR", at, width, SlotKind::user_register, cr(n), "ccr"});
    at += width;
  }
};

// struct pt_regs of arch/powerpc/include/asm/ptrace.h, in words.
FrameLayout pt_regs(bool is64) {
  Builder b{{}, static_cast<std::uint8_t>(is64 ? 8 : 4)};
  for (std::uint8_t n = 0; n < gpr_count; ++n) b.slot(gpr_slots[n], SlotKind::user_register, gpr(n), "gpr", n);
  b.slot("PT_NIP", SlotKind::return_state, srr0, "nip");
  b.slot("PT_MSR", SlotKind::return_state, srr1, "msr");
  b.slot("PT_ORIG_R3", SlotKind::bookkeeping, no_place, "orig_gpr3");
  b.slot("PT_CTR", SlotKind::user_register, ctr, "ctr");
  b.slot("PT_LNK", SlotKind::user_register, lr, "link");
  b.slot("PT_XER", SlotKind::user_register, xer, "xer");
  b.condition_register();
  b.slot(is64 ? "PT_SOFTE" : "PT_MQ", SlotKind::bookkeeping, no_place, is64 ? "softe" : "mq");
  b.slot("PT_TRAP", SlotKind::bookkeeping, no_place, "trap");
  b.slot("PT_DAR", SlotKind::bookkeeping, dar, "dar");
  b.slot("PT_DSISR", SlotKind::bookkeeping, dsisr, "dsisr");
  b.slot("PT_RESULT", SlotKind::bookkeeping, no_place, "result");
  if (is64) {
    b.slot("PT_PPR", SlotKind::bookkeeping, ppr, "ppr");
    b.slot("PT_EXIT_RESULT", SlotKind::bookkeeping, no_place, "exit_result");
    b.slot("PT_AMR", SlotKind::bookkeeping, amr, "amr");
    b.slot("PT_IAMR", SlotKind::bookkeeping, iamr, "iamr");
    b.layout.size = 384;
    b.layout.source =
        "arch/powerpc/include/asm/ptrace.h, struct pt_regs, 64-bit, 5.11 and later (before: up to PT_RESULT)";
  } else {
    b.layout.size = 192;
    b.layout.source = "arch/powerpc/include/asm/ptrace.h, struct pt_regs, 32-bit";
  }
  return b.layout;
}

enum ConventionIndex : std::uint8_t { by_exception, by_sc, by_scv };  // indices into Facts::conventions

Contract make(ContractKind kind, std::int64_t regs_at, Contract::From from, std::vector<Contract::Special> specials) {
  Contract c;
  c.kind = kind;
  c.frame_offset = regs_at;
  c.from = from;
  c.specials = std::move(specials);
  return c;
}

// In the order of the enumeration in facts.h. What a special place holds comes from the code before the symbol:
// exceptions-64s.S, interrupt_64.S, head_32.h, entry_32.S.
std::vector<Contract> contracts(bool is64, std::int64_t regs_at) {
  using From = Contract::From;
  const Contract::Special paca{r13, sprg1, "PACA"};
  const Contract::Special nip{r11, srr0, "interrupted NIP"}, status{r12, srr1, "interrupted MSR"};
  std::vector<Contract> list;
  list.push_back(make(ContractKind::interrupted, regs_at, From::either, {}));
  list.push_back(make(ContractKind::interrupted, regs_at, From::user, {}));
  list.push_back(make(ContractKind::interrupted, regs_at, From::user,
                      {{lr, srr0, "interrupted NIP"}, {ctr, srr1, "interrupted MSR"}}));
  // sc: the vector parked the user's r13 in CTR, then r9; r10 and CTR carry the handler's address. XER, CTR and CR0
  // are volatile to the caller.
  list.push_back(
      make(ContractKind::interrupted, regs_at, From::user,
           {{r9, r13, "user r13"}, nip, status, paca, {r10, no_place, "scratch"}, {ctr, no_place, "handler"}}));
  // scv: hardware puts the return address into LR and the MSR into CTR; the vector copied them to r11 and r12.
  list.push_back(make(ContractKind::interrupted, regs_at, From::user,
                      {{r9, r13, "user r13"},
                       nip,
                       status,
                       paca,
                       {r10, no_place, "scratch"},
                       {ctr, no_place, "handler"},
                       {lr, srr0, "interrupted NIP"}}));
  // *_common: r9-r13, CTR and CFAR wait in the PACA's save area; r9 is CR.
  list.push_back(make(ContractKind::interrupted, regs_at, From::either,
                      {{r9, no_place, "CR", true},
                       nip,
                       status,
                       paca,
                       {r10, no_place, "scratch"},
                       {ctr, no_place, "handler"},
                       {Place{sprg1 + 1}, r13, "interrupted r13 (SPRN_SPRG_SCRATCH0)"},
                       {hsprg1, r13, "interrupted r13 (SPRN_SPRG_HSCRATCH0)"}}));
  list.back().parked_at = sprg1;  // r9-r13, CTR, PPR and CFAR are in the PACA's save areas
  const std::vector<Contract::Special> owned =
      is64 ? std::vector<Contract::Special>{paca, {r2, no_place, "the kernel's TOC"}}
           : std::vector<Contract::Special>{{r2, no_place, "current"}};
  list.push_back(make(ContractKind::frame_built, regs_at, From::either, owned));
  list.push_back(make(ContractKind::frame_built, regs_at, From::user, owned));
  list.push_back(make(ContractKind::function, regs_at, From::either,
                      is64 ? std::vector<Contract::Special>{paca} : std::vector<Contract::Special>{}));
  // 32-bit transfer_to_syscall since 5.13: r1 is the frame with NIP and CR in it, r11 = user r1, r9 = MSR, r10 =
  // thread.
  list.push_back(make(ContractKind::interrupted, regs_at, From::user,
                      {{r9, srr1, "interrupted MSR"},
                       {r11, r1, "user r1"},
                       {r10, no_place, "thread"},
                       {r12, no_place, "scratch"},
                       {r1, no_place, "frame"}}));
  list.back().saved_words = {{r1, static_cast<std::int32_t>(regs_at) + 128, srr0},
                             {r1, static_cast<std::int32_t>(regs_at) + 152, no_place}};  // CR
  // 32-bit fast_exception_return: r11 is the frame, r12 = NIP, r9 = MSR.
  list.push_back(make(ContractKind::frame_built, regs_at, From::either,
                      {{r12, srr0, "NIP to return to"}, {r9, srr1, "MSR to return to"}}));
  list.push_back(list[contract_frame_user]);
  list.back().all_kernel = true;
  for (std::uint8_t by :
       {contract_new_task, contract_vector_sc, contract_syscall, contract_frame_user, contract_syscall_32})
    list[by].convention = by_sc;
  for (std::uint8_t by : {contract_vector_scv, contract_syscall_vectored}) list[by].convention = by_scv;
  return list;
}

// Documentation/powerpc/syscall64-abi.rst. After sc: r0, r3-r12, CTR, XER and CR0 are volatile; after scv also LR, CR1
// and CR5-CR7, as after a C function.
std::vector<Convention> conventions(bool is64) {
  std::vector<Convention> list(3);
  list[by_exception].name = "an exception";
  list[by_sc].name = "a system call";
  list[by_scv].name = "a system call by scv";
  const std::string_view reason =
      is64 ? "the system-call convention lets it change" : "the 32-bit exit leaves it as C left it (entry_32.S)";
  for (std::uint8_t convention : {by_sc, by_scv}) {
    std::vector<MayChange>& may = list[convention].may_change;
    for (Place p : {gpr(0), gpr(4), gpr(5), gpr(6), gpr(7), gpr(8), gpr(9), gpr(10), gpr(11), gpr(12)})
      may.push_back({p, !is64, reason});
    for (Place p : {Place{ctr}, Place{xer}, cr(0)}) may.push_back({p, !is64, reason});
    if (convention != by_scv) continue;
    for (Place p : {Place{lr}, cr(1), cr(5), cr(6), cr(7)}) may.push_back({p, false, reason});
  }
  return list;
}

std::vector<NamedFunction> no_return_functions() {
  return {
      {"panic", "__noreturn"},
      {"do_exit", "__noreturn"},
      {"do_group_exit", "__noreturn"},
      {"make_task_dead", "__noreturn"},
      {"unrecoverable_exception", "arch/powerpc/kernel/traps.c: __noreturn, the exit code puts `b .` behind its call"},
      {"nonrecoverable_exception", "its name up to 5.6"},
      {"StackOverflow", "arch/powerpc/kernel/process.c, 32-bit: ends in panic"},
      {"__stack_chk_fail", "__noreturn"},
  };
}

std::vector<NamedFunction> traced_functions() {
  return {{"_mcount", "puts r0, where its caller kept LR, back into LR (trace/ftrace_mprofile.S)"}};
}

std::vector<NamedFunction> walked_functions() {
  return {
      {"transfer_to_handler", "32-bit up to 5.12: builds the frame, takes the handler from the words behind the call"},
      {"transfer_to_handler_full", "32-bit up to 5.12: the same, saving r13-r31"},
      {"crit_transfer_to_handler", "32-bit embedded"},
      {"debug_transfer_to_handler", "32-bit embedded"},
      {"mcheck_transfer_to_handler", "32-bit embedded"},
      {"prepare_transfer_to_handler", "32-bit 5.13 and later: may leave through fast_exception_return"},
  };
}

std::vector<LabelMark> label_marks() {
  return {
      {"syscall_exit_restart", "restart"},
      {"interrupt_exit_user_restart", "restart"},
      {"interrupt_exit_kernel_restart", "restart"},
      {"do_syscall_trace_enter", "trace"},
      {"do_syscall_trace_leave", "trace"},
      {"do_notify_resume", "work"},
      {"schedule", "work"},
      {"preempt_schedule_irq", "work"},
      {"sys_rt_sigreturn", "sigreturn"},
      {"sys_sigreturn", "sigreturn"},
      {"unrecoverable_exception", "unrecoverable"},
  };
}

}  // namespace

Facts make_facts(bool is64, std::int64_t regs_at) {
  Facts f;
  f.places = place_infos(is64);
  f.stack_pointer = r1;
  f.link = lr;
  f.result = r3;
  f.status = srr1;
  f.register_bytes = is64 ? 8 : 4;
  f.privilege_mask = 0x4000;  // MSR[PR], Power ISA 3.1 Book III section 4.2.1
  f.privilege_user = 0x4000;
  f.user_is_nonzero = true;
  f.contracts = contracts(is64, regs_at);
  f.conventions = conventions(is64);
  f.crossed_pairs = {{lr, srr0, "scv puts the return address into LR (Power ISA 3.0B, Book III, 6.4.4)"},
                     {ctr, srr1, "scv puts the MSR into CTR (Power ISA 3.0B, Book III, 6.4.4)"}};
  // arch/powerpc/kernel/interrupt.c: syscall_exit_prepare returns _TIF_RESTOREALL (asm/thread_info.h, bit 11), which
  // restore_sigcontext sets.
  f.signal_marks = {{"syscall_exit_prepare", 1u << 11, "returns _TIF_RESTOREALL"},
                    {"syscall_exit_restart", 1u << 11, "returns _TIF_RESTOREALL"}};
  f.signal_exempt = {{srr0, true, "not written again where the PACA says that SRR0 and SRR1 are still valid"},
                     {srr1, true, "not written again where the PACA says that SRR0 and SRR1 are still valid"}};
  // A guest's registers are in its vcpu, and the hypervisor's in its own frame.
  f.other_returns = {{"fast_guest_return", "enters a guest (book3s_hv_rmhandlers.S)"},
                     {"kvmppc_*", "enters or leaves a guest"},
                     {"guest_exit_*", "leaves a guest"}};
  f.entries = entry_rows(is64);
  f.frames = {pt_regs(is64)};
  f.no_return = no_return_functions();
  f.walk_into = is64 ? traced_functions() : walked_functions();
  f.labels = label_marks();
  f.link_stack = link_stack();
  // arch/powerpc/kernel/vdso/*.S: crclr or crset of cr0's SO bit comes last, as the kernel does behind sc.
  f.error_field = cr(0);
  f.error_flag = "cr0.SO";
  // arch/powerpc/kernel/vdso/Makefile: -ffixed-r30 for vgettimeofday-64, not for vgetrandom.
  if (is64)
    for (std::string_view function : {"__kernel_clock_get*", "__kernel_gettimeofday", "__kernel_time"})
      f.vdso_untouched.push_back({function, gpr(30), "Go up to 1.16 keeps its g there while it calls the vDSO"});
  // ELFv2 ABI 2.3.2.1: behind a call through a pointer the caller puts its own TOC pointer back.
  if (is64) f.own_bases = {{gpr(2), r12}};
  if (!is64) f.thread_flags.current = {gpr(2)};
  f.thread_flags.under_stack = true;  // up to 5.0, CURRENT_THREAD_INFO
  // arch/powerpc/include/asm/thread_info.h: flags begin a cache line, the second of 128 bytes on 64-bit. The length of
  // a line differs among 32-bit processors.
  if (is64) f.thread_flags.offset = 128;
  f.thread_flags.width = f.register_bytes;
  f.thread_flags.directory = "powerpc";
  f.thread_flags.work = "_TIF_USER_WORK_MASK";
  f.thread_flags.syscall_work = "_TIF_SYSCALL_DOTRACE";
  f.thread_flags.in_c = is64 ? "syscall_exit_prepare and interrupt_exit_user_prepare (arch/powerpc/kernel/interrupt.c, "
                               "since 5.8)"
                             : "syscall_exit_prepare and interrupt_exit_user_prepare (arch/powerpc/kernel/interrupt.c, "
                               "since 5.13)";
  f.syscall_number = r0;
  // arch/powerpc/kernel/syscalls/syscall.tbl: rt_sigreturn, and sigreturn, which 64-bit kernels do not have.
  f.signal_returns = {172};
  if (!is64) f.signal_returns.push_back(119);
  return f;
}

std::int64_t regs_offset_64(const Image& image) {
  constexpr unsigned instructions = 160;  // a system-call entry saves some 60 registers first
  for (std::string_view name : {"interrupt_return_srr_user", "interrupt_return_srr", "interrupt_return",
                                "ret_from_except_lite", "system_call_common", "system_call_vectored_common"}) {
    const Symbol* symbol = image.find_symbol(name);
    if (symbol == nullptr) continue;
    for (unsigned i = 0; i < instructions; ++i) {
      const std::optional<std::uint64_t> word = image.read(symbol->address + 4 * i, 4);
      if (!word) break;
      const Encoding e{static_cast<std::uint32_t>(*word)};
      if (e.opcd() != 14 || e.ra() != r1) continue;
      if (e.si() == regs_at_64_v1 || e.si() == regs_at_64_v2) return e.si();
    }
  }
  return regs_at_64_v1;
}

}  // namespace trapline::ppc
