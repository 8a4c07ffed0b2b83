// SPDX-License-Identifier: Apache-2.0
//
// One ELF file, mapped: sections, symbols, relocations. Reading never changes the file.
//
// Addresses. Inside trapline every byte of an image has one *internal* address. In a linked image it is the
// address in the file, except where two executable sections share addresses (ARM's three vector pages): the later ones
// are shifted by their section's `bias`. In a relocatable object every section starts at 0, so each allocated
// section gets a bias of its own, and undefined symbols get addresses in a range where nothing is mapped. What is shown
// to a user is always `shown(address)`, the number that objdump prints.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trapline {

class Arch;
struct Facts;

enum class ImageKind : std::uint8_t { vmlinux, vdso, object, module };

struct Section {
  std::string_view name;
  std::uint64_t address = 0;  // internal
  std::uint64_t bias = 0;     // internal address minus the address that objdump shows
  std::uint64_t size = 0;     // bytes in memory
  std::uint64_t file_offset = 0;
  std::span<std::uint8_t> bytes;  // empty for NOBITS; private to this process, fix-ups are written here
  std::uint32_t index = 0;        // ELF section number
  bool allocated = false;
  bool executable = false;
  bool writable = false;
};

enum class SymbolType : std::uint8_t { notype, object, func, section, file, tls, ifunc, other };
enum class SymbolBinding : std::uint8_t { local, global, weak, other };

struct Symbol {
  std::string_view name;
  std::uint64_t address = 0;  // internal; for an undefined symbol its place holder; with the Thumb bit of 32-bit ARM
  std::uint64_t size = 0;     // 0 when unknown
  SymbolType type = SymbolType::notype;
  SymbolBinding binding = SymbolBinding::local;
  std::uint8_t other = 0;         // st_other
  std::uint32_t section = 0;      // ELF section number, 0 when undefined
  std::uint32_t table_index = 0;  // position in the symbol table
  bool absolute = false;
  bool undefined = false;
};

// A dynamic symbol that a vDSO defines for its users.
struct Export {
  Symbol symbol;             // as the dynamic symbol table has it
  std::string_view version;  // the version it is exported at ("LINUX_2.6.15"); empty: none
};

// A relocation of a relocatable object, at the internal address of the bytes it changes.
struct Relocation {
  std::uint64_t address = 0;
  std::uint32_t type = 0;    // R_<MACHINE>_*
  std::uint64_t target = 0;  // internal address of symbol + addend
  std::uint32_t symbol = 0;  // index into the ELF symbol table, 0 when none
  std::int64_t addend = 0;
  bool in_place = false;  // REL: the addend was read from the bytes (which still hold it)
};

// What the ELF header says.
struct ElfIdentity {
  std::uint16_t machine = 0;  // EM_*
  bool is64 = false;
  bool little_endian = true;
  std::uint16_t type = 0;   // ET_*
  std::uint32_t flags = 0;  // e_flags
};

class Image {
 public:
  // Reads `path` ("-": standard input). Throws Error on anything that is not a well-formed ELF image of a known
  // machine: file, offset, what is wrong, what to do.
  static std::unique_ptr<Image> open(const std::string& path);
  // The same from memory; `name` is what error messages and reports call it.
  static std::unique_ptr<Image> from_bytes(std::string name, std::span<const std::uint8_t> bytes);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const std::string& path() const { return path_; }
  ImageKind kind() const { return kind_; }
  const ElfIdentity& elf() const { return elf_; }
  const Arch& arch() const { return *arch_; }
  const std::string& build_id() const { return build_id_; }  // hexadecimal, empty when there is none
  std::uint64_t entry_point() const { return entry_point_; }

  std::span<const Section> sections() const { return sections_; }
  // Sorted by address; at one address the preferred name first: global before weak before local, FUNC before
  // NOTYPE, then symbol-table order. No section, file, absolute, mapping ($a, $d, $x) or compiler-local (.L, L0^A)
  // symbols.
  std::span<const Symbol> symbols() const { return symbols_; }
  // What a vDSO exports, in the order of its dynamic symbol table; empty for any other image.
  std::span<const Export> exports() const { return exports_; }
  // Mapping symbols of ARM and AArch64 ($a, $t, $d, $x), sorted by address.
  std::span<const Symbol> mapping_symbols() const { return mapping_symbols_; }

