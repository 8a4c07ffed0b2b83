// SPDX-License-Identifier: Apache-2.0
//
// Kernels that carry vDSOs: a sample with the bytes of another one in its read-only data, and real ones.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "disasm/error.h"
#include "disasm/image/vdso_embedded.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t data = 0x9000000000800000;

// good-loongarch64 with a section .rodata at `data` that holds `content`, and these symbols in it (name, offset).
std::unique_ptr<Image> kernel_with(const Bytes& content,
                                   const std::vector<std::pair<std::string, std::uint64_t>>& symbols = {}) {
  std::string hex;
  for (const std::uint8_t byte : content) hex += fmt::format("{:02x}", byte);
  std::string yaml = read_text("tests/image/good-loongarch64.yaml");
  yaml.insert(
      yaml.find("Symbols:\n"),
      fmt::format("  - {{ Name: .rodata, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC ], Address: {:#x}, Content: '{}' "
                  "}}\n",
                  data, hex));
  for (const auto& [name, offset] : symbols)
    yaml +=
        fmt::format("  - {{ Name: {}, Section: .rodata, Value: {:#x}, Binding: STB_GLOBAL }}\n", name, data + offset);
  return Image::from_bytes("vmlinux", elf_of(yaml));
}

// `vdso`, filled up with zeros to `pages` pages.
Bytes padded(Bytes vdso, std::size_t pages) {
  REQUIRE(vdso.size() <= pages * 4096);
  vdso.resize(pages * 4096);
  return vdso;
}

std::vector<std::string> found(const Image& kernel) {
  std::vector<std::string> all;
  for (const EmbeddedVdso& vdso : find_embedded_vdsos(kernel))
    all.push_back(fmt::format("{} at {:#x}, {:#x} bytes", vdso.name, vdso.address - data, vdso.bytes.size()));
  return all;
}

using Found = std::vector<std::string>;

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path.string());
  return Bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

}  // namespace

TEST_CASE("vdso: embedded between symbols") {
  const Bytes vdso = sample_bytes("good-vdso-loongarch64");
  const std::unique_ptr<Image> kernel = kernel_with(padded(vdso, 1), {{"vdso_start", 0}, {"vdso_end", 0x1000}});
  CHECK(found(*kernel) == Found{"vdso64 at 0x0, 0x1000 bytes"});
  const std::vector<std::unique_ptr<Image>> images = open_embedded_vdsos(*kernel);
  REQUIRE(images.size() == 1);
  CHECK(images[0]->path() == "vmlinux!vdso64");
  CHECK(images[0]->kind() == ImageKind::vdso);
  CHECK(images[0]->exports().size() == 4);
  // Any X_start with an X_end behind it, both names of one address once; no ELF file, no vDSO.
  Bytes two = padded(vdso, 2);
  std::copy(vdso.begin(), vdso.end(), two.begin() + 0x1000);
  CHECK(found(*kernel_with(two, {{"vdso64_start", 0},
                                 {"vdso64_end", 0x1000},
                                 {"__vdso64_start", 0},
                                 {"compat_vdso_start", 0x1000},
                                 {"compat_vdso_end", 0x2000}})) ==
        Found{"vdso64 at 0x0, 0x1000 bytes", "vdso64-2 at 0x1000, 0x1000 bytes"});
  CHECK(found(*kernel_with(Bytes(0x1000), {{"vdso_start", 0}, {"vdso_end", 0x1000}})).empty());
  // Without an end, or with one out of order or out of the section, the ELF header tells how long it is.
  const std::string by_header = fmt::format("vdso64 at 0x0, {:#x} bytes", vdso.size());
  CHECK(found(*kernel_with(padded(vdso, 1), {{"vdso_start", 0}})) == Found{by_header});
  CHECK(found(*kernel_with(padded(vdso, 1), {{"vdso_start", 0}, {"vdso_end", 0x1001}})) == Found{by_header});
}

