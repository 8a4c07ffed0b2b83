// SPDX-License-Identifier: Apache-2.0
//
// What PowerPC images promise around the code: entry points behind symbols, feature sections, BUG and WARN,
// relocations, the place of pt_regs. Sources: OpenPOWER ELF V2 ABI sections 3.4.1 and 3.5.3; 64-bit PowerPC ELF ABI 1.9
// section 3.2.5; arch/powerpc/include/asm/feature-fixups.h, include/asm-generic/bug.h,
// arch/powerpc/include/asm/ptrace.h.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "disasm/arch/arch.h"
#include "disasm/arch/powerpc/powerpc.h"
#include "powerpc_support.h"

using namespace trapline;
using namespace trapline::ppc_test;

namespace {

std::string section(std::string_view name, std::uint64_t address, std::uint64_t size) {
  return fmt::format(
      "  - Name: {}\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC ]\n    Address: {:#x}\n    Size: {}\n", name,
      address, size);
}

// A __bug_table with one record for the word at the start of .text.
std::string bug_table(Kind kind, std::vector<std::uint32_t> words) {
  return fmt::format(
      "  - Name: __bug_table\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC ]\n    Address: {:#x}\n    Content: {}\n",
      text_address(kind) + 0x1000, hex_words(kind, words));
}

Insn with_table(Kind kind, const std::string& table) {
  ImageParts parts;
  parts.sections = table;
  const std::unique_ptr<Image> made = image(kind, {0x0fe00000}, parts);
  return Decoder(*made).decode(text_address(kind));
}

std::string relocation(std::string_view type, std::uint64_t offset, std::string_view symbol, std::int64_t addend) {
  return fmt::format("      - Offset: {}\n        Symbol: {}\n        Type: {}\n        Addend: {}\n", offset, symbol,
                     type, addend);
}

}  // namespace

TEST_CASE("powerpc architectures are told apart by machine, class and byte order") {
  const auto found = [](std::uint16_t machine, bool is64, bool little) -> std::string {
    ElfIdentity elf;
    elf.machine = machine;
    elf.is64 = is64;
    elf.little_endian = little;
    const Arch* arch = find_arch(elf);
    return arch == nullptr ? "none" : std::string(arch->name());
  };
  CHECK(found(21, true, true) == "powerpc64le");  // EM_PPC64
  CHECK(found(21, true, false) == "powerpc64");
  CHECK(found(20, false, false) == "powerpc");  // EM_PPC
  CHECK(found(20, false, true) == "none");
}

TEST_CASE("powerpc ELFv2: the local entry is st_other's distance behind the symbol") {
  // The three top bits: 0 and 1 none, 2 to 6 the logarithm of the distance in bytes, 7 reserved.
  const std::pair<unsigned, unsigned> cases[] = {{0, 0}, {1, 0}, {2, 4}, {3, 8}, {4, 16}, {5, 32}, {6, 64}, {7, 0}};
  for (const auto& [code, distance] : cases) {
    CAPTURE(code);
    ImageParts parts;
    parts.symbols = fmt::format(
        "  - Name: f\n    Type: STT_FUNC\n    Section: .text\n    Value: {:#x}\n"
        "    Binding: STB_GLOBAL\n    Other: [ {:#x} ]\n",
        text_address(Kind::le64), code << 5);
    const std::unique_ptr<Image> made = image(Kind::le64, {0x60000000, 0x60000000}, parts);
    const Symbol* f = made->find_symbol("f");
    REQUIRE(f != nullptr);
    CHECK(powerpc64le().code_address(*made, *f) == text_address(Kind::le64) + distance);
  }
}