  // The section that holds `address`, or null.
  const Section* section_at(std::uint64_t address) const;
  const Section* section_named(std::string_view name) const;
  bool is_code(std::uint64_t address) const;

  // Look-ups by address take a Thumb function for where its code is, whether or not bit 0 is set.
  // The preferred symbol exactly at `address`, or null.
  const Symbol* symbol_at(std::uint64_t address) const;
  // All symbols exactly at `address`, preferred first.
  std::span<const Symbol> symbols_at(std::uint64_t address) const;
  // The preferred symbol at or nearest below `address` in the same section, or null.
  const Symbol* enclosing_symbol(std::uint64_t address) const;
  // First address above `address` in its section that bears a symbol, or the section's end.
  std::uint64_t next_symbol_address(std::uint64_t address) const;
  // The preferred symbol of that name (global before local), or null. Absolute symbols are never found.
  const Symbol* find_symbol(std::string_view name) const;
  // All symbols of that name, address order (local symbols may repeat).
  std::vector<const Symbol*> find_symbols(std::string_view name) const;

  // Bytes at `address` up to the section's end (empty where nothing is mapped or in NOBITS).
  std::span<const std::uint8_t> bytes_at(std::uint64_t address) const;
  // An unsigned integer of `width` bytes (1, 2, 4, 8) in the image's byte order; nothing where it is not in the file.
  std::optional<std::uint64_t> read(std::uint64_t address, unsigned width) const;
  // Writes `width` bytes into the mapped copy: for fix-ups that are always applied before the code runs.
  // Returns false where the address is not in the file.
  bool patch(std::uint64_t address, std::uint64_t value, unsigned width);

  // The same image with code bytes and relocations of its own, which the following change; everything else is shared.
  // For code that is rewritten in one way or another (PatchedCode).
  std::unique_ptr<Image> with_own_code() const;
  // Replaces bytes from `address` on. Returns false, and changes nothing, where they are not all in the file.
  bool overwrite(std::uint64_t address, std::span<const std::uint8_t> bytes);
  // Relocations of [address, address + size) are dropped; those of [from, from + size) are repeated for a copy at `to`.
  void drop_relocations(std::uint64_t address, std::uint64_t size);
  void copy_relocations(std::uint64_t from, std::uint64_t size, std::uint64_t to);
  void set_relocations(std::vector<Relocation> relocations) { relocations_ = std::move(relocations); }

  // Relocations of an object file at `address` (the bytes [address, address + size)), in table order.
  std::span<const Relocation> relocations_at(std::uint64_t address, std::uint64_t size) const;
  std::span<const Relocation> relocations() const { return relocations_; }

  // What objdump shows for an internal address.
  std::uint64_t shown(std::uint64_t address) const;
  // "handle_syscall+0x20", "do_syscall", or hexadecimal where there is no symbol.
  std::string describe(std::uint64_t address) const;
  // Maps a computed address back to where the code is: an address that is not mapped but is relative to a shifted
  // section means the unshifted one.
  std::uint64_t resolve(std::uint64_t address, std::uint64_t from) const;

 private:
  friend class ElfReader;
  Image() = default;
  struct Storage;  // owns the mapping
  std::shared_ptr<Storage> storage_;
  std::vector<std::uint8_t> own_code_;  // of with_own_code
  std::string path_;
  ImageKind kind_ = ImageKind::vmlinux;
  ElfIdentity elf_;
  const Arch* arch_ = nullptr;
  std::string build_id_;
  std::uint64_t entry_point_ = 0;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::vector<Symbol> mapping_symbols_;
  std::vector<Export> exports_;
  std::vector<Relocation> relocations_;
  std::vector<std::uint32_t> sections_by_address_;
  std::uint64_t undefined_begin_ = 0;  // place holders of undefined symbols
  std::uint64_t undefined_end_ = 0;

  // Found out once about this image, by facts_of.
  struct OwnFacts {
    std::once_flag once;
    std::shared_ptr<const Facts> facts;  // null: the architecture's are this image's
    std::string problem;                 // why the image's own description was not used
  };
  mutable OwnFacts own_facts_;
  friend const Facts& facts_of(const Image& image);
  friend const std::string& layout_problem(const Image& image);
};

}  // namespace trapline
