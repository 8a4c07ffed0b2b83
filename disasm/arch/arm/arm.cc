// SPDX-License-Identifier: Apache-2.0
//
// How 32-bit ARM enters and leaves the kernel (Linux, A profile).
//
// Modes. A processor is in one of seven modes: user, and the privileged SVC (system call, where the kernel lives), IRQ,
// FIQ, abort, undefined and system (later monitor and hyp). Each exception mode has its own sp, lr and saved status
// (SPSR); FIQ has its own r8 to r12 as well. r0 to r12 are otherwise shared, so entry code finds the user's values in
// them, while the user's sp and lr hide in a bank that only `stm ..^` and `ldm ..^` without pc reach. Here a register
// name means the bank of SVC mode; the others are places of their own (sp_usr, lr_irq, r8_fiq). Which bank an
// instruction means depends on the mode it runs in: the lifter takes it from the stub the instruction lies in or from a
// `msr CPSR_c, #mode` in straight line above it (places.cc).
//
// In. An exception stores nothing: the processor copies CPSR to the new mode's SPSR, puts a return address into its lr,
// masks interrupts and jumps into the vector page. For a system call (SVC) that is `ldr pc, [pc, ..]` to vector_swi,
// already in SVC mode. For all others it is a stub (vector_irq, vector_dabt, ...) in the exception's own mode, whose
// stack has three words: the stub stores r0, the corrected return address and SPSR there, sets SPSR to SVC mode, points
// r0 at the three words, loads lr from the table of sixteen addresses right behind its code, indexed by the mode that
// was interrupted, and executes `movs pc, lr`. This is an exception return as the processor sees it, but it goes *into*
// the kernel (ReturnsBy::kernel_entry), to __irq_usr, __irq_svc and so on. Those build the frame on the SVC stack,
// three words of it copied from behind r0.
//
// Spectre-BHB. Three vector pages overlap at 0xffff0000; the kernel copies the one a processor needs. In the loop8 page
// each stub first runs eight turns of a loop of taken branches, in the bpiall page it writes BPIALL. Both join the
// plain stub, and for system calls vector_bhb_loop8_swi and vector_bhb_bpiall_swi store r0 to r12 before they need a
// register and join vector_swi behind its own store.
//
// The frame (struct pt_regs, 72 bytes): r0 to r12 at 0 to 48, sp 52, lr 56, pc 60, cpsr 64, old r0 68. From user mode
// sp and lr are the user's; from the kernel they are SVC mode's, and DACR (later TTBCR) follows at 72.
//
// System calls. Number in r7 (EABI) or in the instruction (OABI), arguments in r0 to r6, result in r0, everything else
// preserved, flags too. vector_swi stores the frame, then pushes r4 and r5 (arguments five and six), so that sp is
// eight below the frame (S_OFF) until `str r0, [sp, #8]!` at ret_fast_syscall stores the result and gives the eight
// back. Dispatch sets lr to ret_fast_syscall (or __sys_trace_return) and jumps through the table: the call returns
// there without a branch-and-link.
//
// Out. Both exits reload the user's registers with one `ldmdb r2, {r0 - lr}^` (older kernels: the fast exit leaves r0
// alone,
// `{r1 - lr}^`), after SPSR and lr (SVC) got status and address, and end in `movs pc, lr`. `tst r1, #0x8f` before it
// is a check: the status must be user mode with interrupts on, else BUG. Returns to the kernel end in
// `ldm sp, {r0 - pc}^`, which loads sp, lr and pc of SVC mode and moves SPSR to CPSR. A FIQ that hit the kernel leaves
// from FIQ mode, because only there are lr and SPSR free to be overwritten. Before each return `strex` to a harmless
// word (or `clrex`) drops the exclusive monitor. The processor stores nothing on entry; nothing is left out of the
// counted stores.
//
// Thread flags are tested with `movs rX, rX, lsl #16` (bits 0 to 15 at once; objdump prints `lsls`) and
// `tst rX, #0xf00000` (the tracing flags since 6.3, stable 6.1): immediates are eight bits, rotated.
//
// Registers of the kernel. TPIDRPRW is the per-CPU offset. Since 5.16 TPIDRURO, which user programs read as their
// thread pointer, holds `current` while in the kernel: entry loads it from __entry_task, exit puts the thread pointer
// back. DACR is the switch for access to user memory. r9 is `tsk` and r8 `why` or the system-call table between entry
// and exit; C preserves both.
//
// Signal return. sys_sigreturn_wrapper and sys_rt_sigreturn_wrapper are in the system-call table; they set r8 (why) to
// 0, so that no restart is tried. The exit is the common one, since it reloads everything anyway.
//
// Predication. Every instruction may be conditional, also loads, stores and returns. Insn::when guards all effects and
// reads the flags before the instruction. Thumb has it through IT blocks (lift_thumb16.cc).
//
// The program counter reads as the instruction's address plus 8 (Thumb: plus 4); the micro-operations hold that as a
// constant, so `add lr, pc, #40`, literal loads and `add pc, pc, r8, lsr #6` are exact.
//
// Undefined instructions from user mode: __und_usr looks for a coprocessor emulation with *two* return addresses, r9
// (handled: ret_from_exception) and lr (not handled: __und_usr_fault_32); call_fpe, do_vfp and vfp_support_entry return
// with `bx lr` or `mov pc, r9`.
//
// Patched code. `.init.smpalt` holds pairs (s32 distance from the entry itself to the instruction, the instruction for
// a uniprocessor): the file holds the SMP form. `.init.pv_table` holds s32 distances to `add`, `sub`, `mov`, `mvn` and
// `movw` instructions whose immediate is replaced by the difference between physical and virtual addresses: it is known
// only at boot, the bytes in the file are place holders (0x81 rotated), and no entry path depends on the value, so they
// are left alone. `__jump_table` as everywhere. VFP and iWMMXt switch through pointers that C sets (vfp_vector).
//
// Odd. BUG() is the undefined word 0xe7f001f2, marked as data by the assembler. `mov r0, r0` behind `ldm ..^` is
// required before ARMv6: the next instruction must not use a banked register. LLVM prints `mrs r0, apsr` for the whole
// CPSR.
#include "disasm/arch/arm/arm.h"

