// SPDX-License-Identifier: Apache-2.0
//
// Bytes in, instructions out: LLVM MC says what is an instruction and how it prints, the architecture's lifter says
// what it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/insn.h"

namespace trapline {

class Image;

// What LLVM MC is told about a machine. A feature list is explicit, since defaults leave kernel instructions unknown.
struct DecoderSpec {
  std::string triple;
  std::string cpu;
  std::string features;
};

// One word as LLVM MC sees it, for the lifter.
struct Decoded {
  std::uint64_t address = 0;
  std::span<const std::uint8_t> bytes;  // exactly the instruction
  std::uint32_t word = 0;  // first four bytes (or two) in the instruction byte order, as the manual draws them
  std::uint8_t size = 0;
  bool valid = false;                  // LLVM MC decodes it
  std::string_view opcode;             // LLVM's name of the opcode ("LD_D"), empty when not valid
  std::vector<std::string_view> defs;  // LLVM's names of the registers it writes, explicit and implicit
  bool may_load = false;               // from code generation: a hint only (see the design)
  bool may_store = false;
  bool may_affect_flow = false;  // MCInstrDesc::mayAffectControlFlow or MCInstrAnalysis's
  // MCInstrAnalysis::evaluateBranch; with the relocation applied when an object has one here that names a symbol, and
  // with Image::resolve.
  std::optional<std::uint64_t> target;
  // Relocations of an object file inside these bytes: what the linker will put there.
  struct Fix {
    std::uint32_t type;
    std::uint64_t target;  // internal address of symbol + addend (x86 and ARM branches have the PC bias in the addend)
    std::uint64_t offset;  // within the instruction
  };
  std::vector<Fix> fixes;
};

class Decoder {
 public:
  // For the code of one image. Throws Error when LLVM lacks the target.
  explicit Decoder(const Image& image);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // The instruction at `address`, lifted. Never fails: an undecodable word is an Insn of class and flow
  // unknown whose size is the architecture's smallest unit; outside code, or where fewer bytes are left than an
  // instruction has, size is 0.
  Insn decode(std::uint64_t address) const;
  // LLVM MC's view alone.
  Decoded raw(std::uint64_t address) const;
  // The text that llvm-objdump prints, tab between mnemonic and operands replaced by a blank, with branch targets by
  // symbol. "<unknown>" for an undecodable word.
  std::string text(std::uint64_t address) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A message when LLVM and the lifter contradict each other about control flow (an internal error, for a test
// over real kernels): LLVM says that control flow may change and the lifter says Flow::next, or both give a target
// and the targets differ. Empty when they agree.
std::string check_flow(const Decoded& decoded, const Insn& insn);

}  // namespace trapline
