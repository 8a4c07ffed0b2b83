// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/vdso_embedded.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFTypes.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "disasm/error.h"

namespace trapline {
namespace {

namespace elf = llvm::ELF;

constexpr std::uint64_t page = 4096;              // the smallest a kernel uses; a vDSO begins at a page
constexpr std::uint64_t largest_vdso = 1U << 20;  // the largest real one, with its debug information, has a fifth

// The parts of an ELF header that tell a vDSO.
struct Header {
  bool is64 = false;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint64_t end = 0;  // offset behind the section headers, which linkers write last
};

template <class ELFT>
Header header_of(std::span<const std::uint8_t> bytes) {
  typename ELFT::Ehdr h;
  if (bytes.size() < sizeof(h)) return {};
  std::memcpy(&h, bytes.data(), sizeof(h));
  const std::uint64_t table = std::uint64_t{h.e_shentsize} * h.e_shnum;
  if (h.e_ehsize != sizeof(h) || h.e_shoff == 0 || table == 0 || h.e_shoff > largest_vdso) return {};
  return {ELFT::Is64Bits, h.e_type, h.e_machine, h.e_shoff + table};
}

std::optional<Header> read_header(std::span<const std::uint8_t> bytes) {
  using namespace llvm::object;
  if (bytes.size() < elf::EI_NIDENT || std::memcmp(bytes.data(), elf::ElfMagic, 4) != 0) return std::nullopt;
  const bool little = bytes[elf::EI_DATA] == elf::ELFDATA2LSB;
  if (bytes[elf::EI_CLASS] == elf::ELFCLASS64) return little ? header_of<ELF64LE>(bytes) : header_of<ELF64BE>(bytes);
  return little ? header_of<ELF32LE>(bytes) : header_of<ELF32BE>(bytes);
}

// A kernel runs programs of its own machine, and those of the smaller one of the family.
bool same_family(std::uint16_t kernel, std::uint16_t program) {
  constexpr std::array<std::array<std::uint16_t, 2>, 4> smaller = {{{elf::EM_AARCH64, elf::EM_ARM},
                                                                    {elf::EM_PPC64, elf::EM_PPC},
                                                                    {elf::EM_X86_64, elf::EM_386},
                                                                    {elf::EM_SPARCV9, elf::EM_SPARC}}};
  return kernel == program || std::any_of(smaller.begin(), smaller.end(),
                                          [&](const auto& pair) { return pair[0] == kernel && pair[1] == program; });
}

bool is_vdso(const Header& header, std::uint16_t kernel) {
  return header.type == elf::ET_DYN && same_family(kernel, header.machine);
}

std::string_view kind_name(const Header& header) {
  if (header.is64) return "vdso64";
  return header.machine == elf::EM_X86_64 ? "vdsox32" : "vdso32";
}

// Between X_start and X_end, for each X that has "vdso" in it. Linux has vdso_start (arm, arm64, loongarch, riscv),
// vdso32_start (arm64, powerpc, s390), vdso64_start (powerpc, s390), compat_vdso_start and vdso_cfi_start (riscv).
std::vector<EmbeddedVdso> by_symbols(const Image& kernel) {
  constexpr std::string_view start = "_start";
  std::vector<EmbeddedVdso> found;
  for (const Symbol& symbol : kernel.symbols()) {
    if (!found.empty() && found.back().address == symbol.address) continue;  // another name of the same one
    if (!symbol.name.ends_with(start) || symbol.name.find("vdso") == std::string_view::npos) continue;
    const std::string end_name = std::string(symbol.name.substr(0, symbol.name.size() - start.size())) + "_end";
    const Symbol* end = kernel.find_symbol(end_name);
    const std::span<const std::uint8_t> bytes = kernel.bytes_at(symbol.address);
    if (end == nullptr || end->address <= symbol.address || end->address - symbol.address > bytes.size()) continue;
    const std::span<const std::uint8_t> inner = bytes.first(end->address - symbol.address);
    const std::optional<Header> header = read_header(inner);
    if (header) found.push_back({std::string(kind_name(*header)), symbol.address, inner, true});
  }
  return found;
}

std::vector<EmbeddedVdso> by_headers(const Image& kernel) {
  std::vector<EmbeddedVdso> found;
  for (const Section& section : kernel.sections()) {
    if (!section.allocated) continue;
    std::uint64_t offset = (page - section.address % page) % page;
    for (; offset < section.bytes.size(); offset += page) {
      const std::span<const std::uint8_t> bytes = section.bytes.subspan(offset);
      const std::optional<Header> header = read_header(bytes);
      if (!header || !is_vdso(*header, kernel.elf().machine)) continue;
      if (header->end > std::min<std::uint64_t>(bytes.size(), largest_vdso)) continue;
      found.push_back({std::string(kind_name(*header)), section.address + offset, bytes.first(header->end), false});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return found;
}

}  // namespace

std::vector<EmbeddedVdso> find_embedded_vdsos(const Image& kernel) {
  if (kernel.kind() != ImageKind::vmlinux && kernel.kind() != ImageKind::object) return {};
  std::vector<EmbeddedVdso> found = by_symbols(kernel);
  if (found.empty() && kernel.kind() == ImageKind::vmlinux) found = by_headers(kernel);
  std::set<std::string> taken;
  for (EmbeddedVdso& vdso : found) {
    const std::string kind = vdso.name;
    for (int n = 2; !taken.insert(vdso.name).second; ++n) vdso.name = fmt::format("{}-{}", kind, n);
  }
  return found;
}

std::vector<std::unique_ptr<Image>> open_embedded_vdsos(const Image& kernel) {
  std::vector<std::unique_ptr<Image>> images;
  for (const EmbeddedVdso& vdso : find_embedded_vdsos(kernel)) {
    const std::string name = fmt::format("{}!{}", kernel.path(), vdso.name);
    try {
      std::unique_ptr<Image> image = Image::from_bytes(name, vdso.bytes);
      if (image->kind() == ImageKind::vdso) {
        images.push_back(std::move(image));
      } else if (vdso.by_symbols) {
        throw Error(name, "the kernel's symbols surround no vDSO: the file is damaged; copy or build it again");
      }
    } catch (const Error&) {
      if (vdso.by_symbols) throw;
    }
  }
  return images;
}

}  // namespace trapline
