// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/vdso_check.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Error.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "disasm/error.h"

namespace trapline {
namespace {

namespace elf = llvm::ELF;

constexpr std::string_view damaged = "the file is damaged; copy or build it again";

// Far above any vDSO (the largest real ones have 50 sections, 8 segments and, with debug information, 200 KiB), far
// below where LIEF 0.9.0 drops things in silence (10,000 sections, 100 MB a section), and small enough for what it
// compares pairwise.
constexpr std::uint64_t most_bytes = 4U << 20;
constexpr std::uint64_t most_sections = 1000;
constexpr std::uint64_t most_segments = 100;
constexpr std::uint64_t most_section_bytes = 64U << 20;  // all sections and segments: LIEF copies each
constexpr std::uint64_t most_name_bytes = 64U << 20;     // all symbol names: LIEF copies each
constexpr std::uint64_t most_relocations = 4096;
constexpr std::uint64_t most_versions = 256;

template <class ELFT>
class VdsoCheck {
 public:
  VdsoCheck(const std::string& name, std::span<const std::uint8_t> bytes)
      : name_(name),
        bytes_(bytes),
        file_(unwrap(llvm::object::ELFFile<ELFT>::create(
            llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size())))),
        sections_(unwrap(file_.sections())),
        segments_(unwrap(file_.program_headers())) {}

  bool run() {
    if (bytes_.size() > most_bytes || sections_.size() > most_sections || segments_.size() > most_segments ||
        file_.getHeader().e_shnum == 0 || !sizes_fit())
      return false;
    check_segments();
    if (!find_dynamic()) return false;
    const Shdr* symbols = same_table(elf::DT_SYMTAB, elf::SHT_DYNSYM);
    if (symbols == nullptr) return false;
    check_strings(*symbols);
    check_versions(*symbols);
    check_notes();
    return names_fit();
  }

 private:
  using Dyn = ELFT::Dyn;
  using Phdr = ELFT::Phdr;
  using Shdr = ELFT::Shdr;
  using Sym = ELFT::Sym;
  using Versym = ELFT::Versym;

  [[noreturn]] void fail(const std::string& what) const { throw Error(name_, fmt::format("{}: {}", what, damaged)); }

  template <class T>
  T unwrap(llvm::Expected<T> value) const {
    if (!value) fail(llvm::toString(value.takeError()));
    return std::move(*value);
  }

  // Neither the sections nor the segments hold more than LIEF shall copy, and none lies outside the file.
  bool sizes_fit() const {
    std::uint64_t total = 0;
    std::uint64_t relocations = 0;
    for (const Shdr& s : sections_) {
      const std::uint64_t size = s.sh_size;
      if (size != 0 && (s.sh_offset > bytes_.size() || size > bytes_.size() - s.sh_offset)) return false;
      total += size;
      if (s.sh_type == elf::SHT_REL) relocations += size / sizeof(typename ELFT::Rel);
      if (s.sh_type == elf::SHT_RELA) relocations += size / sizeof(typename ELFT::Rela);
    }
    for (const Phdr& p : segments_) total += std::min<std::uint64_t>(p.p_filesz, bytes_.size());
    return total <= most_section_bytes && relocations <= most_relocations;
  }

