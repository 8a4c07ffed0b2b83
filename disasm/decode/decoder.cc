// SPDX-License-Identifier: Apache-2.0
#include "disasm/decode/decoder.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>

#include "disasm/arch/arch.h"
#include "disasm/decode/machine.h"
#include "disasm/image/image.h"

namespace trapline {

struct Decoder::Impl {
  explicit Impl(const Image& i)
      : image(i), arch(i.arch()), little_endian_code(i.elf().little_endian != i.arch().swapped_code(i.elf())) {}

  const LlvmMachine& machine_at(std::uint64_t address);
  std::uint32_t word_of(const LlvmMachine& machine, std::span<const std::uint8_t> bytes) const;
  void add_fixes(Decoded& decoded) const;
  Decoded raw(std::uint64_t address, llvm::MCInst& inst);
  Insn lift(const Decoded& decoded);

  const Image& image;
  const Arch& arch;
  bool little_endian_code;
  std::vector<std::unique_ptr<LlvmMachine>> machines;
  const DecoderSpec* last_spec = nullptr;  // of last_machine
  const LlvmMachine* last_machine = nullptr;

  // Paths come back to the same instructions: a direct-mapped cache of lifted ones.
  static constexpr std::size_t cache_size = 4096;
  struct CacheEntry {
    bool filled = false;
    Insn insn;
  };
  std::vector<CacheEntry> cache;
};

const LlvmMachine& Decoder::Impl::machine_at(std::uint64_t address) {
  const DecoderSpec& spec = arch.decoder_spec(image, address);
  if (&spec == last_spec) return *last_machine;
  auto found = std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m->is_for(spec); });
  if (found == machines.end()) {
    machines.push_back(std::make_unique<LlvmMachine>(spec));
    found = std::prev(machines.end());
  }
  last_spec = &spec;
  last_machine = found->get();
  return *last_machine;
}

// The first four bytes (two, when there are no more) as the manual draws them: a Thumb instruction is two halfwords,
// the first one in the upper half.
std::uint32_t Decoder::Impl::word_of(const LlvmMachine& machine, std::span<const std::uint8_t> bytes) const {
  const auto number = [&](std::span<const std::uint8_t> part) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      value = value << 8 | part[little_endian_code ? part.size() - 1 - i : i];
    return value;
  };
  const std::span<const std::uint8_t> part = bytes.first(std::min<std::size_t>(bytes.size(), 4));
  if (machine.is_thumb() && part.size() == 4) return number(part.first(2)) << 16 | number(part.subspan(2));
  return number(part);
}

// The target of a branch whose field the linker fills. LLVM evaluates the field as it stands in the file: zero for
// RELA, the addend for REL; either way its distance from what the linker computes is the same S + A - P.
void Decoder::Impl::add_fixes(Decoded& decoded) const {
  bool retargeted = false;
  for (const Relocation& r : image.relocations_at(decoded.address, decoded.size)) {
    decoded.fixes.push_back({r.type, r.target, r.address - decoded.address});
    if (r.symbol == 0 || !decoded.target || retargeted) continue;
    retargeted = true;
    const std::uint64_t in_field = r.in_place ? static_cast<std::uint64_t>(r.addend) : 0;
    *decoded.target += r.target - in_field - r.address;
    if (image.elf().machine == llvm::ELF::EM_ARM) *decoded.target &= ~std::uint64_t{1};  // the symbol's Thumb bit
  }
}

