// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/elf_reader.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <utility>

#include "disasm/arch/arch.h"
#include "disasm/error.h"
#include "disasm/image/addend.h"
#include "disasm/image/radix_sort.h"

namespace trapline {

namespace elf = llvm::ELF;

SymbolType symbol_type(std::uint8_t type) {
  switch (type) {
    case elf::STT_NOTYPE:
      return SymbolType::notype;
    case elf::STT_OBJECT:
    case elf::STT_COMMON:
      return SymbolType::object;
    case elf::STT_FUNC:
      return SymbolType::func;
    case elf::STT_SECTION:
      return SymbolType::section;
    case elf::STT_FILE:
      return SymbolType::file;
    case elf::STT_TLS:
      return SymbolType::tls;
    case elf::STT_GNU_IFUNC:
      return SymbolType::ifunc;
    default:
      return SymbolType::other;
  }
}

SymbolBinding symbol_binding(std::uint8_t binding) {
  switch (binding) {
    case elf::STB_LOCAL:
      return SymbolBinding::local;
    case elf::STB_GLOBAL:
      return SymbolBinding::global;
    case elf::STB_WEAK:
      return SymbolBinding::weak;
    default:
      return SymbolBinding::other;
  }
}

namespace {

bool has_mapping_symbols(std::uint16_t machine) {
  return machine == elf::EM_ARM || machine == elf::EM_AARCH64 || machine == elf::EM_RISCV;
}

// $a, $t, $d, $x, each optionally followed by ".anything" (ELF for the Arm Architecture, "Mapping symbols"); RISC-V
// puts an ISA string behind $x.
bool is_mapping_symbol(std::string_view name) {
  if (name.size() < 2 || name[0] != '$') return false;
  if (name[1] == 'x') return true;
  return (name[1] == 'a' || name[1] == 't' || name[1] == 'd') && (name.size() == 2 || name[2] == '.');
}

// Labels that assemblers make up: .L*, and the numeric "L0^A" of GNU as.
bool is_compiler_local(std::string_view name) {
  return name.starts_with(".L") ||
         (name.starts_with("L") && name.find_first_of(std::string_view("\x01\x02", 2)) != std::string_view::npos);
}

// Preference among symbols of one address: global, weak, local; at equal binding functions first.
std::uint32_t rank(const ElfSymbol& s) {
  const std::uint32_t binding = s.binding == elf::STB_GLOBAL ? 0 : s.binding == elf::STB_LOCAL ? 2 : 1;
  const bool func = s.type == elf::STT_FUNC || s.type == elf::STT_GNU_IFUNC;
  return binding * 2 + (func ? 0 : 1);
}

// Section numbers that mean a symbol of another file (undefined, common, live-patch and processor-specific ones).
bool is_undefined(const ElfSymbol& s) { return s.section == 0 && s.shndx != elf::SHN_ABS; }

[[noreturn]] void unsupported(const ElfView& view) {
  const ElfIdentity& id = view.identity();
  std::string known;
  for (const Arch* arch : all_archs()) {
    if (!known.empty()) known += ", ";
    known += arch->name();
  }
  std::string_view name = elf::convertEMachineToArchName(id.machine);
  if (name == "None") name = "unknown";  // what LLVM calls a number it does not know
  view.fail(fmt::format("machine {} ({}, {}-bit, {}-endian) is not supported; supported are {}", id.machine, name,
                        id.is64 ? 64 : 32, id.little_endian ? "little" : "big", known));
}

}  // namespace

std::unique_ptr<Image> ElfReader::read(std::string name, std::unique_ptr<Image::Storage> storage) {
  const std::unique_ptr<ElfView> view = ElfView::open(name, storage->bytes);
  std::unique_ptr<Image> image(new Image());
  image->path_ = std::move(name);
  image->storage_ = std::move(storage);
  image->elf_ = view->identity();
  image->entry_point_ = view->entry_point();
  const std::uint16_t type = image->elf_.type;
  if (type != elf::ET_REL && type != elf::ET_EXEC && type != elf::ET_DYN)
    view->fail(fmt::format("ELF type {}{} holds no program; pass a vmlinux, vDSO, object or module", type,
                           type == elf::ET_CORE ? " (a core dump)" : ""));
  image->arch_ = find_arch(image->elf_);
  if (image->arch_ == nullptr) unsupported(*view);
  ElfReader reader(*image, *view);
  reader.read_sections();
  reader.require_code();
  reader.find_kind();
  reader.find_build_id();
  reader.read_symbols();
  reader.read_exports();
  reader.read_relocations();
  reader.relocate_self();
  image->arch_->apply_fix_ups(*image);
  return image;
}

bool ElfReader::is_object() const { return image_.elf_.type == elf::ET_REL; }

void ElfReader::read_sections() {
  const std::span<const ElfSection> sections = elf_.sections();
  const std::span<std::uint8_t> file = image_.storage_->bytes;
  image_.sections_.reserve(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const ElfSection& s = sections[i];
    Section out;
    out.name = s.name;
    out.index = static_cast<std::uint32_t>(i);
    out.allocated = (s.flags & elf::SHF_ALLOC) != 0;
    out.executable = out.allocated && (s.flags & elf::SHF_EXECINSTR) != 0;
    out.writable = (s.flags & elf::SHF_WRITE) != 0;
    out.bias = layout_.bias[i];
    out.address = out.allocated ? s.address + out.bias : 0;
    out.size = s.size;
    out.file_offset = s.offset;
    if (s.type != elf::SHT_NOBITS && s.type != elf::SHT_NULL && s.size != 0) out.bytes = file.subspan(s.offset, s.size);
    const bool no_addresses = (s.flags & elf::SHF_TLS) != 0 && s.type == elf::SHT_NOBITS;
    if (out.allocated && s.size != 0 && !no_addresses) image_.sections_by_address_.push_back(out.index);
    image_.sections_.push_back(out);
  }
  std::sort(
      image_.sections_by_address_.begin(), image_.sections_by_address_.end(),
      [this](std::uint32_t a, std::uint32_t b) { return image_.sections_[a].address < image_.sections_[b].address; });
}

// strip --only-keep-debug leaves section headers of code without the code.
void ElfReader::require_code() const {
  bool any = false;
  for (const Section& section : image_.sections_) {
    if (!section.executable || section.size == 0) continue;
    any = true;
    if (!section.bytes.empty()) return;
  }
  if (any)
    elf_.fail(
        "its executable sections have no contents: this is a separate debug file; pass the vmlinux, vDSO or module "
        "that it was made from");
}

// A module is known by the section that modpost gives it; a loose object may carry .modinfo and is none yet.
void ElfReader::find_kind() {
  bool dynamic_symbols = false;
  for (const ElfSection& s : elf_.sections()) dynamic_symbols |= s.type == elf::SHT_DYNSYM;
  if (is_object()) {
    image_.kind_ = image_.section_named(".gnu.linkonce.this_module") != nullptr ? ImageKind::module : ImageKind::object;
  } else if (image_.elf_.type == elf::ET_DYN && dynamic_symbols && image_.section_named(".init.text") == nullptr) {
    image_.kind_ = ImageKind::vdso;
  } else {
    image_.kind_ = ImageKind::vmlinux;
  }
}

// A note that does not fit its section ends the search: no build id is no error.
void ElfReader::find_build_id() {
  const llvm::endianness order = image_.elf_.little_endian ? llvm::endianness::little : llvm::endianness::big;
  for (std::size_t i = 0; i < elf_.sections().size() && image_.build_id_.empty(); ++i) {
    const ElfSection& section = elf_.sections()[i];
    if (section.type != elf::SHT_NOTE) continue;
    const std::uint64_t align = section.align == 8 ? 8 : 4;
    std::span<const std::uint8_t> rest = image_.sections_[i].bytes;
    while (rest.size() >= 12) {
      const std::uint64_t name_size = llvm::support::endian::read<std::uint32_t>(rest.data(), order);
      const std::uint64_t size = llvm::support::endian::read<std::uint32_t>(rest.data() + 4, order);
      const std::uint32_t type = llvm::support::endian::read<std::uint32_t>(rest.data() + 8, order);
      const std::uint64_t start = (12 + name_size + align - 1) & ~(align - 1);
      const std::uint64_t next = (start + size + align - 1) & ~(align - 1);
      if (start + size > rest.size()) break;
      const std::string_view name(reinterpret_cast<const char*>(rest.data()) + 12, name_size);
      if (type == elf::NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4)) {
        for (const std::uint8_t byte : rest.subspan(start, size)) image_.build_id_ += fmt::format("{:02x}", byte);
        break;
      }
      if (next >= rest.size()) break;
      rest = rest.subspan(next);
    }
  }
}

