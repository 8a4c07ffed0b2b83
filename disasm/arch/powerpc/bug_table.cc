// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <span>

#include "disasm/arch/powerpc/lift.h"

namespace trapline::ppc {
namespace {

// The shapes of struct bug_entry (include/asm-generic/bug.h): with or without file and line, addresses absolute
// (before CONFIG_GENERIC_BUG_RELATIVE_POINTERS) or relative to the word that holds them.
struct Shape {
  std::uint32_t size, flags_at;
  std::uint8_t address_bytes;
  bool relative;
};
constexpr std::array<Shape, 4> shapes_64 = {
    {{12, 10, 4, true}, {8, 4, 4, true}, {24, 18, 8, false}, {16, 8, 8, false}}};
constexpr std::array<Shape, 4> shapes_32 = {{{12, 10, 4, true}, {8, 4, 4, true}, {12, 10, 4, false}, {8, 4, 4, false}}};
constexpr std::uint64_t bugflag_warning = 1;

std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, unsigned width, bool little_endian) {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < width; ++i) v = v << 8 | bytes[at + (little_endian ? width - 1 - i : i)];
  return v;
}

// What address the record at `at` of the table names.
std::uint64_t named_address(const Image& image, const Section& table, const Shape& shape, std::size_t at) {
  const std::uint64_t here = table.address + at;
  if (image.kind() == ImageKind::object || image.kind() == ImageKind::module) {
    for (const Relocation& r : image.relocations_at(here, 1)) return r.target;
    return 0;
  }
  const std::uint64_t v = number(table.bytes, at, shape.address_bytes, image.elf().little_endian);
  if (!shape.relative) return v;
  return here + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v)));
}

std::optional<bool> find_in(const Image& image, const Section& table, const Shape& shape, std::uint64_t address) {
  if (table.bytes.size() % shape.size != 0) return std::nullopt;
  for (std::size_t at = 0; at + shape.size <= table.bytes.size(); at += shape.size)
    if (named_address(image, table, shape, at) == address)
      return (number(table.bytes, at + shape.flags_at, 2, image.elf().little_endian) & bugflag_warning) != 0;
  return std::nullopt;
}

}  // namespace

bool trap_is_warning(const Image& image, std::uint64_t address) {
  const Section* table = image.section_named("__bug_table");
  if (table == nullptr || table->bytes.empty()) return false;
  for (const Shape& shape : image.elf().is64 ? shapes_64 : shapes_32) {
    const std::optional<bool> found = find_in(image, *table, shape, address);
    if (found) return *found;
  }
  return false;
}

}  // namespace trapline::ppc
