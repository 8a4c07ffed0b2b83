// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/vdso_lief.h"

#include <fmt/format.h>

// LIEF 0.9.0 makes its iterators from std::iterator, which C++17 deprecates.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <LIEF/ELF/Binary.hpp>
#include <LIEF/ELF/Note.hpp>
#include <LIEF/ELF/Parser.hpp>
#include <LIEF/ELF/Segment.hpp>
#include <LIEF/ELF/Symbol.hpp>
#include <LIEF/ELF/SymbolVersion.hpp>
#include <LIEF/ELF/SymbolVersionAux.hpp>
#include <LIEF/ELF/SymbolVersionDefinition.hpp>
#pragma GCC diagnostic pop

#include <exception>
#include <map>
#include <memory>

#include "disasm/error.h"

namespace trapline {
namespace {

namespace lief = LIEF::ELF;

constexpr std::uint16_t version_mask = 0x7fff;  // the highest bit of a version number says "hidden"
constexpr std::uint16_t undefined = 0;          // SHN_UNDEF
constexpr std::uint16_t absolute = 0xfff1;      // SHN_ABS: the symbols that stand for versions

// Names of the versions defined, by number. The first name of a definition is its own, the others are its parents; LIEF
// hands the last one to the symbols (SymbolVersion::symbol_version_auxiliary), so it is not asked.
std::map<std::uint16_t, std::string> version_names(const lief::Binary& binary) {
  std::map<std::uint16_t, std::string> names;
  for (const lief::SymbolVersionDefinition& definition : binary.symbols_version_definition()) {
    const auto own = definition.symbols_aux();
    if (own.size() != 0) names.emplace(definition.ndx() & version_mask, own[0].name());
  }
  return names;
}

std::vector<VdsoExport> exports(const lief::Binary& binary) {
  const std::map<std::uint16_t, std::string> versions = version_names(binary);
  std::vector<VdsoExport> found;
  std::uint32_t index = 0;
  for (const lief::Symbol& symbol : binary.dynamic_symbols()) {
    const std::uint32_t here = index++;
    const bool visible =
        symbol.binding() == lief::SYMBOL_BINDINGS::STB_GLOBAL || symbol.binding() == lief::SYMBOL_BINDINGS::STB_WEAK;
    if (!visible || symbol.name().empty() || symbol.shndx() == undefined || symbol.shndx() == absolute) continue;
    VdsoExport out;
    out.name = symbol.name();
    // Versions 0 and 1 mean local and unversioned.
    if (symbol.has_version() && (symbol.symbol_version().value() & version_mask) > 1) {
      const auto version = versions.find(symbol.symbol_version().value() & version_mask);
      if (version != versions.end()) out.version = version->second;
    }
    out.value = symbol.value();
    out.size = symbol.size();
    out.type = static_cast<std::uint8_t>(symbol.type());
    out.binding = static_cast<std::uint8_t>(symbol.binding());
    out.other = symbol.other();
    out.section = symbol.shndx();
    out.index = here;
    found.push_back(std::move(out));
  }
  return found;
}

std::string build_id(const lief::Binary& binary) {
  std::string text;
  for (const lief::Note& note : binary.notes()) {
    if (note.type() != lief::NOTE_TYPES::NT_GNU_BUILD_ID || note.name() != "GNU") continue;
    for (const std::uint8_t byte : note.description()) text += fmt::format("{:02x}", byte);
    break;
  }
  return text;
}

VdsoView view_of(const lief::Binary& binary) {
  VdsoView view;
  view.symbols = binary.dynamic_symbols().size();
  view.exports = exports(binary);
  view.build_id = build_id(binary);
  for (const lief::Segment& segment : binary.segments())
    view.segments.push_back({static_cast<std::uint32_t>(segment.type()), segment.file_offset(),
                             segment.virtual_address(), segment.physical_size(), segment.virtual_size()});
  return view;
}

}  // namespace

VdsoView read_vdso(const std::string& name, std::span<const std::uint8_t> bytes) {
  constexpr std::string_view hint = "the file is damaged; copy or build it again";
  try {
    // Symbols are counted by .dynsym, whose extent has been checked; the other ways trust numbers inside the file.
    const std::unique_ptr<lief::Binary> binary =
        lief::Parser::parse({bytes.begin(), bytes.end()}, name, lief::DYNSYM_COUNT_METHODS::COUNT_SECTION);
    if (binary != nullptr) return view_of(*binary);
  } catch (const std::exception& error) {
    throw Error(name, fmt::format("its dynamic symbols cannot be read ({}): {}", error.what(), hint));
  }
  throw Error(name, fmt::format("its dynamic symbols cannot be read: {}", hint));
}

}  // namespace trapline
