// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/elf_view.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Error.h>

#include <cstring>
#include <optional>
#include <utility>

#include "disasm/error.h"
#include "disasm/image/foreign.h"

namespace trapline {
namespace {

namespace elf = llvm::ELF;

constexpr std::string_view truncated = "the file is truncated or damaged; copy or unpack it again";

template <class ELFT>
class ElfViewOf final : public ElfView {
 public:
  ElfViewOf(std::string name, std::span<const std::uint8_t> bytes)
      : ElfView(std::move(name), bytes), file_(make_file()) {
    read_header();
    read_sections();
    read_names();
    check_program_headers();
    check_extents();
  }

  void visit_symbols(std::size_t section, const std::vector<std::uint32_t>* indices,
                     llvm::function_ref<void(const ElfSymbol&)> visit) const override;
  std::uint64_t symbol_count(std::size_t section) const override { return table<Sym>(section).size(); }
  void for_each_relocation(std::size_t section, llvm::function_ref<void(const ElfRelocation&)> visit) const override;
  std::uint64_t relocation_count(std::size_t section) const override {
    return sections_[section].type == elf::SHT_RELA ? table<Rela>(section).size() : table<Rel>(section).size();
  }

 private:
  using Ehdr = typename ELFT::Ehdr;
  using Phdr = typename ELFT::Phdr;
  using Shdr = typename ELFT::Shdr;
  using Sym = typename ELFT::Sym;
  using Rel = typename ELFT::Rel;
  using Rela = typename ELFT::Rela;
  using Word = typename ELFT::Word;

  llvm::object::ELFFile<ELFT> make_file() const {
    if (bytes_.size() < sizeof(Ehdr))
      fail(fmt::format("the ELF header needs {} bytes, the file has {}: {}", sizeof(Ehdr), bytes_.size(), truncated));
    return unwrap(llvm::object::ELFFile<ELFT>::create(
        llvm::StringRef(reinterpret_cast<const char*>(bytes_.data()), bytes_.size())));
  }

  // LLVM's own checks, with its message.
  template <class T>
  T unwrap(llvm::Expected<T> value) const {
    if (!value) fail(fmt::format("{}: {}", llvm::toString(value.takeError()), truncated));
    return std::move(*value);
  }

  void read_header();
  void read_sections();
  void read_names();
  void check_program_headers() const;

