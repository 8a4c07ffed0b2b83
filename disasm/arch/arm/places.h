// SPDX-License-Identifier: Apache-2.0
//
// The register-like things of 32-bit ARM, and which of them an instruction means in which processor mode
// (ARM ARM DDI 0406, B1.3.2: banked registers).
#pragma once

#include <cstdint>

#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::arm_arch {

// clang-format off
enum : Place {
  // r0 to r12 are the registers of every mode but FIQ; sp and lr are those of SVC mode, in which the kernel runs.
  r0 = 0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, sp, lr,
  sp_usr, lr_usr,
  pc,     // where an exception return goes; written by the return itself
  flags,  // N, Z, C, V of the CPSR
  cpsr,   // the rest of the CPSR: mode, interrupt masks
  spsr,   // of SVC mode
  r8_fiq, r9_fiq, r10_fiq, r11_fiq, r12_fiq, sp_fiq, lr_fiq, spsr_fiq,
  sp_irq, lr_irq, spsr_irq,
  sp_abt, lr_abt, spsr_abt,
  sp_und, lr_und, spsr_und,
  sp_mon, lr_mon, spsr_mon,
  sp_hyp, elr_hyp, spsr_hyp,
  // Coprocessor 15. What is not listed is not followed.
  tpidrprw, tpidruro, tpidrurw, contextidr, dacr, sctlr, cpacr, ttbr0, ttbcr,
  place_count
};
// clang-format on

// Mode field of the CPSR, bits 4 to 0.
enum class Mode : std::uint8_t {
  usr = 0x10,
  fiq = 0x11,
  irq = 0x12,
  svc = 0x13,
  mon = 0x16,
  abt = 0x17,
  hyp = 0x1a,
  und = 0x1b,
  sys = 0x1f
};

// The place that register `n` (0 to 14) means in `mode`.
Place banked(unsigned n, Mode mode);
// The saved program status register of `mode`; that of SVC mode where the mode has none.
Place saved_status(Mode mode);
// The mode in which the ARM-state instruction at `address` runs, as far as its surroundings tell: the stub it is in,
// or a `msr CPSR_c, #imm` or `cps #mode` in straight line above it, else SVC.
Mode mode_at(const Image& image, std::uint64_t address);
// Is `address` in the stubs behind the vector page?
bool in_stubs(const Image& image, std::uint64_t address);

}  // namespace trapline::arm_arch
