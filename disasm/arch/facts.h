// SPDX-License-Identifier: Apache-2.0
//
// What one architecture's kernel promises, as data: registers, conventions, entry routines with their contracts,
// the layout of pt_regs, exception returns. Each architecture fills one Facts in its own folder; nothing
// outside that folder names a register or a symbol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "disasm/image/kernel_version.h"
#include "disasm/insn.h"

namespace trapline {

enum class PlaceKind : std::uint8_t {
  general,  // general register
  zero,     // reads as zero, writes are lost
  link,     // link or count register that is not a general one (PowerPC LR, CTR)
  flags,    // condition flags or a condition field: holds comparisons
  scratch,  // system register that entry code parks values in (KS0, SPRGn, sscratch)
  status,   // return state: where to and with which privilege (ERA, PRMD, SRR0, SRR1, SPSR)
  base,     // system register that is a base address (per-CPU, current)
  system,   // any other system register worth following: reading it twice gives the same value until written
};

struct PlaceInfo {
  std::string_view name;  // ABI name, as the kernel's own sources and objdump print it ("t0", "PRMD", "cr0")
  PlaceKind kind = PlaceKind::general;
  bool user_visible = false;    // a user program sees its value after an exception return
  bool call_clobbered = false;  // a called C function may change it (calling convention of the kernel)
  bool kernel_owned =
      false;  // at an exception return to kernel code it legally keeps the kernel's value (per-CPU base)
  bool holds_privilege = false;  // a return status: its privilege bits say whom an exception interrupted
  bool survives_irq = true;      // false: unknown after a call and once interrupts are on (scratch, return state)
};

enum class SlotKind : std::uint8_t { user_register, return_state, bookkeeping };

// One word of pt_regs.
struct Slot {
  std::string_view name;  // "PT_R12", "PT_ERA"
  std::uint32_t offset = 0;
  std::uint8_t width = 8;
  SlotKind kind = SlotKind::user_register;
  Place place = no_place;  // the register it belongs to
  // The member of the kernel's struct, for layouts that an image describes itself: "regs", element 12.
  std::string_view member = {};
  std::uint8_t element = 0;
};

struct FrameLayout {
  std::uint32_t size = 0;
  std::vector<Slot> slots;  // by offset
  std::string_view source;  // where the layout comes from (kernel file and version range)
  std::string_view struct_name = "pt_regs";
  bool from_image = false;  // the offsets are those of the image's own BTF
};

enum class Role : std::uint8_t {
  syscall_entry,
  return_to_user,
  exception_entry,
  fork_return,
  context_switch,
  tlb_handler,
  vector,
  vdso,
  user_named
};
std::string_view role_name(Role role);  // as interface.md spells it

// What holds at an entry symbol.
enum class ContractKind : std::uint8_t {
  interrupted,  // system call or exception entry: general registers hold what the interrupted context had
  frame_built,  // return to user, fork return: the stack pointer is the frame, every slot saved, C has written
  function,     // function ABI
};
struct Contract {
  ContractKind kind = ContractKind::interrupted;
  // Places whose content at entry is special. `as` is the place whose user value it is (PowerPC system call: r9 holds
  // user r13), or no_place together with `note` for anything else.
  struct Special {
    Place place;
    Place as;
    std::string_view note;
    bool parked = false;  // not followed, but the interrupted context's (PowerPC: r9 holds CR)
  };
  std::vector<Special> specials;
  // A base of memory in which the code before this entry parked registers of the interrupted context (PowerPC: the save
  // areas of the PACA): what the path loads from there, and did not store itself, is taken for the register's own.
  Place parked_at = no_place;
  // Of frame_built: callee-saved registers do not hold the interrupted context's values either (a new task).
  bool all_kernel = false;
  // Offset of pt_regs from the stack pointer at entry, for frame_built.
  std::int64_t frame_offset = 0;
  // Whom the entry interrupted, where the symbol alone says it (ARM __irq_usr, __irq_svc): decides the privilege of
  // the return when nothing on the path does.
  enum class From : std::uint8_t { either, user, kernel };
  From from = From::either;
  // Of a return: nothing but system calls ends here, and their end was not traced yet. The exit must look for syscall
  // work, too, as that of a routine whose role is syscall-entry.
  bool ends_system_call = false;
  std::uint8_t frame = 0;       // index into Facts::frames
  std::uint8_t convention = 0;  // index into Facts::conventions
  // Words that the way into the entry already saved: memory at (entry value of `base`) + offset holds the interrupted
  // context's `as` (ARM: r0 points to three saved words).
  struct SavedWord {
    Place base;
    std::int32_t offset;
    Place as;  // no_place: several, or not followed
  };
  std::vector<SavedWord> saved_words;
};

// One row of the table of entry routines. A pattern is a symbol name, or a glob with '*' that is tried on global and
// local symbols alike.
struct EntryRow {
  std::string_view pattern;
  Role role = Role::user_named;
  std::uint8_t contract = 0;  // index into Facts::contracts
  std::string_view versions;  // kernel versions that have it, for people ("5.19-", "-5.12")
  std::string_view note;      // what it is, in half a line
  // The row does not count in an image that has this symbol: a newer kernel gave the old name to a C function
  // (LoongArch ret_from_fork once ret_from_fork_asm exists). Empty: always.
  std::string_view unless = {};
};

// A kernel function that matters, with the reason.
struct NamedFunction {
  std::string_view name;  // exact, or a glob
  std::string_view reason;
};

// A register in which the interrupted program may find something else.
struct MayChange {
  Place place = no_place;
  bool kernel_data = false;  // the kernel is known to let data of its own through, and to tolerate it
  std::string_view reason;
};

// What the interrupted program may rely on. Registers that are not listed must be as they were.
struct Convention {
  std::string_view name;  // "a system call", "an exception"
  std::vector<MayChange> may_change;
};

// A place that is meant to be restored from, or saved to, the slot of another.
struct CrossedPair {
  Place place = no_place;
  Place slot = no_place;  // the place that the slot belongs to
  std::string_view reason;
};

// A C function whose result tells the exit code that a signal handler is being left.
struct SignalMark {
  std::string_view function;
  std::uint64_t result = 0;  // after rt_sigreturn
  std::string_view reason;
};

// A place that the path out of a signal handler, or any path, need not load from its slot.
struct NotReloaded {
  Place place = no_place;
  bool always = false;  // no path need
  std::string_view reason;
};

// A register in which a function may leave the base of its own data, made from what another register held at its entry.
struct OwnBase {
  Place place = no_place;
  Place from = no_place;
};

// A register that some function of the vDSO must not write, not even for a while.
struct VdsoUntouched {
  std::string_view function;  // exact, or a glob
  Place place = no_place;
  std::string_view reason;
};

// Code whose exception returns resume something else than what was interrupted: a guest, firmware. Nothing can be said
// about its registers.
using OtherReturn = NamedFunction;

// A label behind which a path restarts the system call that was interrupted: from there on what a system call may
// change counts, whatever the entry was for (ARM: the signal work of an interrupt exit goes back to the dispatch).
struct SyscallRestart {
  std::string_view symbol;
  std::uint8_t convention = 0;  // index into Facts::conventions
};

// A word that the label of a path gets when the path calls or passes `symbol`.
struct LabelMark {
  std::string_view symbol;
  std::string_view word;  // "work", "trace", "restart", "sigreturn"
};

// What an instruction does to the processor's link stack, the predictor of return addresses.
enum class LinkEffect : std::uint8_t {
  none,
  push,       // a call: the address behind it will be returned to
  pop,        // a return
  maybe_pop,  // a return that some cores predict and others do not
  pop_push,   // both at once: leaves a coroutine for another (PowerPC blrl)
  exempt,     // sets the link register without a push: how code is meant to learn its own address
};

// The link stack, where an architecture or its cores document one.
struct LinkStack {
  LinkEffect (*effect)(const Insn& insn) = nullptr;
  // The cheap filter of a sweep: may the instruction at words[i] (in the manual's bit order, as code lies in memory;
  // what lies before and behind may be looked at) unbalance the link stack? Never asked of code with instructions of
  // other sizes than a word.
  bool (*candidate)(std::span<const std::uint32_t> words, std::size_t i) = nullptr;
  // The cores that do it so, for people; empty: all that have a link stack.
  std::string_view cores;
  // The kernel does it on purpose in well-known places, or few cores care: findings are notes.
  bool advisory = false;
  // What to do instead. A sentence: of branches that push an address and are no calls.
  std::string_view instead_of_push;
  std::string_view call_register;  // the instructions that call a function whose address is in a register
  std::string_view jump_register;  // ... that jump to an address that no call pushed
};

// How the flags of a thread are numbered in a range of kernel versions.
struct ThreadFlagRow {
  KernelVersion from, until;  // until: the first that is not in the range
  std::vector<std::pair<std::string_view, std::uint8_t>> bits;
  std::vector<std::string_view> work, syscall_work;  // names in `bits`
  std::string_view source;                           // who says so
};

// The word of thread flags, which exit code tests to see whether there is work to do before user mode resumes.
struct ThreadFlags {
  std::vector<Place> current;  // hold the address of thread_info, or of the task that begins with it
  // Registers that hold it where a routine begins whose frame is built (ContractKind::frame_built).
  std::vector<Place> at_exit;
  std::vector<std::string_view> variables;  // kernel variables that hold it
  bool under_stack = false;  // thread_info lies at the bottom of the stack: the stack pointer, low bits cleared
  std::optional<std::uint32_t> offset;  // of the word in thread_info, bytes; nothing: only the image's BTF tells
  std::uint8_t width = 8;               // bytes
  std::string_view directory;           // of the kernel source, below arch/
  std::string_view work, syscall_work;  // macros with the masks
  std::string_view in_c;                // where C tests the flags in the place of assembly; empty: nowhere
  std::vector<ThreadFlagRow> table;
};

struct Facts {
  std::vector<PlaceInfo> places;
  Place stack_pointer = no_place;
  Place link = no_place;    // where a call puts the return address
  Place result = no_place;  // first result register of a C function
  // A register in which entry code hands a callee a second return address, by a convention of its own (ARM r9 while an
  // undefined instruction is emulated: handled ones return through r9, others through lr). Counts only where it holds a
  // known code address.
  Place second_return = no_place;
  Place status = no_place;  // return status that decides the privilege (PRMD, SRR1, SPSR)
  std::uint8_t register_bytes = 8;

