// SPDX-License-Identifier: Apache-2.0
//
// PowerPC, as a kernel sees it
// ============================
//
// Entering (Book3S, 64-bit). An interrupt writes the interrupted address to SRR0 and the MSR to SRR1 (hypervisor ones
// to HSRR0 and HSRR1), cause and address to DSISR and DAR, and jumps to a fixed vector: 0x100, 0x200, ... with address
// translation off, or, for most of them on POWER8 and later, to 0xc000000000004000 plus the same with translation on.
// It stores nothing to memory and banks no register. The vectors are exc_real_0xN00_<name> and exc_virt_0x4N00_<name>,
// 32 to 256 bytes each; what does not fit goes on in tramp_real_<name> or tramp_virt_<name>.
//
// A vector has no free register. It parks r13 in a scratch SPRG, takes the PACA (per-CPU data of the low-level code)
// from SPRG1 or HSPRG0 into r13, saves r9-r12, r13, CTR, CFAR, PPR and CR in one of the PACA's save areas, reads SRR0
// and SRR1 into r11 and r12 and jumps to <name>_common through CTR. It finds that address in two steps: the run-time
// base of the kernel is a word of the PACA, the offset an immediate. <name>_common_real turns translation on,
// <name>_common_virt tests MSR[PR] in r12: from user mode the stack pointer comes from the PACA, from the kernel it
// goes on below the old one. Then pt_regs is built and a C function called; then a jump to interrupt_return_srr or
// _hsrr.
//
// System calls. sc (vector 0xc00) goes to system_call_common with r9 = the user's r13, r11 and r12 = NIP and MSR; its
// convention lets r0, r3-r12, CTR, XER and CR0 change, but not LR, CR1 and CR5-CR7. scv (virtual vector 0x3000, 32
// bytes a level) uses no SRR: the return address is in LR, the MSR in CTR, and rfscv returns through the same two; its
// convention is that of a C function. Both store zeros in the slots of r9-r12 that are the user's business no more.
//
// struct pt_regs: r0-r31, nip, msr, orig_gpr3, ctr, link, xer, ccr, softe, trap, dar, dsisr, result, then ppr,
// exit_result, amr, iamr. It lies 112 bytes above the stack pointer (the minimal frame of ELFv1), since 6.2 on ELFv2 48
// bytes.
//
// Leaving. C decides everything (syscall_exit_prepare, interrupt_exit_user_prepare) and its result in r3 says one
// thing: has somebody replaced registers (TIF_RESTOREALL: rt_sigreturn, execve, ptrace)? Zero: the fast exit reloads
// r1, r2, r3, r13, LR, CR and zeroes the volatile registers (sc), or reloads r0-r8 and zeroes r9-r12 (scv); r14-r31
// were kept by C. Otherwise all registers come from the frame. SRR0 and SRR1 are written only where a byte of the PACA
// says that they no longer hold what the entry found there, so they are Entry on one arm. rfid takes the address from
// SRR0 and the MSR from SRR1, hrfid from HSRR0/1; the return goes to user mode when MSR[PR] is set there. Behind each
// stands a jump to a flush fallback or to itself, which is not reached: rfi_flush_fallback is put before the rfid by
// patching. fast_interrupt_return_srr serves handlers that C never saw (a page put into the hash table).
//
// Soft masking. local_irq_disable() sets a byte in the PACA, MSR[EE] stays on. An interrupt that finds the byte set
// notes itself in another byte (masked_interrupt) and returns with EE off. The exit code runs with EE on until the very
// end: the byte irq_happened is tested once more, and an interrupt that comes between test and rfid makes the exit
// start again. The address ranges for that are in __restart_table (start, end, where to go on: the *_restart labels)
// and __soft_mask_table; the restart labels rebuild r13, r1 and r2 from SPRG and PACA.
//
// Link stack. Every link-setting branch pushes on the processor's return predictor and blr pops; only bcl 20,31,$+4
// does not push. bclr with BH other than 0 says that it is no return; bctr does not touch it. _switch flushes the
// predictor on purpose (64 times bl .+4), where patching asks for it.
//
// ELF. Under ELFv1 (big-endian kernels) a function symbol is a descriptor in .opd: code address, TOC, environment; the
// code itself may have a symbol with a dot in front. Under ELFv2 st_other says how far behind the symbol the local
// entry is, where r2 is already set: `bl system_call_exception+0x8` calls system_call_exception. r2 is the TOC pointer,
// r13 the PACA, r1 the stack: C keeps all three. Volatile: r0, r3-r12, CTR, XER, LR, CR0, CR1, CR5-CR7.
//
// 32-bit kernels. r2 is current, SPRG3 the (physical) thread_struct, r13-r31 are non-volatile, pt_regs is 16 bytes
// above r1. The vectors run untranslated, build the frame through a physical address, and rfi serves as the jump that
// turns translation on, to an address that the code just put into SRR0 (transfer_to_syscall). Up to 5.12 `bl
// transfer_to_handler` is followed by two words, the addresses of the handler and of the return path: data in text.
// Embedded processors have critical, debug and machine check levels with own save registers (rfci, rfdi, rfmci), 603
// and 8xx reload the TLB in software.
//
// What is odd:
//  - Feature sections. Every alternative is in the file: the code between two labels is kept, replaced by an
//  alternative that
//    lies unreachable in .text (__ftr_alt_*), or overwritten with nops at boot, by __ftr_fixup, __mmu_ftr_fixup and
//    __fw_ftr_fixup. As linked, all sections are present at once, a mixture that no machine runs.
//  - Condition register fields are eight separate flags registers. Bit 3 of each, SO, is copied from XER.
//  - mtctr and mflr move user-level registers and are no system instructions; which SPR is privileged is a bit of its
//  number.
//  - Data in text: jump tables of C code between functions, and FIXUP_ENDIAN: a sequence that runs in either byte
//  order, half of
//    which is the other order's code and does not decode. Both are jumped over.
//  - bl to the next instruction, to learn one's own address, instead of bcl 20,31,$+4: costs a mispredicted return.
//  - twi 31,0,0 and tw 31,0,0 (`trap`) are BUG or WARN: __bug_table tells which one comes back. tdnei and its kin are
//    assertions: they fall through.
//  - or rx,rx,rx changes the thread's priority for some x, ori 0,0,0 is the nop, ori 31,31,0 a speculation barrier.
//
// Sources: Power ISA 3.1, 2.07 for Book III-E; OpenPOWER ELF V2 ABI; 64-bit PowerPC ELF ABI 1.9; Linux arch/powerpc
// (kernel/ exceptions-64s.S, interrupt_64.S, entry_64.S, entry_32.S, head_32.h, exceptions-64e.S, include/asm/ptrace.h,
// feature-fixups.h), Documentation/arch/powerpc/syscall64-abi.rst.
#include "disasm/arch/powerpc/powerpc.h"

