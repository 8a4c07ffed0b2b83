// SPDX-License-Identifier: Apache-2.0
//
// The kernel's table of BUG and WARN sites (include/asm-generic/bug.h, struct bug_entry with
// CONFIG_GENERIC_BUG_RELATIVE_POINTERS, which LoongArch has selected since it has the table, 6.2). A record is
//
//   s32 address of the break, relative to this word
//   s32 file, relative to this word      with CONFIG_DEBUG_BUGVERBOSE
//   u16 line                             with CONFIG_DEBUG_BUGVERBOSE
//   u16 flags                            bit 0, BUGFLAG_WARNING
//
// padded to a multiple of 4 bytes: 12 or 8 bytes. The table does not say which; the one holds where its records name
// break instructions.
#include <llvm/BinaryFormat/ELF.h>

#include <optional>

#include "disasm/arch/loongarch/encoding.h"
#include "disasm/arch/loongarch/lift.h"

namespace trapline::loongarch {
namespace {

constexpr std::uint64_t flag_warning = 1;

struct RecordLayout {
  std::uint64_t size;
  std::uint64_t flags;  // offset
};
constexpr RecordLayout layouts[] = {{12, 10}, {8, 4}};

bool is_break(const Image& image, std::uint64_t address) {
  const std::optional<std::uint64_t> word = image.read(address, 4);
  return word && image.is_code(address) && *word >> 15 == 0x54;
}

// In an object file the first word of a record is left to the linker.
bool is_relocated(const Relocation& relocation) {
  return relocation.type == llvm::ELF::R_LARCH_32_PCREL || relocation.type == llvm::ELF::R_LARCH_ADD32;
}

// The site that the record at `record` names.
std::optional<std::uint64_t> site_of(const Image& image, std::uint64_t record) {
  for (const Relocation& relocation : image.relocations_at(record, 4)) {
    if (is_relocated(relocation)) return relocation.target;
  }
  const std::optional<std::uint64_t> distance = image.read(record, 4);
  if (!distance) return std::nullopt;
  return record + static_cast<std::uint64_t>(sign_extend(*distance, 32));
}

// Do the first records of the table name break instructions when each has `layout`?
bool fits(const Image& image, const Section& table, const RecordLayout& layout) {
  if (table.size % layout.size != 0) return false;
  constexpr std::uint64_t probes = 4;
  for (std::uint64_t at = 0; at < table.size && at < probes * layout.size; at += layout.size) {
    const std::optional<std::uint64_t> site = site_of(image, table.address + at);
    if (!site || !is_break(image, *site)) return false;
  }
  return true;
}

// The offset in `table` of the record that names `address`.
std::optional<std::uint64_t> find_record(const Image& image, const Section& table, std::uint64_t record_size,
                                         std::uint64_t address) {
  if (image.elf().type == llvm::ELF::ET_REL) {
    for (const Relocation& relocation : image.relocations_at(table.address, table.size)) {
      if (is_relocated(relocation) && relocation.target == address) return relocation.address - table.address;
    }
    return std::nullopt;
  }
  const std::span<const std::uint8_t> bytes = table.bytes;
  for (std::uint64_t at = 0; at + record_size <= bytes.size(); at += record_size) {
    const std::uint32_t distance = bytes[at] | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
                                   std::uint32_t{bytes[at + 3]} << 24;
    if (table.address + at + static_cast<std::uint64_t>(sign_extend(distance, 32)) == address) return at;
  }
  return std::nullopt;
}

}  // namespace

bool break_is_warning(const Image& image, std::uint64_t address) {
  for (const Section& table : image.sections()) {
    if (table.name != "__bug_table") continue;
    for (const RecordLayout& layout : layouts) {
      if (!fits(image, table, layout)) continue;
      const std::optional<std::uint64_t> record = find_record(image, table, layout.size, address);
      if (!record) break;
      const std::optional<std::uint64_t> flags = image.read(table.address + *record + layout.flags, 2);
      return flags && (*flags & flag_warning) != 0;
    }
  }
  return false;
}

}  // namespace trapline::loongarch
