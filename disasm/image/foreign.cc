// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace trapline {
namespace {

using namespace std::string_view_literals;

// A magic number at an offset of the file. `tool` unpacks the file when that takes one command.
struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
  std::string_view todo;
};

constexpr std::string_view extract =
    "unpack it with scripts/extract-vmlinux of the kernel source, or take the vmlinux of the build or of the "
    "distribution's debug package";
constexpr std::string_view raw_image =
    "it holds no symbols; pass the vmlinux it was made from (of the build or of the distribution's debug package)";

// Sources: Linux Documentation/arch/x86/boot.rst, Documentation/arch/arm64/booting.rst,
// Documentation/arch/riscv/boot-image-header.rst, arch/loongarch/kernel/head.S, arch/arm/boot/compressed/head.S,
// drivers/firmware/efi/libstub/zboot-header.S; the compressors' own format descriptions. First match wins.
constexpr Magic magics[] = {
    {4, "zimg"sv, "a compressed kernel image (EFI zboot)", extract},
    {0x202, "HdrS"sv, "a compressed x86 kernel image (bzImage)", extract},
    {0x24, "\x18\x28\x6f\x01"sv, "a compressed ARM kernel image (zImage)", extract},
    {0x24, "\x01\x6f\x28\x18"sv, "a compressed ARM kernel image (zImage)", extract},
    {56, "ARM\x64"sv, "a raw arm64 kernel image (Image)", raw_image},
    {56, "RSC\x05"sv, "a raw RISC-V kernel image (Image)", raw_image},
    {0x38, "\xcd\x23\x82\x81"sv, "a raw LoongArch kernel image (Image)", raw_image},
    {0, "\x1f\x8b"sv, "compressed with gzip",
     "unpack it first (gzip -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "compressed with xz",
     "unpack it first (xz -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd",
     "unpack it first (zstd -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0, "\x02\x21\x4c\x18"sv, "compressed with lz4",
     "unpack it first (lz4 -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0, "\x04\x22\x4d\x18"sv, "compressed with lz4", "unpack it first (lz4 -dc FILE > vmlinux)"},
    {0, "BZh"sv, "compressed with bzip2",
     "unpack it first (bzip2 -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0, "\x5d\0\0"sv, "compressed with lzma",
     "unpack it first (xz --format=lzma -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel "
     "image)"},
    {0, "\x89LZO\0"sv, "compressed with lzop",
     "unpack it first (lzop -dc FILE > vmlinux; scripts/extract-vmlinux of the kernel source for a kernel image)"},
    {0, "\x27\x05\x19\x56"sv, "a U-Boot image (uImage)", extract},
    {0, "!<arch>\n"sv, "an archive", "pass the objects in it one by one (ar x FILE)"},
    {0, "!<thin>\n"sv, "a thin archive", "pass the objects it names (ar t FILE)"},
    {0, "BC\xc0\xde"sv, "LLVM bitcode",
     "pass an object with machine code (with link-time optimization, vmlinux or vmlinux.o)"},
    {0, "MZ"sv, "an EFI or PE executable", extract},
};

constexpr std::string_view pass = "pass a vmlinux, vDSO, object or module";

bool has(std::span<const std::uint8_t> bytes, const Magic& magic) {
  if (bytes.size() < magic.offset + magic.bytes.size()) return false;
  return std::equal(magic.bytes.begin(), magic.bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(magic.offset),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

bool looks_like_text(std::span<const std::uint8_t> bytes) {
  const std::span<const std::uint8_t> start = bytes.first(std::min<std::size_t>(bytes.size(), 512));
  return std::all_of(start.begin(), start.end(), [](std::uint8_t c) { return c >= 0x20 || (c >= '\t' && c <= '\r'); });
}

}  // namespace

std::string describe_foreign(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return fmt::format("the file is empty; {}", pass);
  if (has(bytes, {0,
                  "\x7f"
                  "ELF"sv,
                  {},
                  {}}))
    return fmt::format("the ELF header is cut off after {} bytes: the file is truncated; copy or unpack it again",
                       bytes.size());
  for (const Magic& magic : magics)
    if (has(bytes, magic)) return fmt::format("not an ELF file but {}; {}", magic.what, magic.todo);
  return fmt::format("not an ELF file{}; {}", looks_like_text(bytes) ? " but text" : "", pass);
}

}  // namespace trapline