  // A section as an array of T. Throws unless its entry size is T's and divides its size.
  template <class T>
  std::span<const T> table(std::size_t section) const {
    const ElfSection& s = sections_[section];
    if (s.entry_size != sizeof(T))
      fail(fmt::format("{} has entries of {} bytes (sh_entsize) where {} are expected: the section header is damaged",
                       label(section), s.entry_size, sizeof(T)));
    if (s.size % sizeof(T) != 0)
      fail(fmt::format("{} has {:#x} bytes, which is no multiple of its entries' {}: the section header is damaged",
                       label(section), s.size, sizeof(T)));
    std::span<const std::uint8_t> raw = contents(section);
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  // The SHT_SYMTAB_SHNDX table that belongs to a symbol table, empty when there is none.
  std::span<const Word> extended_indices(std::size_t symbols) const {
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (sections_[i].type == elf::SHT_SYMTAB_SHNDX && sections_[i].link == symbols) return table<Word>(i);
    return {};
  }
  std::uint32_t symbol_section(const Sym& sym, std::size_t table_section, std::size_t index, std::string_view name,
                               std::span<const Word> extended) const;

  llvm::object::ELFFile<ELFT> file_;
};

template <class ELFT>
void ElfViewOf<ELFT>::read_header() {
  const Ehdr& h = file_.getHeader();
  identity_.machine = h.e_machine;
  identity_.is64 = ELFT::Is64Bits;
  identity_.little_endian = ELFT::Endianness == llvm::endianness::little;
  identity_.type = h.e_type;
  identity_.flags = h.e_flags;
  entry_point_ = h.e_entry;
}

template <class ELFT>
void ElfViewOf<ELFT>::read_sections() {
  const Ehdr& h = file_.getHeader();
  const std::uint64_t offset = h.e_shoff;
  const std::uint64_t size = bytes_.size();
  if (offset == 0)
    fail(
        "the file has no section headers (e_shoff is 0): trapline finds code by sections; pass the vmlinux, vDSO, "
        "object "
        "or module as it was built");
  if (h.e_shentsize != sizeof(Shdr))
    fail(fmt::format("section headers of {} bytes (e_shentsize) where {} are expected: the ELF header is damaged",
                     std::uint16_t{h.e_shentsize}, sizeof(Shdr)));
  if (offset > size || size - offset < sizeof(Shdr))
    fail(fmt::format("the section headers at offset {:#x} are beyond the end of the file ({:#x} bytes): {}", offset,
                     size, truncated));
  // With 0xff00 sections or more the number stands in section 0 (ELF gABI, "e_shnum").
  const Shdr& first = *reinterpret_cast<const Shdr*>(bytes_.data() + offset);
  const std::uint64_t count = h.e_shnum != 0 ? std::uint64_t{h.e_shnum} : std::uint64_t{first.sh_size};
  if (count == 0 || count > (size - offset) / sizeof(Shdr))
    fail(fmt::format("{} section headers at offset {:#x} do not fit into the file ({:#x} bytes): {}", count, offset,
                     size, truncated));
  const auto headers = unwrap(file_.sections());
  sections_.reserve(headers.size());
  for (const Shdr& s : headers) {
    sections_.push_back({.name = {},
                         .type = s.sh_type,
                         .flags = s.sh_flags,
                         .address = s.sh_addr,
                         .offset = s.sh_offset,
                         .size = s.sh_size,
                         .link = s.sh_link,
                         .info = s.sh_info,
                         .align = s.sh_addralign,
                         .entry_size = s.sh_entsize});
  }
}

template <class ELFT>
void ElfViewOf<ELFT>::read_names() {
  std::uint64_t index = file_.getHeader().e_shstrndx;
  if (index == elf::SHN_XINDEX) index = sections_[0].link;
  if (index == elf::SHN_UNDEF) return;  // legal: no section has a name
  const std::string_view names = string_table(index, "the ELF header (e_shstrndx)");
  const auto headers = unwrap(file_.sections());
  for (std::size_t i = 0; i < sections_.size(); ++i)
    sections_[i].name = string_at(names, headers[i].sh_name, fmt::format("section {}", i));
}

template <class ELFT>
void ElfViewOf<ELFT>::check_program_headers() const {
  const Ehdr& h = file_.getHeader();
  std::uint64_t count = h.e_phnum;
  if (count == elf::PN_XNUM) count = sections_[0].info;
  if (count == 0) return;
  if (h.e_phentsize != sizeof(Phdr))
    fail(fmt::format("program headers of {} bytes (e_phentsize) where {} are expected: the ELF header is damaged",
                     std::uint16_t{h.e_phentsize}, sizeof(Phdr)));
  const std::uint64_t offset = h.e_phoff;
  if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(Phdr))
    fail(fmt::format("{} program headers at offset {:#x} do not fit into the file ({:#x} bytes): {}", count, offset,
                     bytes_.size(), truncated));
}

template <class ELFT>
std::uint32_t ElfViewOf<ELFT>::symbol_section(const Sym& sym, std::size_t table_section, std::size_t index,
                                              std::string_view name, std::span<const Word> extended) const {
  std::uint32_t section = sym.st_shndx;
  if (section == elf::SHN_XINDEX) {
    if (index >= extended.size())
      fail(fmt::format(
          "symbol {} ({}) of {} has its section number in an SHT_SYMTAB_SHNDX table, which has no entry for it:"
          " {}",
          index, name, label(table_section), truncated));
    section = extended[index];
  } else if (section >= elf::SHN_LORESERVE) {
    return 0;
  }
  if (section >= sections_.size())
    fail(fmt::format("symbol {} ({}) of {} lies in section {}, but there are only {}: {}", index, name,
                     label(table_section), section, sections_.size(), truncated));
  return section;
}

template <class ELFT>
void ElfViewOf<ELFT>::visit_symbols(std::size_t section, const std::vector<std::uint32_t>* indices,
                                    llvm::function_ref<void(const ElfSymbol&)> visit) const {
  const std::span<const Sym> symbols = table<Sym>(section);
  if (symbols.size() <= 1) return;
  const std::string_view names = string_table(sections_[section].link, label(section));
  const std::span<const Word> extended = extended_indices(section);
  const std::size_t count = indices != nullptr ? indices->size() : symbols.size();
  for (std::size_t n = indices != nullptr ? 0 : 1; n < count; ++n) {
    const std::size_t i = indices != nullptr ? (*indices)[n] : n;
    const Sym& s = symbols[i];
    ElfSymbol out;
    const std::uint64_t name = s.st_name;
    if (name >= names.size())
      fail(fmt::format("the name of symbol {} of {} is at offset {:#x} of its string table, which has {:#x} bytes: {}",
                       i, label(section), name, names.size(), truncated));
    out.name = names.data() + name;  // the table ends in NUL
    out.value = s.st_value;
    out.size = s.st_size;
    out.type = s.getType();
    out.binding = s.getBinding();
    out.other = s.st_other;
    out.shndx = s.st_shndx;
    out.section = symbol_section(s, section, i, out.name, extended);
    out.index = static_cast<std::uint32_t>(i);
    visit(out);
  }
}

template <class ELFT>
void ElfViewOf<ELFT>::for_each_relocation(std::size_t section,
                                          llvm::function_ref<void(const ElfRelocation&)> visit) const {
  // 64-bit little-endian MIPS packs symbol and types in an order of its own.
  const bool mips64el = file_.isMips64EL();
  if (sections_[section].type == elf::SHT_RELA) {
    for (const Rela& r : table<Rela>(section))
      visit({r.r_offset, r.getType(mips64el), r.getSymbol(mips64el), static_cast<std::int64_t>(r.r_addend), true});
  } else {
    for (const Rel& r : table<Rel>(section)) visit({r.r_offset, r.getType(mips64el), r.getSymbol(mips64el), 0, false});
  }
}

}  // namespace

void ElfView::fail(const std::string& what) const { throw Error(name_, what); }

std::string ElfView::label(std::size_t section) const {
  if (section >= sections_.size() || sections_[section].name.empty()) return fmt::format("section {}", section);
  return fmt::format("section {} ({})", section, sections_[section].name);
}

std::span<const std::uint8_t> ElfView::contents(std::size_t section) const {
  const ElfSection& s = sections_[section];
  if (s.type == elf::SHT_NOBITS || s.size == 0) return {};
  if (s.offset > bytes_.size() || s.size > bytes_.size() - s.offset)
    fail(fmt::format("{} at offset {:#x} with {:#x} bytes ends beyond the end of the file ({:#x} bytes): {}",
                     label(section), s.offset, s.size, bytes_.size(), truncated));
  return bytes_.subspan(s.offset, s.size);
}

std::string_view ElfView::string_table(std::uint64_t section, const std::string& user) const {
  if (section >= sections_.size())
    fail(fmt::format("{} names section {} as its string table, but there are only {}: {}", user, section,
                     sections_.size(), truncated));
  const auto index = static_cast<std::size_t>(section);
  if (sections_[index].type != elf::SHT_STRTAB)
    fail(fmt::format("{} names {} as its string table, which is none (sh_type {:#x}): {}", user, label(index),
                     sections_[index].type, truncated));
  const std::span<const std::uint8_t> raw = contents(index);
  if (raw.empty() || raw.back() != 0)
    fail(fmt::format("the string table in {} at offset {:#x} is {}: {}", label(index), sections_[index].offset,
                     raw.empty() ? "empty" : "not terminated", truncated));
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

std::string_view ElfView::string_at(std::string_view table, std::uint64_t offset, const std::string& user) const {
  if (offset >= table.size())
    fail(fmt::format("the name of {} is at offset {:#x} of its string table, which has {:#x} bytes: {}", user, offset,
                     table.size(), truncated));
  return table.data() + offset;  // the table ends in NUL
}

void ElfView::check_extents() const {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const ElfSection& s = sections_[i];
    if (s.type != elf::SHT_NULL) (void)contents(i);
    if ((s.flags & elf::SHF_ALLOC) == 0 || s.size == 0) continue;
    const std::uint64_t top = identity_.is64 ? ~std::uint64_t{0} : 0xffffffffU;
    if (s.address > top || s.size - 1 > top - s.address)
      fail(fmt::format(
          "{} at address {:#x} with {:#x} bytes ends beyond the address space: the section header is damaged", label(i),
          s.address, s.size));
  }
}

std::unique_ptr<ElfView> ElfView::open(const std::string& name, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < elf::EI_NIDENT || std::memcmp(bytes.data(), elf::ElfMagic, 4) != 0)
    throw Error(name, describe_foreign(bytes));
  const std::uint8_t cls = bytes[elf::EI_CLASS];
  const std::uint8_t data = bytes[elf::EI_DATA];
  if ((cls != elf::ELFCLASS32 && cls != elf::ELFCLASS64) || (data != elf::ELFDATA2LSB && data != elf::ELFDATA2MSB))
    throw Error(name,
                fmt::format("ELF class {} with data encoding {} is unknown (bytes 4 and 5): {}", cls, data, truncated));
  const bool little = data == elf::ELFDATA2LSB;
  using namespace llvm::object;
  if (cls == elf::ELFCLASS64) {
    if (little) return std::make_unique<ElfViewOf<ELF64LE>>(name, bytes);
    return std::make_unique<ElfViewOf<ELF64BE>>(name, bytes);
  }
  if (little) return std::make_unique<ElfViewOf<ELF32LE>>(name, bytes);
  return std::make_unique<ElfViewOf<ELF32BE>>(name, bytes);
}

}  // namespace trapline
