// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include "disasm/error.h"
#include "disasm/image/elf_reader.h"
#include "disasm/image/vdso_check.h"
#include "disasm/image/vdso_lief.h"

namespace trapline {

namespace elf = llvm::ELF;

// The dynamic symbols of a vDSO. LLVM Object's checks come first, then LIEF reads names, addresses and versions. Where
// LIEF cannot be asked (fit_for_lief), LLVM Object's symbols stand, without versions.
void ElfReader::read_exports() {
  if (image_.kind_ != ImageKind::vdso) return;
  std::size_t table = 0;
  while (elf_.sections()[table].type != elf::SHT_DYNSYM) ++table;  // there is one: it makes the file a vDSO
  elf_.visit_symbols(table, nullptr, [this](const ElfSymbol& s) {
    const bool visible = s.binding == elf::STB_GLOBAL || s.binding == elf::STB_WEAK;
    if (!visible || s.name.empty() || s.section == 0) return;
    Export out;
    out.symbol.name = s.name;
    out.symbol.address = place(s);
    out.symbol.size = s.size;
    out.symbol.type = symbol_type(s.type);
    out.symbol.binding = symbol_binding(s.binding);
    out.symbol.other = s.other;
    out.symbol.section = s.section;
    out.symbol.table_index = s.index;
    image_.exports_.push_back(out);
  });
  const std::span<const std::uint8_t> bytes = image_.storage_->bytes;
  if (fit_for_lief(image_.path_, bytes)) take_exports(read_vdso(image_.path_, bytes));
}

void ElfReader::take_exports(const VdsoView& view) {
  // LIEF drops what it does not like without a word.
  if (view.exports.size() != image_.exports_.size())
    elf_.fail(
        fmt::format("its dynamic symbol table exports {} symbols, of which LIEF reads {}: the file is damaged; "
                    "copy or build it again",
                    image_.exports_.size(), view.exports.size()));
  for (std::size_t i = 0; i < view.exports.size(); ++i) {
    const VdsoExport& from = view.exports[i];
    Export& out = image_.exports_[i];
    std::deque<std::string>& names = image_.storage_->export_names;
    out.version = names.emplace_back(from.version);
    out.symbol.name = names.emplace_back(from.name);
    out.symbol.address = from.value + layout_.bias[from.section];
    out.symbol.size = from.size;
    out.symbol.type = symbol_type(from.type);
    out.symbol.binding = symbol_binding(from.binding);
    out.symbol.other = from.other;
    out.symbol.section = from.section;
    out.symbol.table_index = from.index;
  }
}

}  // namespace trapline
