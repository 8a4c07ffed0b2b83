// SPDX-License-Identifier: Apache-2.0
//
// The seam between trapline and one architecture. Adding an architecture is a folder that implements this and one line
// in list.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "disasm/arch/facts.h"
#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline {

struct CapstoneSpec;  // disasm/decode/capstone.h
struct PatchTables;   // disasm/arch/patch_tables.h

class Arch {
 public:
  virtual ~Arch() = default;

  // The name that reports use ("loongarch64"); one object per name.
  virtual std::string_view name() const = 0;
  // Does this architecture read a file with that header?
  virtual bool matches(const ElfIdentity& elf) const = 0;
  // What LLVM MC is told for code at `address` (ARM: the mapping symbols decide between ARM and Thumb). Equal specs
  // share a decoder.
  virtual const DecoderSpec& decoder_spec(const Image& image, std::uint64_t address) const = 0;
  // How Capstone is asked for its opinion on code at `address`; null where it does not know the architecture. One
  // object for all code of one kind.
  virtual const CapstoneSpec* second_decoder(const Image& image, std::uint64_t address) const {
    (void)image;
    (void)address;
    return nullptr;
  }
  // Smallest instruction unit in bytes: what an undecodable word is skipped by.
  virtual unsigned unit(const Image& image, std::uint64_t address) const = 0;
  // What one instruction does. Called for words that LLVM MC decodes and for those it does not (PowerPC rfscv):
  // the architecture's own terminators come first. An Insn that is left at Flow::unknown is undecoded.
  // Facts not known to the lifter: the registers in Decoded::defs become clobbered, the class follows may_load and
  // may_store.
  virtual Insn lift(const Image& image, const Decoded& decoded) const = 0;
  // The text of a word that LLVM MC does not decode but lift does (PowerPC rfscv); empty for any other.
  virtual std::string text(const Decoded& decoded) const {
    (void)decoded;
    return {};
  }
  virtual const Facts& facts() const = 0;
  // The facts as this image has them, where they depend on the kernel's version or ABI (PowerPC: where pt_regs lies
  // above the stack pointer).
  virtual const Facts& facts_for(const Image& image) const {
    (void)image;
    return facts();
  }
  // Fix-ups that are always applied before the code runs (LoongArch .la_abs, self-relocation): written into
  // the mapped image. A malformed table throws Error.
  virtual void apply_fix_ups(Image& image) const { (void)image; }
  // What a reader must know of the variant that the bytes show ("as linked, 41 feature sections not resolved"); empty
  // when there is nothing to say.
  virtual std::string variant_note(const Image& image) const {
    (void)image;
    return {};
  }
  // The code that boot rewrites. Never fails: what makes no sense is reported in PatchTables::problems and left out.
  virtual PatchTables patch_tables(const Image& image) const;
  // Does the instruction set or clear, on purpose, the bit in which a system call and a function of the vDSO say
  // whether they failed (Facts::error_flag)?
  virtual bool sets_error_flag(const Insn& insn) const {
    (void)insn;
    return false;
  }
  // The byte order of instructions differs from that of data (ARM BE8).
  virtual bool swapped_code(const ElfIdentity& elf) const {
    (void)elf;
    return false;
  }
  // The cheapest way to branch when any bit of `wanted` is set in a word of flags, and on no other bit of `defined`: a
  // few instructions as the assembler takes them, rN being the word. Empty: nothing is known. Both masks are not zero.
  virtual std::string flags_test(std::uint64_t wanted, std::uint64_t defined) const {
    (void)wanted;
    (void)defined;
    return {};
  }
  // The address that a call to a function symbol's value really enters, and the reverse: PowerPC ELFv2 local entry
  // points, Thumb bit 0, ELFv1 descriptors. Returns `address` itself where there is no such thing.
  virtual std::uint64_t code_address(const Image& image, const Symbol& symbol) const {
    (void)image;
    return symbol.address;
  }
};

// The architecture's facts as this image has them: facts_for, with the layouts of pt_regs taken from the image's own
// BTF where it has one. What the rest of the program asks.
const Facts& facts_of(const Image& image);
// Why the image's BTF was not used ("a BTF type at offset 0x40 is cut off"); empty when it has none, or it was used.
const std::string& layout_problem(const Image& image);

// All architectures, in a fixed order.
std::span<const Arch* const> all_archs();
// The one that reads a file with this header, or null.
const Arch* find_arch(const ElfIdentity& elf);

}  // namespace trapline
