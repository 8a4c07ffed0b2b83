// SPDX-License-Identifier: Apache-2.0
//
// LoongArch, as a kernel sees it
// ==============================
//
// Entering. An exception writes the interrupted PC to ERA, privilege and interrupt enable (CRMD.PLV, CRMD.IE) to PRMD,
// cause and faulting address to ESTAT and BADV, and jumps to a vector at EENTRY. It stores nothing to memory and banks
// no general register. Vectors are 512 bytes apart; at boot the kernel copies the stubs handle_<exception> there, so a
// stub must not form addresses relative to the PC. TLB refill is apart: own vector TLBRENTRY, own TLBRERA, TLBRPRMD,
// TLBRBADV, TLBRSAVE, with translation off.
//
// A stub has no free register. It parks t0 and t1 in KS0 and KS1 (csrwr also reads, but the old content is garbage
// here), tests PRMD.PPLV: from user mode it takes the kernel stack of this processor from memory at PERCPU_BASE (KS3);
// from the kernel it stays on the stack it is on. Then SAVE_ALL builds struct pt_regs: 32 general registers, orig_a0,
// ERA, BADV, CRMD, PRMD, EUEN, ECFG, ESTAT, a register's width each (320 bytes on LA64, 160 on LA32). u0 (r21) becomes
// the per-CPU base and tp the current task only when it comes from user mode: in the kernel they hold these already.
//
// A system call (syscall 0, number in a7, arguments a0-a5) arrives at handle_sys, which only jumps through t0 to
// handle_syscall. Its convention lets t0-t8 change, so handle_syscall does not save them, and its return path loads
// all nine from slots that nobody stored. The slot of r0 holds 0, or the number plus one while a call may be restarted.
// Results are in a0; a1-a7 and s0-s8 are as the program left them.
//
// The TLB handlers (load, store, modify) walk the page table in software with t0, t1 and ra parked in KS0, KS1, KS2,
// set the accessed and dirty bits with ll/sc, write the entry and return by ertn without a frame; where there is no
// page they put ra back and jump to tlb_do_page_fault_0 or _1 with t0 and t1 still parked. handle_tlb_refill uses
// TLBRSAVE and lets lddir and ldpte read the page table. With a hardware walker the handlers end in _ptw.
//
// Leaving. One return path for everything: s0-s8, t0-t8, then ERA and PRMD through a0, then ra, a0-a7, tp, fp and sp
// last; u0 only where PRMD.PPLV, tested once more, says user. There is no partial restore: whether there is work is
// decided in C. rt_sigreturn needs all of it, since it replaces the whole frame. ertn takes PC from ERA and CRMD.PLV
// and IE from PRMD; while CRMD says that the TLB refill exception is served (TLBRERA.IsTLBR) it takes them from TLBRERA
// and TLBRPRMD instead. The lifter always names PRMD: nothing in handle_tlb_refill tests it, so its return is "either",
// which is what it is. ertn also clears the ll/sc reservation unless LLBCTL.KLO says not to.
//
// New tasks start in ret_from_fork (ret_from_kernel_thread) with the frame as their stack pointer; since 6.15 these are
// C functions and the stubs are called ..._asm. __switch_to saves ra, sp, fp, s0-s8 and PRMD in the task.
//
// Which registers matter: sp, u0, tp, fp, s0-s8 survive a call; ra, a0-a7, t0-t8 do not.
//
// What is odd:
//  - csrrd, csrwr and csrxchg are one opcode: rj = 0 reads, 1 writes, anything else exchanges under the mask in rj.
//    csrwr and csrxchg leave the old content in rd.
//  - jirl is call (rd = ra), return (rd = zero, rj = ra, offset 0) and jump (rd = zero). pcaddi rd, 0 gets the PC
//    without a call.
//  - Absolute addresses in the copied stubs: lu12i.w, ori, lu32i.d, lu52i.d with immediates 0 in the file; .la_abs says
//    what the kernel writes there. Until then all of handle_* loads its stack pointer from nowhere.
//  - BUG and WARN are both break 1: __bug_table tells which one goes on behind the break.
//  - andi zero, zero, 0 is the nop; or rd, rj, zero the move.
//
// Patch tables: .la_abs (always applied, here), .altinstructions (12-byte records, used in lib/, not in entry code),
// __jump_table. Tables of the unwinder (.orc_unwind) do not change code.
//
// Sources: LoongArch Reference Manual, volumes 1 and 2; LoongArch ELF psABI; Linux arch/loongarch (kernel/entry.S,
// kernel/genex.S, mm/tlbex.S, include/asm/stackframe.h, asmmacro.h, loongarch.h).
#include "disasm/arch/loongarch/loongarch.h"

#include <llvm/BinaryFormat/ELF.h>

#include <string_view>

#include "disasm/arch/arch.h"
#include "disasm/arch/loongarch/facts.h"
#include "disasm/arch/loongarch/lift.h"
#include "disasm/arch/loongarch/patches.h"
#include "disasm/arch/loongarch/thread_flags.h"

namespace trapline {
namespace {

class LoongArch final : public Arch {
 public:
  LoongArch(std::string_view name, unsigned register_bytes, DecoderSpec spec)
      : name_(name),
        register_bytes_(register_bytes),
        spec_(std::move(spec)),
        facts_(loongarch::make_facts(register_bytes)) {}

  std::string_view name() const override { return name_; }
  bool matches(const ElfIdentity& elf) const override {
    return elf.machine == llvm::ELF::EM_LOONGARCH && elf.is64 == (register_bytes_ == 8) && elf.little_endian;
  }
  const DecoderSpec& decoder_spec(const Image&, std::uint64_t) const override { return spec_; }
  unsigned unit(const Image&, std::uint64_t) const override { return 4; }
  Insn lift(const Image& image, const Decoded& decoded) const override {
    return loongarch::lift(image, decoded, register_bytes_);
  }
  const Facts& facts() const override { return facts_; }
  std::string flags_test(std::uint64_t wanted, std::uint64_t defined) const override {
    return loongarch::flags_test(wanted, defined, register_bytes_ == 8);
  }
  void apply_fix_ups(Image& image) const override { loongarch::apply_la_abs(image, register_bytes_); }

 private:
  std::string_view name_;
  unsigned register_bytes_;
  DecoderSpec spec_;
  Facts facts_;
};

}  // namespace

const Arch& loongarch64() {
  static const LoongArch arch(
      "loongarch64", 8,
      {.triple = "loongarch64-unknown-linux-gnu",
       .cpu = "generic-la64",
       .features = "+64bit,+32s,+f,+d,+lsx,+lasx,+lbt,+lvz,+frecipe,+lam-bh,+lamcas,+scq,+div32,+ual"});
  return arch;
}

const Arch& loongarch32() {
  static const LoongArch arch(
      "loongarch32", 4,
      {.triple = "loongarch32-unknown-linux-gnu", .cpu = "generic-la32", .features = "+32bit,+32s,+f,+d"});
  return arch;
}

}  // namespace trapline
