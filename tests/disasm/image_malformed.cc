// SPDX-License-Identifier: Apache-2.0
//
// Every malformed file is one Error that says what is wrong. The expected texts stand beside the files, in
// tests/image/malformed.yaml; offsets and sizes in them are those written in the YAML.
#include <doctest/doctest.h>
#include <llvm/BinaryFormat/ELF.h>

#include <cstring>
#include <optional>
#include <sstream>

#include "disasm/error.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

// The message with which an image is refused, nothing when it opens.
std::optional<std::string> refusal(const Bytes& bytes) {
  try {
    (void)Image::from_bytes("sample", bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

std::string message_of(const std::string& text) { return refusal(Bytes(text.begin(), text.end())).value_or("opens"); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("image: malformed files are refused with their fault") {
  const std::vector<std::string> documents = yaml_documents(read_text("tests/image/malformed.yaml"));
  REQUIRE(documents.size() > 50);
  for (const std::string& document : documents) {
    CAPTURE(document);
    const std::optional<std::string> message = refusal(elf_of(document));
    bool said = false;
    std::istringstream lines(document);
    for (std::string line; std::getline(lines, line);) {
      if (line == "# opens") {
        said = true;
        CHECK_MESSAGE(!message, message.value_or(""));
      } else if (line.starts_with("# expect: ")) {
        said = true;
        REQUIRE(message);
        CHECK_MESSAGE(contains(*message, line.substr(std::strlen("# expect: "))), *message);
        CHECK(message->starts_with("sample: "));
      }
    }
    CHECK_MESSAGE(said, "the document says nothing of what is expected");
  }
}

TEST_CASE("image: a file cut off anywhere is refused") {
  for (const char* name : {"good-loongarch64", "good-object", "good-vdso"}) {
    const Bytes bytes = sample_bytes(name);
    REQUIRE_FALSE(refusal(bytes));
    // yaml2obj puts the section headers last: no proper prefix is a whole file.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(size);
      const std::optional<std::string> message =
          refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
      REQUIRE(message);
      if (size > 4) CHECK_MESSAGE(contains(*message, "truncated"), *message);
    }
  }
}

TEST_CASE("image: files that are not ELF are named") {
  CHECK(contains(message_of(""), "the file is empty; pass a vmlinux, vDSO, object or module"));
  CHECK(contains(message_of("#!/bin/sh\nexit 0\n"), "not an ELF file but text; pass a vmlinux"));
  CHECK(contains(message_of(std::string("\0\1\2\3", 4)), "not an ELF file; pass a vmlinux"));
  CHECK(contains(message_of("\x7f"
                            "EL"),
                 "not an ELF file"));
  CHECK(contains(message_of("\x7f"
                            "ELF"),
                 "cut off after 4 bytes"));
  CHECK(contains(message_of("\x7f"
                            "ELF\x09\x09\x09 and more than sixteen bytes"),
                 "ELF class 9 with data encoding 9 is unknown"));
}

// Magic numbers: RFC 1952; the xz, zstd (RFC 8878) and lz4 format descriptions; Linux
// drivers/firmware/efi/libstub/zboot-header.S, Documentation/arch/x86/boot.rst, arch/arm/boot/compressed/head.S,
// Documentation/arch/arm64/booting.rst.
TEST_CASE("image: compressed and raw images say how to get an ELF file") {
  const auto at = [](std::size_t offset, const std::string& magic) {
    std::string file(0x400, '\0');
    file.replace(0, 2, "MZ");
    return file.replace(offset, magic.size(), magic);
  };
  const auto message = [&](std::size_t offset, const std::string& magic) { return message_of(at(offset, magic)); };
  CHECK(contains(message(0, "\x1f\x8b\x08"), "gzip -dc FILE > vmlinux; scripts/extract-vmlinux"));
  CHECK(contains(message(0, std::string("\xfd"
                                        "7zXZ\0",
                                        6)),
                 "xz -dc FILE > vmlinux; scripts/extract-vmlinux"));
  CHECK(contains(message(0, "\x28\xb5\x2f\xfd"), "zstd -dc FILE > vmlinux; scripts/extract-vmlinux"));
  CHECK(contains(message(0, "\x02\x21\x4c\x18"), "lz4 -dc FILE > vmlinux; scripts/extract-vmlinux"));
  CHECK(contains(message(0, "BZh9"), "bzip2 -dc FILE > vmlinux; scripts/extract-vmlinux"));
  CHECK(contains(message(4, "zimg"), "(EFI zboot); unpack it with scripts/extract-vmlinux"));
  CHECK(contains(message(0x202, "HdrS"), "(bzImage); unpack it with scripts/extract-vmlinux"));
  CHECK(contains(message(0x24, "\x18\x28\x6f\x01"), "(zImage); unpack it with scripts/extract-vmlinux"));
  CHECK(contains(message(56, "ARM\x64"), "a raw arm64 kernel image"));
  CHECK(contains(message(0, "!<arch>\n"), "an archive; pass the objects in it"));
  CHECK(contains(message(0, "BC\xc0\xde"), "LLVM bitcode"));
}

namespace {

void put(Bytes& file, std::uint64_t offset, const void* data, std::size_t size) {
  if (file.size() < offset + size) file.resize(offset + size);
  std::memcpy(file.data() + offset, data, size);
}

// A little-endian object of `count` sections, numbered as the ELF gABI says from 0xff00 on: e_shnum, e_shstrndx and
// st_shndx stand elsewhere. (yaml2obj takes a minute for it.) `.text` is the last but four; a symbol is in it.
Bytes many_sections(std::uint32_t count) {
  namespace elf = llvm::ELF;
  const std::string_view names("\0.text\0.symtab\0.strtab\0.shndx\0last\0", 36);
  const std::uint32_t text = count - 4;
  Bytes file;
  constexpr std::uint64_t code_at = 64, names_at = 68, index_at = 104, symbols_at = 112, headers_at = 160;
  const std::uint32_t code = 0x4c000020;
  put(file, code_at, &code, sizeof(code));
  put(file, names_at, names.data(), names.size());
  const std::uint32_t indices[2] = {0, text};
  put(file, index_at, indices, sizeof(indices));
  elf::Elf64_Sym symbols[2] = {};
  symbols[1].st_name = 30;
  symbols[1].st_info = elf::STB_GLOBAL << 4 | elf::STT_FUNC;
  symbols[1].st_shndx = elf::SHN_XINDEX;
  put(file, symbols_at, symbols, sizeof(symbols));
  std::vector<elf::Elf64_Shdr> headers(count);
  for (elf::Elf64_Shdr& h : headers) h = {0, elf::SHT_PROGBITS, elf::SHF_ALLOC, 0, code_at, 4, 0, 0, 4, 0};
  headers[0] = {0, elf::SHT_NULL, 0, 0, 0, count, count - 2, 0, 0, 0};
  headers[text] = {1, elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR, 0, code_at, 4, 0, 0, 4, 0};
  headers[count - 3] = {7, elf::SHT_SYMTAB, 0, 0, symbols_at, sizeof(symbols), count - 2, 1, 8, sizeof(symbols[0])};
  headers[count - 2] = {15, elf::SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0};
  headers[count - 1] = {23, elf::SHT_SYMTAB_SHNDX, 0, 0, index_at, sizeof(indices), count - 3, 0, 4, 4};
  put(file, headers_at, headers.data(), headers.size() * sizeof(headers[0]));
  elf::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident,
              "\x7f"
              "ELF\2\1\1",
              7);
  header.e_type = elf::ET_REL;
  header.e_machine = elf::EM_LOONGARCH;
  header.e_version = 1;
  header.e_shoff = headers_at;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(headers[0]);
  header.e_shstrndx = elf::SHN_XINDEX;
  put(file, 0, &header, sizeof(header));
  return file;
}

}  // namespace

TEST_CASE("image: more than 65,535 sections") {
  const std::unique_ptr<Image> image = Image::from_bytes("many", many_sections(70000));
  CHECK(image->sections().size() == 70000);
  const Symbol* last = image->find_symbol("last");
  REQUIRE(last != nullptr);
  CHECK(last->section == 69996);
  REQUIRE(image->section_at(last->address) != nullptr);
  CHECK(image->section_at(last->address)->name == ".text");
  CHECK(image->shown(last->address) == 0);
  CHECK(image->read(last->address, 4) == 0x4c000020U);
}

}  // namespace trapline::test
