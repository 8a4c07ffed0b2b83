// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/image.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <functional>

#include "disasm/image/layout.h"
#include "disasm/image/storage.h"

namespace trapline {
namespace {

constexpr std::uint64_t low_half = 0xffffffffU;

bool by_address(const Symbol& symbol, std::uint64_t address) { return symbol.address < address; }

// Global before local; at equal binding the one that comes first by address.
bool better(const Symbol& a, const Symbol& b) {
  const auto rank = [](const Symbol& s) {
    const int binding = s.binding == SymbolBinding::global ? 0 : s.binding == SymbolBinding::local ? 2 : 1;
    return (s.undefined ? 4 : 0) + binding;
  };
  return rank(a) < rank(b);
}

// In 32-bit ARM, bit 0 of a function symbol's value says Thumb; it is no part of the address of its code.
std::uint64_t thumb_bit(const ElfIdentity& elf) { return elf.machine == llvm::ELF::EM_ARM ? 1 : 0; }

std::uint64_t code_start(const Symbol& symbol, std::uint64_t bit) {
  return symbol.type == SymbolType::func ? symbol.address & ~bit : symbol.address;
}

}  // namespace

Image::~Image() = default;

const Section* Image::section_at(std::uint64_t address) const {
  auto after = std::upper_bound(sections_by_address_.begin(), sections_by_address_.end(), address,
                                [this](std::uint64_t a, std::uint32_t i) { return a < sections_[i].address; });
  if (after == sections_by_address_.begin()) return nullptr;
  const Section& section = sections_[*std::prev(after)];
  return address - section.address < section.size ? &section : nullptr;
}

const Section* Image::section_named(std::string_view name) const {
  auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

bool Image::is_code(std::uint64_t address) const {
  const Section* section = section_at(address);
  return section != nullptr && section->executable;
}

std::span<const Symbol> Image::symbols_at(std::uint64_t address) const {
  auto first = std::lower_bound(symbols_.begin(), symbols_.end(), address, by_address);
  auto last = first;
  const std::uint64_t bit = thumb_bit(elf_);
  while (last != symbols_.end() && (last->address == address || code_start(*last, bit) == address)) ++last;
  return {first, last};
}

const Symbol* Image::symbol_at(std::uint64_t address) const {
  const std::span<const Symbol> here = symbols_at(address);
  return here.empty() ? nullptr : &here.front();
}

const Symbol* Image::enclosing_symbol(std::uint64_t address) const {
  if (address - undefined_begin_ < undefined_end_ - undefined_begin_) {
    const std::uint64_t slot = (address - undefined_begin_) / undefined_spacing;
    return symbol_at(undefined_begin_ + slot * undefined_spacing + undefined_spacing / 2);
  }
  const Section* section = section_at(address);
  if (section == nullptr) return nullptr;
  auto it = std::upper_bound(symbols_.begin(), symbols_.end(), address | thumb_bit(elf_),
                             [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  const Symbol* found = nullptr;
  while (it != symbols_.begin()) {
    --it;
    if (it->address < section->address || (found != nullptr && it->address != found->address)) break;
    if (it->section == section->index && code_start(*it, thumb_bit(elf_)) <= address) found = &*it;
  }
  return found;
}

std::uint64_t Image::next_symbol_address(std::uint64_t address) const {
  const Section* section = section_at(address);
  if (section == nullptr) return address;
  auto it = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  for (; it != symbols_.end() && it->address - section->address < section->size; ++it) {
    const std::uint64_t start = code_start(*it, thumb_bit(elf_));
    if (it->section == section->index && start > address) return start;
  }
  return section->address + section->size;
}

std::vector<const Symbol*> Image::find_symbols(std::string_view name) const {
  Storage& storage = *storage_;
  const std::hash<std::string_view> hash;
  std::call_once(storage.names_once, [&] {
    std::size_t buckets = 16;
    while (buckets < symbols_.size()) buckets *= 2;
    storage.name_heads.resize(buckets);
    storage.name_next.resize(symbols_.size());
    for (std::size_t i = symbols_.size(); i-- > 0;) {
      std::uint32_t& head = storage.name_heads[hash(symbols_[i].name) & (buckets - 1)];
      storage.name_next[i] = head;
      head = static_cast<std::uint32_t>(i + 1);
    }
  });
  std::vector<const Symbol*> found;
  std::uint32_t at = storage.name_heads[hash(name) & (storage.name_heads.size() - 1)];
  for (; at != 0; at = storage.name_next[at - 1])
    if (symbols_[at - 1].name == name) found.push_back(&symbols_[at - 1]);
  return found;
}

const Symbol* Image::find_symbol(std::string_view name) const {
  const Symbol* best = nullptr;
  for (const Symbol* symbol : find_symbols(name))
    if (best == nullptr || better(*symbol, *best)) best = symbol;
  return best;
}

std::span<const std::uint8_t> Image::bytes_at(std::uint64_t address) const {
  const Section* section = section_at(address);
  if (section == nullptr || section->bytes.empty()) return {};
  return section->bytes.subspan(address - section->address);
}

std::optional<std::uint64_t> Image::read(std::uint64_t address, unsigned width) const {
  const std::span<const std::uint8_t> bytes = bytes_at(address);
  if (bytes.size() < width) return std::nullopt;
  const llvm::endianness order = elf_.little_endian ? llvm::endianness::little : llvm::endianness::big;
  using llvm::support::endian::read;
  switch (width) {
    case 1:
      return bytes[0];
    case 2:
      return read<std::uint16_t>(bytes.data(), order);
    case 4:
      return read<std::uint32_t>(bytes.data(), order);
    case 8:
      return read<std::uint64_t>(bytes.data(), order);
    default:
      return std::nullopt;
  }
}

bool Image::patch(std::uint64_t address, std::uint64_t value, unsigned width) {
  const Section* section = section_at(address);
  if (section == nullptr || section->bytes.empty()) return false;
  const std::span<std::uint8_t> bytes = section->bytes.subspan(address - section->address);
  if (bytes.size() < width) return false;
  const llvm::endianness order = elf_.little_endian ? llvm::endianness::little : llvm::endianness::big;
  using llvm::support::endian::write;
  switch (width) {
    case 1:
      bytes[0] = static_cast<std::uint8_t>(value);
      return true;
    case 2:
      write<std::uint16_t>(bytes.data(), static_cast<std::uint16_t>(value), order);
      return true;
    case 4:
      write<std::uint32_t>(bytes.data(), static_cast<std::uint32_t>(value), order);
      return true;
    case 8:
      write<std::uint64_t>(bytes.data(), value, order);
      return true;
    default:
      return false;
  }
}

std::unique_ptr<Image> Image::with_own_code() const {
  const Facts& facts = facts_of(*this);
  std::unique_ptr<Image> copy(new Image());
  copy->storage_ = storage_;
  copy->path_ = path_;
  copy->kind_ = kind_;
  copy->elf_ = elf_;
  copy->arch_ = arch_;
  copy->build_id_ = build_id_;
  copy->entry_point_ = entry_point_;
  copy->sections_ = sections_;
  copy->symbols_ = symbols_;
  copy->mapping_symbols_ = mapping_symbols_;
  copy->exports_ = exports_;
  copy->relocations_ = relocations_;
  copy->sections_by_address_ = sections_by_address_;
  copy->undefined_begin_ = undefined_begin_;
  copy->undefined_end_ = undefined_end_;
  std::call_once(copy->own_facts_.once, [&] {
    copy->own_facts_.facts = std::shared_ptr<const Facts>(own_facts_.facts, &facts);
    copy->own_facts_.problem = own_facts_.problem;
  });
  std::size_t size = 0;
  for (const Section& section : sections_) size += section.executable ? section.bytes.size() : 0;
  copy->own_code_.reserve(size);  // spans into it must stay
  for (Section& section : copy->sections_) {
    if (!section.executable) continue;
    const std::size_t at = copy->own_code_.size();
    copy->own_code_.insert(copy->own_code_.end(), section.bytes.begin(), section.bytes.end());
    section.bytes = std::span(copy->own_code_).subspan(at, section.bytes.size());
  }
  return copy;
}

bool Image::overwrite(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  const Section* section = section_at(address);
  if (section == nullptr || section->bytes.size() < address - section->address) return false;
  const std::span<std::uint8_t> there = section->bytes.subspan(address - section->address);
  if (there.size() < bytes.size()) return false;
  std::copy(bytes.begin(), bytes.end(), there.begin());
  return true;
}

void Image::drop_relocations(std::uint64_t address, std::uint64_t size) {
  std::erase_if(relocations_, [&](const Relocation& r) { return r.address - address < size; });
}

void Image::copy_relocations(std::uint64_t from, std::uint64_t size, std::uint64_t to) {
  const std::span<const Relocation> there = relocations_at(from, size);
  std::vector<Relocation> copies(there.begin(), there.end());
  for (Relocation& r : copies) r.address += to - from;
  relocations_.insert(relocations_.end(), copies.begin(), copies.end());
  std::stable_sort(relocations_.begin(), relocations_.end(),
                   [](const Relocation& a, const Relocation& b) { return a.address < b.address; });
}

std::span<const Relocation> Image::relocations_at(std::uint64_t address, std::uint64_t size) const {
  const auto below = [](const Relocation& r, std::uint64_t a) { return r.address < a; };
  auto first = std::lower_bound(relocations_.begin(), relocations_.end(), address, below);
  auto last = std::lower_bound(first, relocations_.end(), address + size, below);
  return {first, last};
}

std::uint64_t Image::shown(std::uint64_t address) const {
  if (address - undefined_begin_ < undefined_end_ - undefined_begin_) return 0;
  const Section* section = section_at(address);
  // One past a section's end still belongs to it.
  if (section == nullptr) section = section_at(address - 1);
  return section == nullptr ? address : address - section->bias;
}

std::string Image::describe(std::uint64_t address) const {
  const Symbol* symbol = enclosing_symbol(address);
  if (symbol == nullptr) return fmt::format("{:#x}", shown(address));
  const std::uint64_t start = code_start(*symbol, thumb_bit(elf_));
  if (address == start || address == symbol->address) return std::string(symbol->name);
  if (address < start) return fmt::format("{}-{:#x}", symbol->name, start - address);
  return fmt::format("{}+{:#x}", symbol->name, address - start);
}

std::uint64_t Image::resolve(std::uint64_t address, std::uint64_t from) const {
  if (section_at(address) != nullptr) return address;
  const Section* section = section_at(from);
  if (section == nullptr || elf_.type == llvm::ELF::ET_REL) return address;
  std::uint64_t unshifted = address - section->bias;
  if (!elf_.is64) unshifted &= low_half;
  return unshifted;
}

}  // namespace trapline