TEST_CASE("powerpc ELFv1: a function symbol is a descriptor whose first word is the code") {
  const std::uint64_t opd = text_address(Kind::be64) + 0x1000;
  ImageParts parts;
  parts.sections = fmt::format(
      "  - Name: .opd\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC, SHF_WRITE ]\n    Address: {:#x}\n    Content: "
      "{}\n",
      opd, hex_words(Kind::be64, {0xc0000000, 0x00001004, 0xc0000000, 0x00009000, 0, 0}));
  parts.symbols = fmt::format(
      "  - Name: f\n    Type: STT_FUNC\n    Section: .opd\n    Value: {:#x}\n    Binding: STB_GLOBAL\n", opd);
  const std::unique_ptr<Image> made = image(Kind::be64, {0x60000000, 0x60000000}, parts);
  const Symbol* f = made->find_symbol("f");
  REQUIRE(f != nullptr);
  CHECK(powerpc64().code_address(*made, *f) == text_address(Kind::be64) + 4);
}

TEST_CASE("powerpc counts feature sections") {
  const std::uint64_t at = text_address(Kind::le64) + 0x1000;
  const auto note = [](Kind kind, const std::string& sections) {
    ImageParts parts;
    parts.sections = sections;
    const std::unique_ptr<Image> made = image(kind, {0x60000000}, parts);
    return made->arch().variant_note(*made);
  };
  CHECK(note(Kind::le64, "").empty());
  CHECK(note(Kind::le64, section("__ftr_fixup", at, 48)) == "as linked, 1 feature section not resolved");
  // mask, value, start, end, alt_start, alt_end: six words of 8 or 4 bytes; three tables.
  CHECK(note(Kind::le64, section("__ftr_fixup", at, 480) + section("__mmu_ftr_fixup", at + 0x1000, 96) +
                             section("__fw_ftr_fixup", at + 0x2000, 48)) ==
        "as linked, 13 feature sections not resolved");
  CHECK(note(Kind::be32, section("__ftr_fixup", 0xc0002000, 48)) == "as linked, 2 feature sections not resolved");
  // 32-bit code of a 64-bit kernel, its vDSO: six words of 8 bytes, the distances negative (FTR_ENTRY_OFFSET in
  // arch/powerpc/include/asm/feature-fixups.h).
  const std::vector<std::uint32_t> words = {0, 1, 0, 1, ~0U, ~0U - 63, ~0U, ~0U - 59, ~0U, ~0U - 15, ~0U, ~0U - 15};
  CHECK(note(Kind::be32, fmt::format("  - Name: __ftr_fixup\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC ]\n"
                                     "    Address: 0xc0002000\n    Content: {}\n",
                                     hex_words(Kind::be32, words))) == "as linked, 1 feature section not resolved");
  CHECK(note(Kind::le64, section("__ftr_fixup", at, 50)) ==
        "as linked, 1 feature section not resolved; __ftr_fixup is malformed: 50 bytes are no multiple of 48");
}

TEST_CASE("powerpc trap: a WARN comes back, a BUG does not") {
  // {s32 address - here, s32 file, u16 line, u16 flags}; flag 1 is BUGFLAG_WARNING.
  CHECK(with_table(Kind::be64, bug_table(Kind::be64, {0xfffff000, 0, 0x00100001})).flow == Flow::next);
  CHECK(with_table(Kind::be64, bug_table(Kind::be64, {0xfffff000, 0, 0x00100000})).flow == Flow::trap);
  // Little-endian: line is the first halfword in memory.
  CHECK(with_table(Kind::le64, bug_table(Kind::le64, {0xfffff000, 0, 0x00010010})).flow == Flow::next);
  // A record of another address does not count; of two the right one does.
  CHECK(with_table(Kind::be64, bug_table(Kind::be64, {0xfffff004, 0, 0x00100001})).flow == Flow::trap);
  CHECK(with_table(Kind::be64, bug_table(Kind::be64, {0x100, 0, 0x00100000, 0xffffeff4, 0, 0x00100901})).flow ==
        Flow::next);
  // Absolute addresses of older kernels: {u64, u64, u16, u16} and {u32, u32, u16, u16}.
  CHECK(with_table(Kind::be64, bug_table(Kind::be64, {0xc0000000, 0x1000, 0, 0, 0x00100001, 0})).flow == Flow::next);
  CHECK(with_table(Kind::be32, bug_table(Kind::be32, {0xc0001000, 0, 0x00100001})).flow == Flow::next);
  CHECK(with_table(Kind::be64, "").flow == Flow::trap);
}

