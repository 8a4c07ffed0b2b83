// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/layout.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <bit>
#include <map>

namespace trapline {
namespace {

namespace elf = llvm::ELF;

bool allocated(const ElfSection& s) { return (s.flags & elf::SHF_ALLOC) != 0; }
bool executable(const ElfSection& s) { return (s.flags & elf::SHF_EXECINSTR) != 0; }

// Objects start at 1 GiB: below 2 GiB, so that address arithmetic of 32-bit code and sign-extended 32-bit immediates
// still works, and above most constants. Sections keep their alignment, since code computes with it.
constexpr std::uint64_t object_base = 0x4000'0000;
constexpr std::uint64_t object_gap = 0x1000;
constexpr std::uint64_t object_limit = std::uint64_t{1} << 62;
constexpr std::uint64_t max_align = 0x20'0000;

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) & ~(align - 1); }

Layout lay_out_object(const ElfView& elf) {
  Layout layout;
  layout.bias.resize(elf.sections().size());
  std::uint64_t cursor = object_base;
  for (std::size_t i = 0; i < elf.sections().size(); ++i) {
    const ElfSection& s = elf.sections()[i];
    if (!allocated(s)) continue;
    const bool sane = std::has_single_bit(s.align) && s.align <= max_align;
    cursor = align_up(cursor, sane && s.align > 16 ? s.align : 16);
    layout.bias[i] = cursor - s.address;
    if (s.size > object_limit || cursor + s.size > object_limit)
      elf.fail(fmt::format("{} has {:#x} bytes in memory, more than fit: the section header is damaged", elf.label(i),
                           s.size));
    cursor += s.size + object_gap;
  }
  layout.undefined_begin = align_up(cursor, 0x10000);
  return layout;
}

// Places intervals of addresses so that none overlaps another.
class Places {
 public:
  bool free(std::uint64_t first, std::uint64_t size) const {
    const std::uint64_t last = first + (size - 1);
    if (last < first) return false;
    auto next = taken_.upper_bound(last);
    return next == taken_.begin() || std::prev(next)->second < first;
  }
  void take(std::uint64_t first, std::uint64_t size) { taken_.emplace(first, first + (size - 1)); }

 private:
  std::map<std::uint64_t, std::uint64_t> taken_;  // first address, last address
};

// Linked images keep their addresses; a section whose addresses are taken moves to the next free window. Windows are 4
// GiB apart for 32-bit images (the low half of an address stays what it was), 1 TiB for 64-bit ones.
Layout lay_out_linked(const ElfView& elf) {
  Layout layout;
  layout.bias.resize(elf.sections().size());
  Places places;
  const unsigned shift = elf.identity().is64 ? 40 : 32;
  std::uint64_t window = 0;
  constexpr std::uint64_t max_windows = std::uint64_t{1} << 18;
  for (const bool code : {true, false}) {
    for (std::size_t i = 0; i < elf.sections().size(); ++i) {
      const ElfSection& s = elf.sections()[i];
      if (!allocated(s) || executable(s) != code || s.size == 0) continue;
      if ((s.flags & elf::SHF_TLS) != 0 && s.type == elf::SHT_NOBITS) continue;  // .tbss takes no addresses
      while (!places.free(s.address + layout.bias[i], s.size)) {
        if (++window == max_windows)
          elf.fail(
              fmt::format("{} at address {:#x} overlaps other sections and cannot be told apart from them: the section "
                          "headers are damaged",
                          elf.label(i), s.address));
        layout.bias[i] = window << shift;
      }
      places.take(s.address + layout.bias[i], s.size);
    }
  }
  return layout;
}

}  // namespace

Layout lay_out(const ElfView& elf) {
  return elf.identity().type == elf::ET_REL ? lay_out_object(elf) : lay_out_linked(elf);
}

}  // namespace trapline