void ElfReader::read_symbols() {
  std::size_t dynamic = 0;
  for (std::size_t i = 0; i < elf_.sections().size(); ++i) {
    const std::uint32_t type = elf_.sections()[i].type;
    if (type == elf::SHT_SYMTAB && symbol_table_ == 0) symbol_table_ = i;
    if (type == elf::SHT_DYNSYM && dynamic == 0) dynamic = i;
  }
  if (symbol_table_ == 0) symbol_table_ = dynamic;
  if (symbol_table_ == 0) return;
  if (is_object()) symbol_addresses_.resize(elf_.symbol_count(symbol_table_));
  // Keys of the symbols that are wanted are sorted first: the symbols themselves are then made in their final order.
  std::vector<SymbolKey> keys;
  std::vector<SymbolKey> mapping_keys;
  keys.reserve(elf_.symbol_count(symbol_table_));
  elf_.visit_symbols(symbol_table_, nullptr, [&](const ElfSymbol& s) {
    const std::uint64_t address = place(s);
    if (is_object()) symbol_addresses_[s.index] = address;
    if (wanted(s)) (is_mapping(s) ? mapping_keys : keys).push_back({address, rank(s), s.index});
  });
  image_.undefined_begin_ = layout_.undefined_begin;
  image_.undefined_end_ = layout_.undefined_begin + undefined_count_ * undefined_spacing;
  image_.symbols_ = sorted_symbols(std::move(keys));
  image_.mapping_symbols_ = sorted_symbols(std::move(mapping_keys));
}