TEST_CASE("powerpc objects: immediates and targets come from the relocations") {
  // lis 3,0; ori 3,3,0; lis 4,0; addi 4,4,0; addis 5,2,0; ld 5,0(5); bl 0; beq 0; blr
  const std::vector<std::uint32_t> words = {0x3c600000, 0x60630000, 0x3c800000, 0x38840000, 0x3ca20000,
                                            0xe8a50000, 0x48000001, 0x41820000, 0x4e800020};
  ImageParts parts;
  parts.type = "ET_REL";
  parts.sections =
      "  - Name: .data\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC, SHF_WRITE ]\n    Size: 0x20000\n"
      "  - Name: .rela.text\n    Type: SHT_RELA\n    Info: .text\n    Link: .symtab\n    Relocations:\n" +
      relocation("R_PPC64_ADDR16_HI", 0, "object", 4) + relocation("R_PPC64_ADDR16_LO", 4, "object", 4) +
      relocation("R_PPC64_ADDR16_HA", 8, "object", 8) + relocation("R_PPC64_ADDR16_LO", 12, "object", 8) +
      relocation("R_PPC64_TOC16_HA", 16, "object", 0) + relocation("R_PPC64_TOC16_LO_DS", 20, "object", 0) +
      relocation("R_PPC64_REL24", 24, "far", 0) + relocation("R_PPC64_REL14", 28, "near", 0);
  parts.symbols =
      "  - Name: object\n    Section: .data\n    Value: 0x1fff0\n    Binding: STB_GLOBAL\n"
      "  - Name: far\n    Binding: STB_GLOBAL\n"
      "  - Name: near\n    Section: .text\n    Value: 0x20\n    Binding: STB_GLOBAL\n";
  const std::unique_ptr<Image> made = image(Kind::le64, words, parts);
  const Decoder decoder(*made);
  const std::uint64_t text = made->section_named(".text")->address;
  const std::uint64_t object = made->find_symbol("object")->address;
  const auto run = [&](Machine& m, unsigned first, unsigned last) {
    for (unsigned i = first; i <= last; ++i) m.run(decoder.decode(text + 4 * i));
  };
  Machine m(Kind::le64);
  run(m, 0, 1);
  CHECK(m["r3"] == object + 4);
  run(m, 2, 3);
  CHECK(m["r4"] == object + 8);
  m.write(object, 77, 8);
  run(m, 4, 5);  // relative to the TOC pointer, which is the linker's affair: r2 is not needed
  CHECK(m["r5"] == 77);
  CHECK(decoder.decode(text + 24).target == made->find_symbol("far")->address);
  CHECK(decoder.decode(text + 28).target == text + 0x20);
}

TEST_CASE("powerpc finds pt_regs above the stack pointer") {
  const auto offset = [](Kind kind, std::vector<std::uint32_t> words) {
    ImageParts parts;
    parts.symbols =
        fmt::format("  - Name: interrupt_return_srr_user\n    Section: .text\n    Value: {:#x}\n", text_address(kind));
    const std::unique_ptr<Image> made = image(kind, words, parts);
    const Facts& facts = made->arch().facts_for(*made);
    std::set<std::int64_t> offsets;
    for (const Contract& c : facts.contracts) offsets.insert(c.frame_offset);
    CHECK(offsets.size() == 1);
    return *offsets.begin();
  };
  CHECK(offset(Kind::le64, {0x60000000, 0x38610070}) == 112);  // addi 3,1,112: up to 6.1, and ELFv1
  CHECK(offset(Kind::le64, {0x60000000, 0x38610030}) == 48);   // addi 3,1,48: since 6.2
  CHECK(offset(Kind::be64, {0x60000000}) == 112);
  CHECK(offset(Kind::be32, {0x60000000}) == 16);
}