  // Bits of the return status that hold the privilege, and what they are for user mode: user when
  // (status & mask) == user_value, or, with user_is_nonzero, when (status & mask) != 0.
  std::uint64_t privilege_mask = 0;
  std::uint64_t privilege_user = 0;
  bool user_is_nonzero = false;

  std::vector<Contract> contracts;
  std::vector<EntryRow> entries;
  std::vector<FrameLayout> frames;       // the default first
  std::vector<NamedFunction> no_return;  // C functions known not to return
  std::vector<NamedFunction> walk_into;  // callees that are part of the path (ppc32 prepare_transfer_to_handler)
  std::vector<LabelMark> labels;

  std::vector<Convention> conventions;  // the first: an exception, after which nothing may have changed
  std::vector<CrossedPair> crossed_pairs;
  std::vector<SignalMark> signal_marks;
  std::vector<NotReloaded> signal_exempt;
  std::vector<OtherReturn> other_returns;
  std::vector<SyscallRestart> restarts;

  std::optional<LinkStack> link_stack;  // nothing: not documented
  ThreadFlags thread_flags;

  std::vector<OwnBase> own_bases;
  // Registers that functions of the vDSO must leave alone altogether, though their callers' ABI lets them save them.
  std::vector<VdsoUntouched> vdso_untouched;
  // Where functions of the vDSO say whether they failed, beside the result register: the field whose writers matter,
  // and what the bit is called (PowerPC: "cr0.SO"). Arch::sets_error_flag says which instructions write it on purpose.
  Place error_field = no_place;
  std::string_view error_flag;

  // System calls as user code (the vDSO) makes them: where the number is, and the numbers that never come back to the
  // instruction behind the call (rt_sigreturn, sigreturn). Empty: not known.
  Place syscall_number = no_place;
  std::vector<std::uint64_t> signal_returns;
};

}  // namespace trapline