#include <llvm/BinaryFormat/ELF.h>

#include <string>

#include "disasm/arch/arch.h"
#include "disasm/arch/powerpc/encoding.h"
#include "disasm/arch/powerpc/facts.h"
#include "disasm/arch/powerpc/lift.h"
#include "disasm/arch/powerpc/own_words.h"
#include "disasm/arch/powerpc/patches.h"
#include "disasm/arch/powerpc/second_decoder.h"
#include "disasm/arch/powerpc/thread_flags.h"

namespace trapline {
namespace {

using namespace ppc;

class PowerPc final : public Arch {
 public:
  PowerPc(std::string_view name, std::string triple, bool is64, bool little_endian)
      : name_(name),
        spec_{std::move(triple), "pwr10", ""},
        is64_(is64),
        little_endian_(little_endian),
        facts_(make_facts(is64, is64 ? regs_at_64_v1 : regs_at_32)),
        facts_v2_(make_facts(is64, is64 ? regs_at_64_v2 : regs_at_32)) {}

  std::string_view name() const override { return name_; }
  bool matches(const ElfIdentity& elf) const override {
    return elf.machine == (is64_ ? llvm::ELF::EM_PPC64 : llvm::ELF::EM_PPC) && elf.is64 == is64_ &&
           elf.little_endian == little_endian_;
  }
  const DecoderSpec& decoder_spec(const Image&, std::uint64_t) const override { return spec_; }
  const CapstoneSpec* second_decoder(const Image&, std::uint64_t) const override {
    return &capstone_spec(is64_, little_endian_);
  }
  unsigned unit(const Image&, std::uint64_t) const override { return 4; }
  Insn lift(const Image& image, const Decoded& decoded) const override { return ppc::lift(image, decoded, is64_); }
  std::string text(const Decoded& decoded) const override { return own_word_text(decoded.word); }
  const Facts& facts() const override { return facts_; }
  const Facts& facts_for(const Image& image) const override {
    return is64_ && regs_offset_64(image) == regs_at_64_v2 ? facts_v2_ : facts_;
  }
  std::string flags_test(std::uint64_t wanted, std::uint64_t) const override { return ppc::flags_test(wanted); }
  std::string variant_note(const Image& image) const override { return ppc::variant_note(image); }
  PatchTables patch_tables(const Image& image) const override { return ppc::read_patches(image); }
  std::uint64_t code_address(const Image& image, const Symbol& symbol) const override;
  bool sets_error_flag(const Insn& insn) const override;

 private:
  std::string_view name_;
  DecoderSpec spec_;
  bool is64_;
  bool little_endian_;
  Facts facts_;
  Facts facts_v2_;
};

// sc, and an instruction that computes CR bit 3, cr0's SO, alone: Power ISA 3.1 Book I, section 2.5.
bool PowerPc::sets_error_flag(const Insn& insn) const {
  if (insn.flow == Flow::syscall) return true;
  const ppc::Encoding e{insn.word};
  if (e.opcd() != 19 || e.rt() != 3) return false;
  const unsigned xo = e.xo();
  return xo == 33 || xo == 129 || xo == 193 || xo == 225 || xo == 257 || xo == 289 || xo == 417 || xo == 449;
}

std::uint64_t PowerPc::code_address(const Image& image, const Symbol& symbol) const {
  if (!is64_ || symbol.undefined) return symbol.address;
  const Section* section = image.section_at(symbol.address);
  if (section != nullptr && section->name == ".opd") {  // ELFv1: the first word of a descriptor
    for (const Relocation& r : image.relocations_at(symbol.address, 8))
      if (r.address == symbol.address) return r.target;
    return image.read(symbol.address, 8).value_or(symbol.address);
  }
  // ELFv2 ABI section 3.4.1: bits 5 to 7 of st_other; 2 to 6 are the logarithm of the distance to the local entry.
  const unsigned code = symbol.other >> 5;
  return code >= 2 && code <= 6 ? symbol.address + (std::uint64_t{1} << code) : symbol.address;
}

}  // namespace

const Arch& powerpc64le() {
  static const PowerPc arch{"powerpc64le", "powerpc64le-unknown-linux-gnu", true, true};
  return arch;
}

const Arch& powerpc64() {
  static const PowerPc arch{"powerpc64", "powerpc64-unknown-linux-gnu", true, false};
  return arch;
}

const Arch& powerpc() {
  static const PowerPc arch{"powerpc", "powerpc-unknown-linux-gnu", false, false};
  return arch;
}

}  // namespace trapline