// The internal address of a symbol.
std::uint64_t ElfReader::place(const ElfSymbol& symbol) {
  if (is_undefined(symbol) && is_object())
    return layout_.undefined_begin + undefined_count_++ * undefined_spacing + undefined_spacing / 2;
  if (symbol.section == 0) return symbol.value;
  return symbol.value + layout_.bias[symbol.section];
}

bool ElfReader::wanted(const ElfSymbol& symbol) const {
  if (symbol.name.empty() || symbol.type == elf::STT_SECTION || symbol.type == elf::STT_FILE ||
      symbol.shndx == elf::SHN_ABS || is_compiler_local(symbol.name))
    return false;
  if (is_undefined(symbol)) return is_object();
  if (symbol.type == elf::STT_TLS && !is_object()) return false;  // the value is an offset, not an address
  return image_.sections_[symbol.section].allocated;
}

bool ElfReader::is_mapping(const ElfSymbol& symbol) const {
  return has_mapping_symbols(image_.elf_.machine) && is_mapping_symbol(symbol.name);
}

std::vector<Symbol> ElfReader::sorted_symbols(std::vector<SymbolKey> keys) const {
  // By address, then by rank, then in the order of the table.
  radix_sort(keys, [](const SymbolKey& key) { return std::uint64_t{key.rank}; });
  radix_sort(keys, [](const SymbolKey& key) { return key.address; });
  std::vector<std::uint32_t> indices;
  indices.reserve(keys.size());
  for (const SymbolKey& key : keys) indices.push_back(key.index);
  std::vector<Symbol> symbols;
  symbols.reserve(keys.size());
  elf_.visit_symbols(symbol_table_, &indices, [&](const ElfSymbol& symbol) {
    Symbol out;
    out.name = symbol.name;
    out.address = keys[symbols.size()].address;
    out.size = symbol.shndx == elf::SHN_COMMON ? 0 : symbol.size;
    out.type = symbol_type(symbol.type);
    out.binding = symbol_binding(symbol.binding);
    out.other = symbol.other;
    out.section = symbol.section;
    out.table_index = symbol.index;
    out.undefined = is_undefined(symbol);
    symbols.push_back(out);
  });
  return symbols;
}

