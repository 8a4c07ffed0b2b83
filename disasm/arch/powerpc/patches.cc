// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/patches.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace trapline::ppc {

std::string variant_note(const Image& image) {
  // Records of arch/powerpc/include/asm/feature-fixups.h: mask, value, start, end, alt_start, alt_end, a word each.
  constexpr std::array<std::string_view, 3> tables = {"__ftr_fixup", "__mmu_ftr_fixup", "__fw_ftr_fixup"};
  const std::uint64_t record = image.elf().is64 ? 48 : 24;
  std::uint64_t sections = 0;
  std::string malformed;
  for (const Section& section : image.sections()) {
    for (std::string_view name : tables) {
      if (section.name != name) continue;
      sections += section.size / record;
      if (section.size % record != 0)
        malformed += fmt::format("{}{} is malformed: {} bytes are no multiple of {}", malformed.empty() ? "" : "; ",
                                 name, section.size, record);
    }
  }
  std::string note;
  if (sections == 1)
    note = "as linked, 1 feature section not resolved";
  else if (sections != 0)
    note = fmt::format("as linked, {} feature sections not resolved", sections);
  if (!malformed.empty()) note += (note.empty() ? "" : "; ") + malformed;
  return note;
}

}  // namespace trapline::ppc
