// SPDX-License-Identifier: Apache-2.0
//
// An ELF file of any class and byte order, as one set of plain structs, every offset checked against the file.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/image/image.h"

namespace trapline {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;  // SHT_*
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t align = 0;
  std::uint64_t entry_size = 0;
};

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  std::uint8_t type = 0;     // STT_*
  std::uint8_t binding = 0;  // STB_*
  std::uint8_t other = 0;
  std::uint32_t section = 0;  // section number with SHN_XINDEX resolved, 0 when it is in none
  std::uint16_t shndx = 0;    // st_shndx as it stands
  std::uint32_t index = 0;    // in the table
};

struct ElfRelocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;
  bool has_addend = false;  // RELA
};

class ElfView {
 public:
  // Checks the ELF header, the section headers, the extent of every section and the section names.
  // Throws Error (with `name` as where) on anything else than a well-formed file.
  static std::unique_ptr<ElfView> open(const std::string& name, std::span<const std::uint8_t> bytes);
  virtual ~ElfView() = default;

  const ElfIdentity& identity() const { return identity_; }
  std::uint64_t entry_point() const { return entry_point_; }
  std::span<const ElfSection> sections() const { return sections_; }
  // "section 12 (.text)", for messages.
  std::string label(std::size_t section) const;

  // Calls `visit` for the symbols with these indices, or with null for every symbol, of a SYMTAB or DYNSYM section;
  // never for the null symbol. Throws Error on a malformed table.
  virtual void visit_symbols(std::size_t section, const std::vector<std::uint32_t>* indices,
                             llvm::function_ref<void(const ElfSymbol&)> visit) const = 0;
  virtual std::uint64_t symbol_count(std::size_t section) const = 0;
  // The same for the entries of a REL or RELA section.
  virtual void for_each_relocation(std::size_t section, llvm::function_ref<void(const ElfRelocation&)> visit) const = 0;
  virtual std::uint64_t relocation_count(std::size_t section) const = 0;

  [[noreturn]] void fail(const std::string& what) const;

 protected:
  ElfView(std::string name, std::span<const std::uint8_t> bytes) : name_(std::move(name)), bytes_(bytes) {}
  std::span<const std::uint8_t> contents(std::size_t section) const;
  // The string table `section`, ending in NUL. `user` says who wants it.
  std::string_view string_table(std::uint64_t section, const std::string& user) const;
  std::string_view string_at(std::string_view table, std::uint64_t offset, const std::string& user) const;
  void check_extents() const;

  std::string name_;
  std::span<const std::uint8_t> bytes_;
  ElfIdentity identity_;
  std::uint64_t entry_point_ = 0;
  std::vector<ElfSection> sections_;
};

}  // namespace trapline
