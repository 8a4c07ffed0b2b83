// SPDX-License-Identifier: Apache-2.0
//
// Sources: ELF for the Arm Architecture (IHI 0044, "Static Arm relocations", "Static Thumb32 relocations"); System V
// ABI, Intel386 supplement; System V ABI, MIPS RISC processor supplement.
#include "disasm/image/addend.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/MathExtras.h>

namespace trapline {
namespace {

namespace elf = llvm::ELF;

struct Field {
  std::span<const std::uint8_t> bytes;
  llvm::endianness order;

  bool has(std::size_t n) const { return bytes.size() >= n; }
  std::uint32_t u8() const { return has(1) ? bytes[0] : 0; }
  std::uint32_t u16(std::size_t at = 0) const {
    return has(at + 2) ? llvm::support::endian::read<std::uint16_t>(bytes.data() + at, order) : 0;
  }
  std::uint32_t u32() const { return has(4) ? llvm::support::endian::read<std::uint32_t>(bytes.data(), order) : 0; }
  std::int64_t s32() const { return static_cast<std::int32_t>(u32()); }
};

std::int64_t arm_thumb(std::uint32_t type, const Field& f) {
  const std::uint32_t hi = f.u16(0);
  const std::uint32_t lo = f.u16(2);
  switch (type) {
    case elf::R_ARM_THM_CALL:
    case elf::R_ARM_THM_JUMP24: {
      // S:I1:I2:imm10:imm11:0 with I = NOT(J XOR S).
      const std::uint32_t s = hi >> 10 & 1;
      const std::uint32_t i1 = ~((lo >> 13 & 1) ^ s) & 1;
      const std::uint32_t i2 = ~((lo >> 11 & 1) ^ s) & 1;
      return llvm::SignExtend64<25>(s << 24 | i1 << 23 | i2 << 22 | (hi & 0x3ff) << 12 | (lo & 0x7ff) << 1);
    }
    case elf::R_ARM_THM_JUMP19:
      // S:J2:J1:imm6:imm11:0
      return llvm::SignExtend64<21>((hi >> 10 & 1) << 20 | (lo >> 11 & 1) << 19 | (lo >> 13 & 1) << 18 |
                                    (hi & 0x3f) << 12 | (lo & 0x7ff) << 1);
    case elf::R_ARM_THM_JUMP11:
      return llvm::SignExtend64<12>((hi & 0x7ff) << 1);
    case elf::R_ARM_THM_JUMP8:
      return llvm::SignExtend64<9>((hi & 0xff) << 1);
    case elf::R_ARM_THM_MOVW_ABS_NC:
    case elf::R_ARM_THM_MOVT_ABS:
    case elf::R_ARM_THM_MOVW_PREL_NC:
    case elf::R_ARM_THM_MOVT_PREL:
      // imm4:i:imm3:imm8
      return llvm::SignExtend64<16>((hi & 0xf) << 12 | (hi >> 10 & 1) << 11 | (lo >> 12 & 7) << 8 | (lo & 0xff));
    default:
      return 0;
  }
}

std::int64_t arm(std::uint32_t type, const Field& f) {
  const std::uint32_t word = f.u32();
  switch (type) {
    case elf::R_ARM_PC24:
    case elf::R_ARM_CALL:
    case elf::R_ARM_JUMP24:
    case elf::R_ARM_PLT32:
      return llvm::SignExtend64<26>((word & 0xffffff) << 2);
    case elf::R_ARM_MOVW_ABS_NC:
    case elf::R_ARM_MOVT_ABS:
    case elf::R_ARM_MOVW_PREL_NC:
    case elf::R_ARM_MOVT_PREL:
      // imm4:imm12; both halves of a pair hold the whole (16-bit) addend.
      return llvm::SignExtend64<16>((word >> 4 & 0xf000) | (word & 0xfff));
    case elf::R_ARM_LDR_PC_G0: {
      const std::int64_t offset = word & 0xfff;
      return (word >> 23 & 1) != 0 ? offset : -offset;
    }
    case elf::R_ARM_ABS32:
    case elf::R_ARM_REL32:
    case elf::R_ARM_TARGET1:
    case elf::R_ARM_TARGET2:
    case elf::R_ARM_GOT_PREL:
    case elf::R_ARM_GOTOFF32:
    case elf::R_ARM_GOT_BREL:
      return f.s32();
    case elf::R_ARM_PREL31:
      return llvm::SignExtend64<31>(word & 0x7fffffff);
    case elf::R_ARM_ABS16:
      return llvm::SignExtend64<16>(f.u16());
    case elf::R_ARM_ABS8:
      return llvm::SignExtend64<8>(f.u8());
    default:
      return arm_thumb(type, f);
  }
}

std::int64_t i386(std::uint32_t type, const Field& f) {
  switch (type) {
    case elf::R_386_32:
    case elf::R_386_PC32:
    case elf::R_386_PLT32:
    case elf::R_386_GOT32:
    case elf::R_386_GOT32X:
    case elf::R_386_GOTOFF:
    case elf::R_386_GOTPC:
      return f.s32();
    case elf::R_386_16:
    case elf::R_386_PC16:
      return llvm::SignExtend64<16>(f.u16());
    case elf::R_386_8:
    case elf::R_386_PC8:
      return llvm::SignExtend64<8>(f.u8());
    default:
      return 0;
  }
}

std::int64_t mips(std::uint32_t type, const Field& f) {
  const std::uint32_t word = f.u32();
  switch (type) {
    case elf::R_MIPS_32:
    case elf::R_MIPS_PC32:
      return f.s32();
    case elf::R_MIPS_26:
      return static_cast<std::int64_t>((word & 0x3ffffff) << 2);
    case elf::R_MIPS_PC16:
      return llvm::SignExtend64<18>((word & 0xffff) << 2);
    case elf::R_MIPS_HI16:
      return llvm::SignExtend64<32>(std::uint64_t{word & 0xffff} << 16);
    case elf::R_MIPS_LO16:
      return llvm::SignExtend64<16>(word & 0xffff);
    default:
      return 0;
  }
}

}  // namespace

std::int64_t implicit_addend(const ElfIdentity& identity, std::uint32_t type, std::span<const std::uint8_t> field) {
  const Field f{field, identity.little_endian ? llvm::endianness::little : llvm::endianness::big};
  switch (identity.machine) {
    case elf::EM_ARM:
      return arm(type, f);
    case elf::EM_386:
      return i386(type, f);
    case elf::EM_MIPS:
      return mips(type, f);
    default:
      return 0;
  }
}

}  // namespace trapline
