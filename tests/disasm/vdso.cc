// SPDX-License-Identifier: Apache-2.0
//
// Expected exports of samples are read off the YAML files by hand; those of real vDSOs are what LLVM Object says.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "disasm/error.h"
#include "disasm/image/vdso_check.h"
#include "disasm/image/vdso_lief.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

namespace elf = llvm::ELF;
namespace fs = std::filesystem;

std::string show(const VdsoExport& e) {
  return fmt::format("{}@{} at {:#x} size {} type {} binding {} other {} in section {}, symbol {}", e.name, e.version,
                     e.value, e.size, e.type, e.binding, e.other, e.section, e.index);
}

std::string show(const VdsoSegment& s) {
  return fmt::format("type {:#x} offset {:#x} address {:#x} {:#x} bytes, {:#x} in memory", s.type, s.offset, s.address,
                     s.file_size, s.memory_size);
}

// A vDSO as text, by LIEF.
std::string by_lief(const Bytes& bytes) {
  const VdsoView view = read_vdso("sample", bytes);
  std::vector<std::string> lines{fmt::format("{} symbols", view.symbols), "build-id " + view.build_id};
  for (const VdsoSegment& segment : view.segments) lines.push_back(show(segment));
  for (const VdsoExport& e : view.exports) lines.push_back(show(e));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// The same by LLVM Object.
template <class ELFT>
std::string by_llvm(const llvm::object::ELFObjectFile<ELFT>& object) {
  const llvm::object::ELFFile<ELFT>& file = object.getELFFile();
  const auto symbols = object.getDynamicSymbolIterators();
  std::vector<std::string> lines{
      fmt::format("{} symbols", 1 + std::distance(symbols.begin(), symbols.end())),
      "build-id " + llvm::toHex(llvm::object::getBuildID(&object), true),
  };
  for (const auto& p : llvm::cantFail(file.program_headers()))
    lines.push_back(show(VdsoSegment{p.p_type, p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz}));
  const std::vector<llvm::object::VersionEntry> versions = llvm::cantFail(object.readDynsymVersions());
  std::uint32_t index = 0;
  for (const llvm::object::ELFSymbolRef symbol : symbols) {
    ++index;
    const auto& s = *llvm::cantFail(object.getSymbol(symbol.getRawDataRefImpl()));
    if (s.st_shndx == elf::SHN_UNDEF || s.st_shndx == elf::SHN_ABS || s.getBinding() == elf::STB_LOCAL) continue;
    lines.push_back(show(VdsoExport{llvm::cantFail(symbol.getName()).str(),
                                    versions.empty() ? std::string() : versions[index - 1].Name, s.st_value, s.st_size,
                                    s.getType(), s.getBinding(), s.st_other, s.st_shndx, index}));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string by_llvm(const Bytes& bytes) {
  const llvm::StringRef view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto object = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile({view, "sample"}));
  using namespace llvm::object;
  if (const auto* file = llvm::dyn_cast<ELF64LEObjectFile>(object.get())) return by_llvm(*file);
  if (const auto* file = llvm::dyn_cast<ELF64BEObjectFile>(object.get())) return by_llvm(*file);
  if (const auto* file = llvm::dyn_cast<ELF32LEObjectFile>(object.get())) return by_llvm(*file);
  return by_llvm(llvm::cast<ELF32BEObjectFile>(*object));
}

std::vector<std::string> exports_of(const Image& image) {
  std::vector<std::string> found;
  for (const Export& e : image.exports())
    found.push_back(fmt::format("{}@{} {:#x} {}", e.symbol.name, e.version, e.symbol.address, e.symbol.size));
  return found;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

// The sample with `from` replaced by `to` in its YAML: "opens", or what Image says.
std::string outcome(const std::string& from, const std::string& to) {
  const Bytes bytes = elf_of(replaced(read_text("tests/image/good-vdso-loongarch64.yaml"), from, to));
  try {
    (void)Image::from_bytes("vdso.so", bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "opens";
}

}  // namespace

TEST_CASE("vdso: exports with their versions") {
  const std::unique_ptr<Image> image = sample("good-vdso-loongarch64");
  CHECK(image->kind() == ImageKind::vdso);
  CHECK(image->build_id() == "00112233445566778899aabbccddeeff01234567");
  // LINUX_6.11 has LINUX_5.10 as its parent.
  CHECK(exports_of(*image) ==
        std::vector<std::string>{"__vdso_gettimeofday@LINUX_5.10 0x800 16", "gettimeofday@LINUX_5.10 0x800 16",
                                 "__vdso_rt_sigreturn@LINUX_5.10 0x810 8", "__vdso_getcpu@LINUX_6.11 0x818 12"});
  CHECK(image->exports()[1].symbol.binding == SymbolBinding::weak);
  CHECK(image->exports()[3].symbol.type == SymbolType::func);
  // 32-bit, big-endian.
  CHECK(exports_of(*sample("good-vdso-powerpc")) ==
        std::vector<std::string>{"__kernel_gettimeofday@LINUX_2.6.15 0x800 12",
                                 "__kernel_sigtramp32@LINUX_2.6.15 0x80c 8",
                                 "__kernel_sigtramp_rt32@LINUX_2.6.15 0x814 8"});
  CHECK(sample("good-loongarch64")->exports().empty());
}

TEST_CASE("vdso: what has no dynamic segment, or is too large for LIEF, has exports without versions") {
  CHECK(exports_of(*sample("good-vdso")) == std::vector<std::string>{"__vdso_gettimeofday@ 0x1000 8"});
  CHECK_FALSE(fit_for_lief("sample", sample_bytes("good-vdso")));
  const std::string yaml = read_text("tests/image/good-vdso-loongarch64.yaml");
  CHECK(fit_for_lief("sample", elf_of(yaml)));
  // LIEF would make room for all of it.
  const Bytes large = elf_of(replaced(
      yaml,
      "DynamicSymbols:", "  - { Name: .bss, Type: SHT_NOBITS, Address: 0x10000, Size: 0x8000000 }\nDynamicSymbols:"));
  CHECK_FALSE(fit_for_lief("sample", large));
  CHECK(exports_of(*Image::from_bytes("large", large))[3] == "__vdso_getcpu@ 0x818 12");
}

TEST_CASE("vdso: where the dynamic segment and the section headers differ, the file is damaged") {
  CHECK(outcome("Tag: DT_SYMTAB, Value: 0x280", "Tag: DT_SYMTAB, Value: 0x298") ==
        "vdso.so: dynamic entry SYMTAB leads to address 0x298, but the section header says 0x280: the file is damaged; "
        "copy or build it again");
  CHECK(outcome("Tag: DT_STRTAB, Value: 0x400", "Tag: DT_STRTAB, Value: 0x500")
            .find("entry STRTAB leads to address "
                  "0x500") != std::string::npos);
  CHECK(outcome("Tag: DT_VERDEFNUM, Value: 0x3", "Tag: DT_VERDEFNUM, Value: 0x2").find("entry VERDEFNUM is 2") !=
        std::string::npos);
  CHECK(outcome("Tag: DT_SONAME, Value: 0x42", "Tag: DT_SONAME, Value: 0x4200").find("entry SONAME takes a name") !=
        std::string::npos);
  CHECK(outcome("Entries: [ 0, 2, 2, 2, 3, 2, 3 ]", "Entries: [ 0, 2, 2 ]").find("3 symbol versions for 7") !=
        std::string::npos);
  CHECK(outcome("FirstSec: .dynamic, LastSec: .dynamic,", "Offset: 0x100000, FileSize: 0xa0,").find("segment 1 at") !=
        std::string::npos);
}

TEST_CASE("vdso: cut off anywhere, it is an error") {
  for (const char* name : {"good-vdso-loongarch64", "good-vdso-powerpc"}) {
    const Bytes whole = sample_bytes(name);  // the section headers come last
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK_THROWS_AS((void)Image::from_bytes("vdso.so", std::span(whole).first(size)), Error);
    }
  }
}

TEST_CASE("vdso: LIEF and LLVM Object read the same") {
  for (const char* name : {"good-vdso-loongarch64", "good-vdso-powerpc"})
    CHECK(by_lief(sample_bytes(name)) == by_llvm(sample_bytes(name)));
  const char* const folder = std::getenv("TRAPLINE_KERNELS");
  if (folder == nullptr) {
    MESSAGE("skipped: TRAPLINE_KERNELS does not name a folder of kernels");
    return;
  }
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder) / "vdso")) {
    CAPTURE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    CHECK(fit_for_lief("sample", bytes));
    CHECK(by_lief(bytes) == by_llvm(bytes));
    ++files;
  }
  CHECK(files != 0);
}

}  // namespace trapline::test
