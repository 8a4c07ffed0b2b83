// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "disasm/image/elf_view.h"
#include "disasm/image/image.h"
#include "disasm/image/layout.h"
#include "disasm/image/storage.h"

namespace trapline {

struct VdsoView;

SymbolType symbol_type(std::uint8_t type);           // of an STT_*
SymbolBinding symbol_binding(std::uint8_t binding);  // of an STB_*

// Fills an Image from its bytes.
class ElfReader {
 public:
  // Throws Error on anything that is not a well-formed image of a supported machine.
  static std::unique_ptr<Image> read(std::string name, std::unique_ptr<Image::Storage> storage);

 private:
  ElfReader(Image& image, const ElfView& elf) : image_(image), elf_(elf), layout_(lay_out(elf)) {}

  void read_sections();
  void require_code() const;
  void find_kind();
  void find_build_id();
  void read_symbols();
  std::uint64_t place(const ElfSymbol& symbol);
  bool wanted(const ElfSymbol& symbol) const;
  bool is_mapping(const ElfSymbol& symbol) const;
  // What orders symbols: by address, then by preference, then by index.
  struct SymbolKey {
    std::uint64_t address;
    std::uint32_t rank;
    std::uint32_t index;
  };
  std::vector<Symbol> sorted_symbols(std::vector<SymbolKey> keys) const;
  void read_exports();  // this and the next: vdso_exports.cc
  void take_exports(const VdsoView& view);
  void read_relocations();
  void read_relocations_of(std::size_t section);
  void relocate_self();
  bool is_object() const;

  Image& image_;
  const ElfView& elf_;
  Layout layout_;
  std::size_t symbol_table_ = 0;  // ELF section number, 0: none
  std::uint64_t undefined_count_ = 0;
  std::vector<std::uint64_t> symbol_addresses_;  // by index in the symbol table; of objects only
};

}  // namespace trapline