void ElfReader::read_relocations() {
  if (!is_object()) return;
  for (std::size_t i = 0; i < elf_.sections().size(); ++i) {
    const ElfSection& s = elf_.sections()[i];
    if (s.type != elf::SHT_REL && s.type != elf::SHT_RELA) continue;
    if (s.info >= elf_.sections().size())
      elf_.fail(
          fmt::format("{} relocates section {}, but there are only {}: the file is truncated or damaged; copy or "
                      "build it again",
                      elf_.label(i), s.info, elf_.sections().size()));
    // Debug sections are neither read nor relocated.
    if (s.info != 0 && image_.sections_[s.info].allocated) read_relocations_of(i);
  }
  radix_sort(image_.relocations_, [](const Relocation& r) { return r.address; });
}

void ElfReader::read_relocations_of(std::size_t section) {
  const ElfSection& s = elf_.sections()[section];
  if (s.link != symbol_table_ && elf_.relocation_count(section) != 0)
    elf_.fail(
        fmt::format("the relocations in {} refer to symbols of {}, which is not the symbol table: the file is damaged; "
                    "copy or build it again",
                    elf_.label(section), elf_.label(s.link)));
  const Section& target = image_.sections_[s.info];
  image_.relocations_.reserve(image_.relocations_.size() + elf_.relocation_count(section));
  elf_.for_each_relocation(section, [&](const ElfRelocation& r) {
    if (r.offset >= target.size)
      elf_.fail(
          fmt::format("{} relocates offset {:#x} of {}, which has {:#x} bytes: the file is damaged; copy or build it "
                      "again",
                      elf_.label(section), r.offset, elf_.label(s.info), target.size));
    if (r.symbol >= symbol_addresses_.size() && r.symbol != 0)
      elf_.fail(
          fmt::format("the relocation at offset {:#x} of {} refers to symbol {}, but there are only {}: the file is "
                      "damaged; copy or build it again",
                      r.offset, elf_.label(s.info), r.symbol, symbol_addresses_.size()));
    Relocation out;
    out.address = target.address + r.offset;
    out.type = r.type;
    out.symbol = r.symbol;
    out.addend = r.addend;
    if (!r.has_addend && r.offset < target.bytes.size())
      out.addend = implicit_addend(image_.elf_, r.type, target.bytes.subspan(r.offset));
    out.in_place = !r.has_addend;
    out.target = (r.symbol != 0 ? symbol_addresses_[r.symbol] : 0) + static_cast<std::uint64_t>(out.addend);
    image_.relocations_.push_back(out);
  });
}

// R_*_RELATIVE relocations of a linked kernel, which it applies to itself at boot: at the address it is linked to, the
// value is the addend. RELR and REL entries need nothing, their value stands in the bytes already. A page is
// written only where it differs.
void ElfReader::relocate_self() {
  if (is_object()) return;
  const std::uint32_t relative = llvm::object::getELFRelativeRelocationType(image_.elf_.machine);
  if (relative == 0) return;
  const unsigned width = image_.elf_.is64 ? 8 : 4;
  for (std::size_t i = 0; i < elf_.sections().size(); ++i) {
    const ElfSection& s = elf_.sections()[i];
    if (s.type != elf::SHT_RELA || (s.flags & elf::SHF_ALLOC) == 0) continue;
    elf_.for_each_relocation(i, [&](const ElfRelocation& r) {
      if (r.type != relative || r.symbol != 0) return;
      const auto value = static_cast<std::uint64_t>(r.addend) & (width == 8 ? ~std::uint64_t{0} : 0xffffffffU);
      if (image_.read(r.offset, width) != value) image_.patch(r.offset, value, width);
    });
  }
}

}  // namespace trapline
