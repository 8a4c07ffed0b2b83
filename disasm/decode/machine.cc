// SPDX-License-Identifier: Apache-2.0
#include "disasm/decode/machine.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include "disasm/decode/llvm_targets.h"
#include "disasm/error.h"

namespace trapline {

LlvmMachine::LlvmMachine(const DecoderSpec& spec) : spec_(spec), triple_(spec.triple) {
  const llvm::Target& target = llvm_target(spec.triple);
  registers_.reset(target.createMCRegInfo(triple_));
  if (registers_ != nullptr) asm_info_.reset(target.createMCAsmInfo(*registers_, triple_, options_));
  info_.reset(target.createMCInstrInfo());
  subtarget_.reset(target.createMCSubtargetInfo(triple_, spec.cpu, spec.features));
  if (asm_info_ != nullptr && info_ != nullptr && subtarget_ != nullptr) {
    context_ = std::make_unique<llvm::MCContext>(triple_, asm_info_.get(), registers_.get(), subtarget_.get());
    disassembler_.reset(target.createMCDisassembler(*subtarget_, *context_));
    analysis_.reset(target.createMCInstrAnalysis(info_.get()));
    printer_.reset(
        target.createMCInstPrinter(triple_, asm_info_->getAssemblerDialect(), *asm_info_, *info_, *registers_));
  }
  if (disassembler_ == nullptr || printer_ == nullptr)
    throw Error(
        fmt::format("LLVM has no disassembler for {}; trapline needs an LLVM 22 built with that target", spec.triple));
  printer_->setPrintImmHex(true);
  printer_->setPrintBranchImmAsAddress(true);
}

bool LlvmMachine::is_for(const DecoderSpec& spec) const {
  return spec.triple == spec_.triple && spec.cpu == spec_.cpu && spec.features == spec_.features;
}

std::uint64_t LlvmMachine::decode(llvm::MCInst& inst, std::span<const std::uint8_t> bytes,
                                  std::uint64_t address) const {
  std::uint64_t size = 0;
  const llvm::MCDisassembler::DecodeStatus status =
      disassembler_->getInstruction(inst, size, {bytes.data(), bytes.size()}, address, llvm::nulls());
  // SoftFail is an encoding that the manual calls unpredictable: objdump prints it, and so do we.
  return status == llvm::MCDisassembler::Fail || size > bytes.size() ? 0 : size;
}

std::string_view LlvmMachine::opcode(const llvm::MCInst& inst) const { return info_->getName(inst.getOpcode()); }

// The description alone misses RISC-V's jal, the analysis alone what only writes the program counter somewhere.
bool LlvmMachine::may_affect_flow(const llvm::MCInst& inst) const {
  return desc(inst).mayAffectControlFlow(inst, *registers_) ||
         (analysis_ != nullptr && analysis_->mayAffectControlFlow(inst, *registers_));
}

std::vector<std::string_view> LlvmMachine::defs(const llvm::MCInst& inst) const {
  std::vector<std::string_view> names;
  const auto add = [&](llvm::MCRegister reg) {
    if (reg.isValid()) names.emplace_back(registers_->getName(reg));
  };
  const llvm::MCInstrDesc& d = desc(inst);
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const llvm::MCOperand& operand = inst.getOperand(i);
    if (!operand.isReg()) continue;
    const bool variadic = i >= d.getNumOperands();
    const bool written =
        i < d.getNumDefs() || (variadic && d.variadicOpsAreDefs()) || (!variadic && d.operands()[i].isOptionalDef());
    if (written) add(operand.getReg());
  }
  for (const llvm::MCPhysReg reg : d.implicit_defs()) add(reg);
  return names;
}

std::optional<std::uint64_t> LlvmMachine::branch_target(const llvm::MCInst& inst, std::uint64_t address,
                                                        std::uint64_t size) const {
  std::uint64_t target = 0;
  if (analysis_ == nullptr || !analysis_->evaluateBranch(inst, address, size, target)) return std::nullopt;
  return target;
}

std::string LlvmMachine::print(const llvm::MCInst& inst, std::uint64_t address) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  printer_->printInst(&inst, address, "", *subtarget_, out);
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace trapline
