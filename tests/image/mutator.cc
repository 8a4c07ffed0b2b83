// SPDX-License-Identifier: Apache-2.0
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Error.h>

#include <algorithm>

#include "mutate.h"

namespace trapline::test {
namespace {

struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Where the headers of sections and segments and the tables of symbols, relocations, strings and notes are, as far as
// the (perhaps already damaged) file tells.
template <class ELFT>
std::vector<Extent> tables_of(llvm::StringRef file) {
  std::vector<Extent> found;
  auto elf = llvm::object::ELFFile<ELFT>::create(file);
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return found;
  }
  if (auto segments = elf->program_headers()) {
    for (const auto& p : *segments)
      found.push_back({static_cast<std::uint64_t>(reinterpret_cast<const char*>(&p) - file.data()), sizeof(p)});
  } else {
    llvm::consumeError(segments.takeError());
  }
  auto sections = elf->sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return found;
  }
  for (const auto& s : *sections) {
    // Each header is a table of its own: they matter most.
    found.push_back({static_cast<std::uint64_t>(reinterpret_cast<const char*>(&s) - file.data()), sizeof(s)});
    const std::uint32_t type = s.sh_type;
    if (type == llvm::ELF::SHT_NOBITS || type == llvm::ELF::SHT_NULL || s.sh_size == 0) continue;
    if (s.sh_offset < file.size() && s.sh_size <= file.size() - s.sh_offset) found.push_back({s.sh_offset, s.sh_size});
  }
  return found;
}

}  // namespace

std::uint64_t Mutator::nasty(const Bytes& file) {
  switch (below(6)) {
    case 0:
      return below(4);
    case 1:
      return ~std::uint64_t{0} - below(4);
    case 2:
      return (std::uint64_t{1} << below(64)) - 1 + below(3);
    case 3:
      return file.size() + below(5) - 2;
    case 4:
      return below(file.size() + 1);
    default:
      return random_();
  }
}

void Mutator::write(Bytes& file, std::uint64_t offset, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width && offset + i < file.size(); ++i)
    file[offset + i] = static_cast<std::uint8_t>(value >> 8 * (little_ ? i : width - 1 - i));
}

void Mutator::change_field(Bytes& file, std::uint64_t start, std::uint64_t size) {
  const unsigned width = 1U << below(4);
  const std::uint64_t slots = std::max<std::uint64_t>(size / width, 1);
  write(file, start + below(slots) * width, width, nasty(file));
}

void Mutator::change_table(Bytes& file) {
  using namespace llvm::object;
  const llvm::StringRef view(reinterpret_cast<const char*>(file.data()), file.size());
  const bool is64 = file.size() > 4 && file[4] == llvm::ELF::ELFCLASS64;
  const std::vector<Extent> tables = is64 ? (little_ ? tables_of<ELF64LE>(view) : tables_of<ELF64BE>(view))
                                          : (little_ ? tables_of<ELF32LE>(view) : tables_of<ELF32BE>(view));
  if (tables.empty()) return;
  const Extent& table = tables[below(tables.size())];
  change_field(file, table.offset, table.size);
}

void Mutator::change(Bytes& file) {
  if (file.empty()) return;
  switch (below(8)) {
    case 0:
      change_field(file, 0, 64);
      break;
    case 1:
    case 2:
    case 3:
    case 4:
      change_table(file);
      break;
    case 5:
      for (std::uint64_t n = 1 + below(16); n > 0; --n) file[below(file.size())] = static_cast<std::uint8_t>(random_());
      break;
    case 6: {
      const std::uint64_t size = 1 + below(std::min<std::uint64_t>(file.size(), 64));
      const std::uint64_t from = below(file.size() - size + 1);
      const std::uint64_t to = below(file.size() - size + 1);
      const Bytes block(file.begin() + static_cast<std::ptrdiff_t>(from),
                        file.begin() + static_cast<std::ptrdiff_t>(from + size));
      std::copy(block.begin(), block.end(), file.begin() + static_cast<std::ptrdiff_t>(to));
      break;
    }
    default:
      file.resize(below(file.size() + 1));
      break;
  }
}

std::vector<std::uint8_t> Mutator::mutate(std::span<const std::uint8_t> file) {
  Bytes copy(file.begin(), file.end());
  little_ = copy.size() <= 5 || copy[5] != llvm::ELF::ELFDATA2MSB;
  for (std::uint64_t n = 1 + below(3); n > 0; --n) change(copy);
  return copy;
}

}  // namespace trapline::test
