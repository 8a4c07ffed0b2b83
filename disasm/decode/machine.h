// SPDX-License-Identifier: Apache-2.0
//
// LLVM MC's objects for one DecoderSpec, owned.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/TargetParser/Triple.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/decode/decoder.h"

namespace trapline {

class LlvmMachine {
 public:
  // Throws Error when LLVM lacks the target.
  explicit LlvmMachine(const DecoderSpec& spec);

  bool is_for(const DecoderSpec& spec) const;
  bool is_thumb() const { return triple_.isThumb(); }

  // The size of the instruction at the start of `bytes`, 0 when LLVM does not decode it; `inst` is filled.
  std::uint64_t decode(llvm::MCInst& inst, std::span<const std::uint8_t> bytes, std::uint64_t address) const;
  std::string_view opcode(const llvm::MCInst& inst) const;
  const llvm::MCInstrDesc& desc(const llvm::MCInst& inst) const { return info_->get(inst.getOpcode()); }
  bool may_affect_flow(const llvm::MCInst& inst) const;
  // Names of all registers the instruction writes, explicit, optional, variadic and implicit.
  std::vector<std::string_view> defs(const llvm::MCInst& inst) const;
  std::optional<std::uint64_t> branch_target(const llvm::MCInst& inst, std::uint64_t address, std::uint64_t size) const;
  // As llvm-objdump prints it, with single blanks and no tabs.
  std::string print(const llvm::MCInst& inst, std::uint64_t address) const;

 private:
  DecoderSpec spec_;
  llvm::Triple triple_;
  llvm::MCTargetOptions options_;
  std::unique_ptr<const llvm::MCRegisterInfo> registers_;
  std::unique_ptr<const llvm::MCAsmInfo> asm_info_;
  std::unique_ptr<const llvm::MCInstrInfo> info_;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<const llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<const llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

}  // namespace trapline
