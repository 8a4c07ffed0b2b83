// SPDX-License-Identifier: Apache-2.0
//
// .la_abs: code that is copied elsewhere (the exception stubs) must form absolute addresses, which a relocatable kernel
// knows only at boot. The macro la_abs leaves
//
//   lu12i.w rd, 0;  ori rd, rd, 0;  lu32i.d rd, 0;  lu52i.d rd, rd, 0        (LA32: the first two)
//
// and a record {address of the lu12i.w, address wanted}. In an object file both words come through relocations.
#include "disasm/arch/loongarch/patches.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <array>
#include <optional>

#include "disasm/arch/loongarch/encoding.h"
#include "disasm/error.h"

namespace trapline::loongarch {
namespace {

constexpr std::string_view table_name = ".la_abs";

// One instruction of the sequence: its fixed leading bits, where its immediate is, and which bits of the address go
// there.
struct Piece {
  std::uint32_t opcode;
  unsigned opcode_bits;    // leading bits of the word that are the opcode
  unsigned immediate_low;  // lowest bit of the immediate
  unsigned immediate_bits;
  unsigned address_low;  // lowest bit of the address that the immediate holds
  bool reads_register;   // rj is the register that is built
};
constexpr std::array<Piece, 4> pieces = {{
    {0b0001010, 7, 5, 20, 12, false},      // lu12i.w rd, si20
    {0b0000001110, 10, 10, 12, 0, true},   // ori rd, rj, ui12
    {0b0001011, 7, 5, 20, 32, false},      // lu32i.d rd, si20
    {0b0000001100, 10, 10, 12, 52, true},  // lu52i.d rd, rj, si12
}};

bool matches(const Piece& piece, Encoding e, unsigned rd) {
  return e.word >> (32 - piece.opcode_bits) == piece.opcode && e.rd() == rd && (!piece.reads_register || e.rj() == rd);
}

std::uint32_t with_address(const Piece& piece, std::uint32_t word, std::uint64_t address) {
  const std::uint32_t mask = ((std::uint32_t{1} << piece.immediate_bits) - 1) << piece.immediate_low;
  const auto part = static_cast<std::uint32_t>(address >> piece.address_low);
  return (word & ~mask) | (part << piece.immediate_low & mask);
}

class Table {
 public:
  Table(Image& image, const Section& section, unsigned word_bytes)
      : image_(image), section_(section), word_bytes_(word_bytes) {}

  void apply() {
    const unsigned record = 2 * word_bytes_;
    if (section_.size % record != 0) {
      fail(section_.size - section_.size % record,
           fmt::format("the record is cut off: a table of {} bytes is no multiple of {}", section_.size, record));
    }
    for (std::uint64_t at = 0; at < section_.size; at += record) apply_record(at);
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw Error(image_.path(), fmt::format("section {}, offset {:#x}: {}; the file is damaged or was not made by the "
                                           "kernel's linker script: build it again",
                                           table_name, at, what));
  }

  std::uint64_t word(std::uint64_t at) const {
    const std::uint32_t absolute = word_bytes_ == 8 ? llvm::ELF::R_LARCH_64 : llvm::ELF::R_LARCH_32;
    for (const Relocation& relocation : image_.relocations_at(section_.address + at, word_bytes_)) {
      if (relocation.type == absolute) return relocation.target;
    }
    const std::optional<std::uint64_t> value = image_.read(section_.address + at, word_bytes_);
    if (!value) fail(at, "the table is not in the file");
    return *value;
  }

  void apply_record(std::uint64_t at) {
    const std::uint64_t code = word(at);
    const std::uint64_t address = word(at + word_bytes_);
    const std::size_t count = word_bytes_ == 8 ? 4 : 2;
    std::array<std::uint32_t, pieces.size()> words{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t where = code + 4 * i;
      const std::optional<std::uint64_t> bytes = image_.read(where, 4);
      if (!bytes || where % 4 != 0 || !image_.is_code(where)) {
        fail(at, fmt::format("{:#x} is no address of code", image_.shown(where)));
      }
      words[i] = static_cast<std::uint32_t>(*bytes);
      if (!matches(pieces[i], {words[i]}, Encoding{words[0]}.rd())) {
        fail(at, fmt::format("the instructions at {:#x} do not load an address (lu12i.w, ori{})", image_.shown(code),
                             count == 4 ? ", lu32i.d, lu52i.d" : ""));
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      image_.patch(code + 4 * i, with_address(pieces[i], words[i], address), 4);
    }
  }

  Image& image_;
  const Section& section_;
  unsigned word_bytes_;
};

}  // namespace

void apply_la_abs(Image& image, unsigned word_bytes) {
  for (const Section& section : image.sections()) {
    if (section.name == table_name && section.allocated) Table(image, section, word_bytes).apply();
  }
}

}  // namespace trapline::loongarch