Decoded Decoder::Impl::raw(std::uint64_t address, llvm::MCInst& inst) {
  Decoded decoded;
  decoded.address = address;
  if (!image.is_code(address)) return decoded;
  const std::span<const std::uint8_t> bytes = image.bytes_at(address);
  const unsigned unit = arch.unit(image, address);
  if (bytes.size() < unit) return decoded;
  const LlvmMachine& machine = machine_at(address);
  const std::uint64_t size = machine.decode(inst, bytes, address);
  decoded.valid = size != 0;
  decoded.size = static_cast<std::uint8_t>(decoded.valid ? size : unit);
  decoded.bytes = bytes.first(decoded.size);
  // An undecoded word may still be known to the architecture, and longer than its smallest unit.
  decoded.word = word_of(machine, decoded.valid ? decoded.bytes : bytes.first(std::min<std::size_t>(bytes.size(), 4)));
  if (decoded.valid) {
    const llvm::MCInstrDesc& desc = machine.desc(inst);
    decoded.opcode = machine.opcode(inst);
    decoded.defs = machine.defs(inst);
    decoded.may_load = desc.mayLoad();
    decoded.may_store = desc.mayStore();
    decoded.may_affect_flow = machine.may_affect_flow(inst);
    // LLVM also evaluates PC-relative instructions that are no branches (AArch64 adrp).
    if (decoded.may_affect_flow) decoded.target = machine.branch_target(inst, address, size);
  }
  add_fixes(decoded);
  if (decoded.target) decoded.target = image.resolve(*decoded.target, address);
  return decoded;
}

Insn Decoder::Impl::lift(const Decoded& decoded) {
  Insn insn;
  if (decoded.size != 0) {
    insn = arch.lift(image, decoded);
    if (insn.size == 0) insn.size = decoded.size;
    if (insn.flow == Flow::unknown) {
      insn = Insn();
      insn.size = static_cast<std::uint8_t>(arch.unit(image, decoded.address));
    }
    insn.word = decoded.word;
  }
  insn.address = decoded.address;
  return insn;
}

Decoder::Decoder(const Image& image) : impl_(std::make_unique<Impl>(image)) {}
Decoder::~Decoder() = default;

Insn Decoder::decode(std::uint64_t address) const {
  Impl& impl = *impl_;
  if (impl.cache.empty()) impl.cache.resize(Impl::cache_size);
  Impl::CacheEntry& entry = impl.cache[(address >> 1 ^ address >> 13) % Impl::cache_size];
  if (!entry.filled || entry.insn.address != address) {
    llvm::MCInst inst;
    entry.insn = impl.lift(impl.raw(address, inst));
    entry.filled = true;
  }
  return entry.insn;
}

Decoded Decoder::raw(std::uint64_t address) const {
  llvm::MCInst inst;
  return impl_->raw(address, inst);
}

std::string Decoder::text(std::uint64_t address) const {
  llvm::MCInst inst;
  const Decoded decoded = impl_->raw(address, inst);
  if (!decoded.valid) {
    const std::string known = decoded.size == 0 ? std::string() : impl_->arch.text(decoded);
    return known.empty() ? "<unknown>" : known;
  }
  std::string text = impl_->machine_at(address).print(inst, impl_->image.shown(address));
  const std::optional<std::uint64_t> lifted = impl_->lift(decoded).target;
  const std::optional<std::uint64_t> target = lifted ? lifted : decoded.target;
  if (!target) return text;
  // The target of a direct branch is its last operand on every architecture.
  const std::size_t blank = text.find_last_of(' ');
  if (blank == std::string::npos) return text;
  return text.substr(0, blank + 1) + impl_->image.describe(*target);
}

std::string check_flow(const Decoded& decoded, const Insn& insn) {
  if (!decoded.valid || insn.flow == Flow::unknown) return {};
  if (decoded.may_affect_flow && insn.flow == Flow::next)
    return fmt::format("{} ({:#010x}) may affect control flow for LLVM, but the lifter lets it fall through",
                       decoded.opcode, decoded.word);
  if (decoded.target && insn.target && *decoded.target != *insn.target)
    return fmt::format("{} ({:#010x}) goes to {:#x} for LLVM, to {:#x} for the lifter", decoded.opcode, decoded.word,
                       *decoded.target, *insn.target);
  return {};
}

}  // namespace trapline