TEST_CASE("vdso: embedded at a page boundary, without symbols") {
  const Bytes vdso = sample_bytes("good-vdso-loongarch64");
  const auto at = [&](std::size_t offset, const Bytes& inner) {
    Bytes content(offset);
    content.insert(content.end(), inner.begin(), inner.end());
    return found(*kernel_with(content));
  };
  CHECK(at(0x2000, vdso) == Found{fmt::format("vdso64 at 0x2000, {:#x} bytes", vdso.size())});
  CHECK(at(0x800, vdso).empty());
  // The end of the file is cut off; another machine; no shared object.
  CHECK(at(0, Bytes(vdso.begin(), vdso.end() - 1)).empty());
  CHECK(at(0, sample_bytes("good-vdso-powerpc")).empty());
  CHECK(at(0, sample_bytes("good-object")).empty());
  // What looks like a vDSO and is none is left out, not an error: here the section headers are zero.
  Bytes hollow = vdso;
  std::fill(hollow.end() - 11 * 64, hollow.end(), std::uint8_t{0});
  const std::unique_ptr<Image> kernel = kernel_with(hollow);
  CHECK(find_embedded_vdsos(*kernel).size() == 1);
  CHECK(open_embedded_vdsos(*kernel).empty());
}

TEST_CASE("vdso: one that is damaged between its symbols is an error that names it") {
  Bytes vdso = padded(sample_bytes("good-vdso-loongarch64"), 1);
  vdso[0x3c] = 0xff;  // e_shnum
  const std::unique_ptr<Image> kernel = kernel_with(vdso, {{"vdso_start", 0}, {"vdso_end", 0x1000}});
  try {
    (void)open_embedded_vdsos(*kernel);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("vmlinux!vdso64: 255 section headers at offset "));
  }
}

TEST_CASE("vdso: no image but a kernel carries any") {
  const Bytes vdso = sample_bytes("good-vdso-loongarch64");
  CHECK(find_embedded_vdsos(*Image::from_bytes("vdso", vdso)).empty());
  CHECK(find_embedded_vdsos(*sample("good-object")).empty());
  CHECK(find_embedded_vdsos(*sample("good-loongarch64")).empty());
}

// What lies between the symbols of a real kernel is the vDSO that was taken out of it, or that its package has.
TEST_CASE("vdso: embedded in real kernels") {
  const char* const folder = std::getenv("TRAPLINE_KERNELS");
  if (folder == nullptr) {
    MESSAGE("skipped: TRAPLINE_KERNELS does not name a folder of kernels");
    return;
  }
  struct Row {
    const char* kernel;
    const char* vdso;  // in vdso/, or none
    const char* name;
    bool cut_out;  // with objcopy: equal bytes; else with symbols and debug information that the kernel lacks
  };
  for (const Row& row : {Row{"vmlinux-6.1.176-ppc64el", "vdso64-6.1.176-ppc64el.so", "vdso64", true},
                         Row{"vmlinux-7.2.12-loong64", "vdso-7.2.12-loong64.so", "vdso64", false}}) {
    CAPTURE(row.kernel);
    fs::path path = fs::path(folder) / row.kernel;
    const fs::path unpacked = fs::temp_directory_path() / fmt::format("trapline-test-{}", row.kernel);
    if (!fs::exists(path)) path = unpacked;
    if (!fs::exists(path)) {
      const std::string packed = (fs::path(folder) / row.kernel).string() + ".xz";
      const std::string fresh = fmt::format("{}.{}", unpacked.string(), ::getpid());
      if (std::system(fmt::format("xz -dc '{}' > '{}'", packed, fresh).c_str()) != 0) {
        MESSAGE("skipped: xz cannot unpack " << packed);
        continue;
      }
      fs::rename(fresh, unpacked);
    }
    const std::unique_ptr<Image> kernel = Image::open(path.string());
    const std::vector<EmbeddedVdso> vdsos = find_embedded_vdsos(*kernel);
    REQUIRE(vdsos.size() == 1);
    CHECK(vdsos[0].name == row.name);
    CHECK(vdsos[0].by_symbols);
    const Bytes file = read_file(fs::path(folder) / "vdso" / row.vdso);
    if (row.cut_out) {
      REQUIRE(file.size() <= vdsos[0].bytes.size());
      CHECK(std::equal(file.begin(), file.end(), vdsos[0].bytes.begin()));
    }
    const std::unique_ptr<Image> inner = Image::from_bytes("inner", vdsos[0].bytes);
    const std::unique_ptr<Image> outer = Image::from_bytes("outer", file);
    CHECK(inner->build_id() == outer->build_id());
    REQUIRE(inner->exports().size() == outer->exports().size());
    for (std::size_t i = 0; i < inner->exports().size(); ++i) {
      CHECK(inner->exports()[i].symbol.name == outer->exports()[i].symbol.name);
      CHECK(inner->exports()[i].symbol.address == outer->exports()[i].symbol.address);
      CHECK(inner->exports()[i].version == outer->exports()[i].version);
    }
  }
}

}  // namespace trapline::test