#include <algorithm>
#include <iterator>

#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/facts.h"
#include "disasm/arch/arm/lift.h"
#include "disasm/arch/arm/second_decoder.h"
#include "disasm/arch/arm/text.h"
#include "disasm/arch/arm/thread_flags.h"

namespace trapline {

namespace {

using namespace arm_arch;

constexpr std::uint16_t em_arm = 40;
constexpr std::string_view features = "+virtualization,+trustzone,+mp,+crc";

// The mapping symbol that rules `address` says what is code and in which state ($a, $t; ELF for the ARM
// architecture, 5.5.5). Words marked as data take the state of the code above: BUG() is one.
bool is_thumb(const Image& image, std::uint64_t address) {
  const std::span<const Symbol> marks = image.mapping_symbols();
  auto above = std::upper_bound(marks.begin(), marks.end(), address,
                                [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  const Section* section = image.section_at(address);
  while (above != marks.begin()) {
    --above;
    if (section != nullptr && above->address < section->address) break;
    if (above->name.starts_with("$t")) return true;
    if (above->name.starts_with("$a")) return false;
  }
  // No mapping symbols: a stripped image. Function symbols of Thumb code are odd.
  const Symbol* symbol = image.enclosing_symbol(address | 1);
  return symbol != nullptr && symbol->type == SymbolType::func && (symbol->address & 1) != 0;
}

class ArmArch final : public Arch {
 public:
  ArmArch(std::string_view name, bool little) : name_(name), little_(little), facts_(make_facts()) {
    const std::string prefix[] = {little ? "armv8a" : "armebv8a", little ? "thumbv8a" : "thumbebv8a"};
    for (unsigned thumb = 0; thumb < 2; ++thumb) {
      specs_[thumb] = {prefix[thumb] + "-linux-gnueabi", "", std::string(features)};
      // Instructions of objects are big-endian too (BE-32); the linker turns them around.
      big_code_specs_[thumb] = {specs_[thumb].triple, "", specs_[thumb].features + ",+big-endian-instructions"};
    }
  }

  std::string_view name() const override { return name_; }
  bool matches(const ElfIdentity& elf) const override {
    return elf.machine == em_arm && !elf.is64 && elf.little_endian == little_;
  }
  const DecoderSpec& decoder_spec(const Image& image, std::uint64_t address) const override {
    return (big_code(image) ? big_code_specs_ : specs_)[is_thumb(image, address) ? 1 : 0];
  }
  const CapstoneSpec* second_decoder(const Image& image, std::uint64_t address) const override {
    return &capstone_spec(is_thumb(image, address), big_code(image));
  }
  unsigned unit(const Image& image, std::uint64_t address) const override { return is_thumb(image, address) ? 2 : 4; }
  Insn lift(const Image& image, const Decoded& decoded) const override {
    return Lifter(image, decoded, is_thumb(image, decoded.address)).run();
  }
  std::string text(const Decoded& decoded) const override {
    return decoded.valid || decoded.size != 4 ? std::string() : older_text(decoded.word);
  }
  const Facts& facts() const override { return facts_; }
  std::string flags_test(std::uint64_t wanted, std::uint64_t defined) const override {
    return arm_arch::flags_test(static_cast<std::uint32_t>(wanted), static_cast<std::uint32_t>(defined));
  }
  bool swapped_code(const ElfIdentity& elf) const override { return !little_ && (elf.flags & ef_arm_be8) != 0; }
  std::uint64_t code_address(const Image&, const Symbol& symbol) const override {
    // Bit 0 of a function's address says Thumb.
    return symbol.type == SymbolType::func ? symbol.address & ~std::uint64_t{1} : symbol.address;
  }

 private:
  bool big_code(const Image& image) const { return !little_ && !swapped_code(image.elf()); }

  std::string_view name_;
  bool little_;
  Facts facts_;
  DecoderSpec specs_[2];           // ARM, Thumb
  DecoderSpec big_code_specs_[2];  // the same with big-endian instructions
};

}  // namespace

const Arch& arm() {
  static const ArmArch arch("arm", true);
  return arch;
}

const Arch& armeb() {
  static const ArmArch arch("armeb", false);
  return arch;
}

}  // namespace trapline