TEST_CASE("powerpc pt_regs has the layout of ptrace.h") {
  const auto slot = [](const Arch& arch, std::string_view name) -> std::uint32_t {
    for (const Slot& s : arch.facts().frames[0].slots)
      if (s.name == name) return s.offset;
    FAIL("no such slot: " << std::string(name));
    return 0;
  };
  // As the entry code of Debian's 6.1 kernel stores them (std 11,368(1) for NIP, with pt_regs at 112); the 32-bit
  // offsets are half of those up to PT_RESULT.
  const std::pair<std::string_view, std::uint32_t> offsets[] = {
      {"PT_R0", 0},    {"PT_R31", 248},   {"PT_NIP", 256},   {"PT_MSR", 264}, {"PT_ORIG_R3", 272},
      {"PT_CTR", 280}, {"PT_LNK", 288},   {"PT_XER", 296},   {"PT_CCR", 304}, {"PT_TRAP", 320},
      {"PT_DAR", 328}, {"PT_DSISR", 336}, {"PT_RESULT", 344}};
  for (const auto& [name, offset] : offsets) {
    CAPTURE(name);
    CHECK(slot(powerpc64le(), name) == offset);
    CHECK(slot(powerpc(), name) == offset / 2);
  }
  CHECK(slot(powerpc64le(), "PT_PPR") == 352);
  CHECK(slot(powerpc64le(), "PT_IAMR") == 376);
  CHECK(powerpc64le().facts().frames[0].size == 384);
  const std::vector<Slot>& slots = powerpc64().facts().frames[0].slots;
  CHECK(std::is_sorted(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.offset < b.offset; }));
}

TEST_CASE("powerpc vectors find the kernel's address in the PACA") {
  // ld 10,24(13); ori 10,10,0x1010; mtctr 10; bctr; handler: nop
  ImageParts parts;
  parts.symbols = fmt::format(
      "  - Name: _stext\n    Section: .text\n    Value: {0:#x}\n    Binding: STB_GLOBAL\n"
      "  - Name: handler\n    Section: .text\n    Value: {1:#x}\n    Binding: STB_GLOBAL\n",
      text_address(Kind::be64), text_address(Kind::be64) + 16);
  const std::vector<std::uint32_t> words = {0xe94d0018, 0x614a0010, 0x7d4903a6, 0x4e800420, 0x60000000};
  const auto target = [&](const std::vector<std::uint32_t>& code) {
    const std::unique_ptr<Image> made = image(Kind::be64, code, parts);
    const Decoder decoder(*made);
    Machine m(Kind::be64);
    m.set("r13", 0x1000);
    for (unsigned i = 0; i < 3; ++i) m.run(decoder.decode(text_address(Kind::be64) + 4 * i));
    CHECK(decoder.decode(text_address(Kind::be64)).memory.loads);
    return m["ctr"];
  };
  CHECK(target(words) == (text_address(Kind::be64) | 16));
  std::vector<std::uint32_t> elsewhere = words;
  elsewhere[1] = 0x614a0014;  // no symbol there: an ordinary load
  CHECK_FALSE(target(elsewhere));
}

TEST_CASE("powerpc facts are consistent") {
  for (const Arch* arch : {&powerpc64le(), &powerpc64(), &powerpc()}) {
    CAPTURE(arch->name());
    const Facts& f = arch->facts();
    for (const EntryRow& row : f.entries) CHECK(row.contract < f.contracts.size());
    for (const Contract& c : f.contracts)
      for (const Contract::Special& s : c.specials) CHECK(s.place < f.places.size());
    CHECK(f.places[f.stack_pointer].name == "r1");
    CHECK(f.places[f.link].name == "lr");
    CHECK(f.places[f.result].name == "r3");
    CHECK(f.places[f.status].name == "srr1");
    // Volatile registers of the ELF calling conventions (ELF V2 ABI section 2.2.1.1 and table 2.21).
    std::set<std::string_view> clobbered;
    for (const PlaceInfo& p : f.places)
      if (p.call_clobbered) clobbered.insert(p.name);
    CHECK(clobbered == std::set<std::string_view>{"r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
                                                  "lr", "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7"});
  }
}