  void check_segments() const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const std::uint64_t offset = segments_[i].p_offset;
      const std::uint64_t size = segments_[i].p_filesz;
      if (size != 0 && (offset > bytes_.size() || size > bytes_.size() - offset))
        fail(fmt::format("segment {} at offset {:#x} with {:#x} bytes ends beyond the end of the file ({:#x} bytes)", i,
                         offset, size, bytes_.size()));
    }
  }

  // The entries of the first PT_DYNAMIC segment, those behind DT_NULL too: LIEF reads them all.
  bool find_dynamic() {
    for (const Phdr& p : segments_) {
      if (p.p_type != elf::PT_DYNAMIC) continue;
      (void)unwrap(file_.dynamicEntries());
      if (p.p_offset % alignof(Dyn) != 0 || p.p_filesz % sizeof(Dyn) != 0)
        fail(fmt::format("the dynamic segment at offset {:#x} has {:#x} bytes, which is no multiple of its entries' {}",
                         std::uint64_t{p.p_offset}, std::uint64_t{p.p_filesz}, sizeof(Dyn)));
      dynamic_ = {reinterpret_cast<const Dyn*>(bytes_.data() + p.p_offset), p.p_filesz / sizeof(Dyn)};
      return true;
    }
    return false;
  }

  std::optional<std::uint64_t> dynamic(std::int64_t tag) const {
    for (const Dyn& d : dynamic_)
      if (d.getTag() == tag) return d.getVal();
    return std::nullopt;
  }

  const Shdr* section_of_type(std::uint32_t type) const {
    for (const Shdr& s : sections_)
      if (s.sh_type == type) return &s;
    return nullptr;
  }

  // The dynamic entry `tag` leads to `section`, and segments put it where the section header does.
  void require_same(std::int64_t tag, std::uint64_t address, const Shdr& section) const {
    const std::uint8_t* mapped = unwrap(file_.toMappedAddr(address));
    if (address != section.sh_addr || mapped != bytes_.data() + section.sh_offset)
      fail(fmt::format("dynamic entry {} leads to address {:#x}, but the section header says {:#x}",
                       file_.getDynamicTagAsString(static_cast<std::uint64_t>(tag)), address,
                       std::uint64_t{section.sh_addr}));
  }

  // The table that both a dynamic entry and a section header describe; null where there is no such entry.
  const Shdr* same_table(std::int64_t tag, std::uint32_t type) const {
    const std::optional<std::uint64_t> address = dynamic(tag);
    const Shdr* section = section_of_type(type);
    if (!address) return nullptr;
    if (section == nullptr)
      fail(fmt::format("dynamic entry {} leads to address {:#x}, where no section header has such a table",
                       file_.getDynamicTagAsString(static_cast<std::uint64_t>(tag)), *address));
    require_same(tag, *address, *section);
    return section;
  }

  // The string table of the dynamic symbols, and what the dynamic entries take from it.
  void check_strings(const Shdr& symbols) const {
    const std::optional<std::uint64_t> address = dynamic(elf::DT_STRTAB);
    if (!address) fail("there is a dynamic symbol table (DT_SYMTAB), but no string table (DT_STRTAB)");
    const Shdr& strings = *unwrap(file_.getSection(symbols.sh_link));
    require_same(elf::DT_STRTAB, *address, strings);
    const std::uint64_t size = unwrap(file_.getStringTable(strings)).size();
    for (const std::int64_t tag : {elf::DT_SONAME, elf::DT_NEEDED, elf::DT_RPATH, elf::DT_RUNPATH})
      for (const Dyn& d : dynamic_)
        if (d.getTag() == tag && d.getVal() >= size)
          fail(fmt::format("dynamic entry {} takes a name at offset {:#x} of a string table of {:#x} bytes",
                           file_.getDynamicTagAsString(static_cast<std::uint64_t>(tag)), std::uint64_t{d.getVal()},
                           size));
  }

  void check_versions(const Shdr& symbols) const {
    if (const Shdr* versions = same_table(elf::DT_VERSYM, elf::SHT_GNU_versym)) {
      const std::uint64_t count = versions->sh_size / sizeof(Versym);
      if (count != symbols.sh_size / sizeof(Sym))
        fail(fmt::format("there are {} symbol versions for {} dynamic symbols", count,
                         std::uint64_t{symbols.sh_size / sizeof(Sym)}));
    }
    struct Kind {
      std::int64_t tag, count_tag;
      std::uint32_t type;
    };
    constexpr std::array<Kind, 2> kinds = {{{elf::DT_VERDEF, elf::DT_VERDEFNUM, elf::SHT_GNU_verdef},
                                            {elf::DT_VERNEED, elf::DT_VERNEEDNUM, elf::SHT_GNU_verneed}}};
    for (const Kind& kind : kinds) {
      const Shdr* table = same_table(kind.tag, kind.type);
      if (table == nullptr) continue;
      const std::uint64_t count = dynamic(kind.count_tag).value_or(0);
      if (count != table->sh_info || count > most_versions)
        fail(fmt::format("dynamic entry {} is {}, but the section header says {}",
                         file_.getDynamicTagAsString(static_cast<std::uint64_t>(kind.count_tag)), count,
                         std::uint64_t{table->sh_info}));
      if (kind.type == elf::SHT_GNU_verdef) {
        for (const llvm::object::VerDef& version : unwrap(file_.getVersionDefinitions(*table)))
          if (version.Cnt == 0 || llvm::StringRef(version.Name).starts_with("<invalid"))
            fail(fmt::format("version definition {} has no name", version.Ndx));
      } else {
        (void)unwrap(file_.getVersionDependencies(*table));
      }
    }
  }

  template <class Header>
  void check_notes_of(const Header& header) const {
    llvm::Error error = llvm::Error::success();
    for (const auto& note : file_.notes(header, error)) (void)note;
    if (error) fail(llvm::toString(std::move(error)));
  }

  void check_notes() const {
    for (const Phdr& p : segments_)
      if (p.p_type == elf::PT_NOTE) check_notes_of(p);
    for (const Shdr& s : sections_)
      if (s.sh_type == elf::SHT_NOTE) check_notes_of(s);
  }

  // Symbols with names inside their string tables, which end in NUL.
  bool names_fit() const {
    std::uint64_t total = 0;
    for (const Shdr& s : sections_) {
      if (s.sh_type != elf::SHT_SYMTAB && s.sh_type != elf::SHT_DYNSYM) continue;
      const llvm::StringRef names = unwrap(file_.getStringTableForSymtab(s));
      for (const Sym& symbol : unwrap(file_.symbols(&s))) {
        if (symbol.st_name >= names.size() && symbol.st_name != 0)
          fail(fmt::format("a symbol has its name at offset {:#x} of a string table of {:#x} bytes",
                           std::uint64_t{symbol.st_name}, names.size()));
        if (symbol.st_name != 0) total += std::strlen(names.data() + symbol.st_name);
        if (total > most_name_bytes) return false;
      }
    }
    return true;
  }

  const std::string& name_;
  std::span<const std::uint8_t> bytes_;
  llvm::object::ELFFile<ELFT> file_;
  llvm::ArrayRef<Shdr> sections_;
  llvm::ArrayRef<Phdr> segments_;
  llvm::ArrayRef<Dyn> dynamic_;
};

}  // namespace

bool fit_for_lief(const std::string& name, std::span<const std::uint8_t> bytes) {
  using namespace llvm::object;
  const bool wide = bytes[elf::EI_CLASS] == elf::ELFCLASS64;
  const bool little = bytes[elf::EI_DATA] == elf::ELFDATA2LSB;
  if (wide && little) return VdsoCheck<ELF64LE>(name, bytes).run();
  if (wide) return VdsoCheck<ELF64BE>(name, bytes).run();
  if (little) return VdsoCheck<ELF32LE>(name, bytes).run();
  return VdsoCheck<ELF32BE>(name, bytes).run();
}

}  // namespace trapline
