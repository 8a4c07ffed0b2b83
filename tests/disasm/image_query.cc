// SPDX-License-Identifier: Apache-2.0
//
// Expected addresses, names and orders are read off the YAML files by hand, with the rules of image.h.
#include <doctest/doctest.h>

#include "disasm/arch/arch.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

constexpr std::uint64_t text = 0x9000000000200000;

std::vector<std::string_view> names_at(const Image& image, std::uint64_t address) {
  std::vector<std::string_view> names;
  for (const Symbol& symbol : image.symbols_at(address)) names.push_back(symbol.name);
  return names;
}

}  // namespace

TEST_CASE("image: what the headers say") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  CHECK(image->kind() == ImageKind::vmlinux);
  CHECK(image->arch().name() == "loongarch64");
  CHECK(image->elf().machine == 258);
  CHECK(image->elf().is64);
  CHECK(image->elf().little_endian);
  CHECK(image->elf().flags == 0x41);
  CHECK(image->entry_point() == text);
  CHECK(image->build_id() == "00112233445566778899aabbccddeeff01234567");
  CHECK(sample("good-object")->kind() == ImageKind::object);
  CHECK(sample("good-object")->build_id().empty());
  CHECK(sample("good-vdso")->kind() == ImageKind::vdso);
}

TEST_CASE("image: kinds depend on sections and dynamic symbols") {
  const std::string vdso = read_text("tests/image/good-vdso.yaml");
  const auto with = [&](const std::string& yaml, const std::string& section) {
    std::string changed = yaml;
    const std::string at = "Sections:\n";
    changed.insert(changed.find(at) + at.size(), section);
    return Image::from_bytes("changed", elf_of(changed))->kind();
  };
  CHECK(with(vdso, "") == ImageKind::vdso);
  // A relocatable kernel is ET_DYN too.
  CHECK(with(vdso, "  - { Name: .init.text, Type: SHT_PROGBITS }\n") == ImageKind::vmlinux);
  const std::string object = read_text("tests/image/good-object.yaml");
  CHECK(with(object, "  - { Name: .gnu.linkonce.this_module, Type: SHT_PROGBITS }\n") == ImageKind::module);
  // An object of the build has .modinfo before modpost makes a module of it.
  CHECK(with(object, "  - { Name: .modinfo, Type: SHT_PROGBITS }\n") == ImageKind::object);
}

TEST_CASE("image: names at one address in order of preference, and what is no name") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  CHECK(names_at(*image, text) ==
        std::vector<std::string_view>{"handle_syscall", "second_func", "global_label", "weak_func", "local_func"});
  CHECK(image->symbol_at(text)->name == "handle_syscall");
  CHECK(image->symbol_at(text + 4) == nullptr);  // a symbol of a debug section
  CHECK(image->symbol_at(text + 8) == nullptr);  // .Lwork
  for (const char* name : {"absolute", "entry.S", ".Lwork", ".text", "in_debug", ""})
    CHECK(image->find_symbol(name) == nullptr);
  CHECK(image->symbol_at(text + 16)->size == 4);
}

TEST_CASE("image: symbols by name") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const std::vector<const Symbol*> all = image->find_symbols("twice");
  REQUIRE(all.size() == 3);
  CHECK(all[0]->address == text + 16);
  CHECK(all[1]->address == text + 20);
  CHECK(all[2]->address == 0x9000000000300000);
  CHECK(image->find_symbol("twice") == all[2]);  // the global one
  CHECK(image->find_symbols("nothing").empty());
}

TEST_CASE("image: an address is described by the nearest symbol of its section") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  CHECK(image->describe(text) == "handle_syscall");
  CHECK(image->describe(text + 12) == "handle_syscall+0xc");
  CHECK(image->describe(text + 0x17) == "twice+0x3");
  CHECK(image->describe(text + 0x18) == "0x9000000000200018");  // _etext: no section
  CHECK(image->describe(0x9000000000400000) == "0x9000000000400000");
  CHECK(image->describe(0x9000000000700014) == "variable+0x4");
  CHECK(image->next_symbol_address(text) == text + 16);
  CHECK(image->next_symbol_address(text + 20) == text + 24);
  CHECK(image->enclosing_symbol(text + 4)->name == "handle_syscall");
  CHECK(image->enclosing_symbol(0x1234) == nullptr);
}

TEST_CASE("image: sections and bytes") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  CHECK(image->section_at(text + 23)->name == ".text");
  CHECK(image->section_at(text + 24) == nullptr);
  CHECK(image->section_at(text - 1) == nullptr);
  CHECK(image->section_at(0) == nullptr);
  CHECK(image->is_code(text));
  CHECK_FALSE(image->is_code(0x9000000000400000));
  CHECK(image->section_named(".data")->writable);
  CHECK_FALSE(image->section_named(".debug_info")->allocated);
  CHECK(image->bytes_at(text + 4).size() == 20);
  CHECK(image->bytes_at(0x9000000000700000).empty());  // NOBITS
  CHECK(image->read(0x9000000000400000, 8) == 0x8877665544332211U);
  CHECK(image->read(0x9000000000400000, 4) == 0x44332211U);
  CHECK(image->read(0x9000000000400000, 2) == 0x2211U);
  CHECK(image->read(0x9000000000400000, 1) == 0x11U);
  CHECK_FALSE(image->read(0x900000000040000c, 8));
  CHECK_FALSE(image->read(0x9000000000400000, 3));
  CHECK_FALSE(image->read(0x9000000000700000, 4));
  CHECK_FALSE(image->patch(0x9000000000700000, 1, 4));
}

TEST_CASE("image: dynamic symbols serve when there are no others") {
  const std::unique_ptr<Image> image = sample("good-vdso");
  REQUIRE(image->symbols().size() == 1);
  CHECK(image->symbols()[0].name == "__vdso_gettimeofday");
  CHECK(image->symbols()[0].address == 0x1000);
}

TEST_CASE("image: sections that share an address are told apart") {
  const std::unique_ptr<Image> image = sample("good-arm-vectors");
  const Section* second = image->section_named(".vectors.bhb.loop8");
  REQUIRE(second != nullptr);
  CHECK(image->section_named(".vectors")->bias == 0);
  CHECK(second->bias != 0);
  CHECK(image->shown(second->address) == 0xffff0000U);
  CHECK(image->shown(second->address + 4) == 0xffff0004U);
  CHECK(image->read(second->address, 4) == 0xea0003ffU);
  CHECK(image->read(0xffff0000, 4) == 0xea0003feU);
  CHECK(image->describe(second->address) == "vectors_bhb");
  CHECK(image->find_symbol("vectors_bhb")->address == second->address);
  // From the shifted page, the stubs are where they are; the page itself is the shifted one.
  CHECK(image->resolve(second->address + 0x1004, second->address) == 0xffff1004U);
  CHECK(image->resolve(second->address + 4, second->address) == second->address + 4);
  CHECK(image->mapping_symbols().size() == 1);
  CHECK(image->find_symbol("$a") == nullptr);
}

TEST_CASE("image: an object's sections lie apart, undefined symbols where nothing is") {
  const std::unique_ptr<Image> image = sample("good-object");
  const Symbol* function = image->find_symbol("function");
  const Symbol* other = image->find_symbol("other");
  const Symbol* external = image->find_symbol("external");
  const Symbol* unresolved = image->find_symbol("unresolved");
  const Symbol* shared = image->find_symbol("shared");
  REQUIRE((function && other && external && unresolved && shared));
  CHECK(image->section_at(function->address)->name == ".text");
  CHECK(image->section_at(other->address)->name == ".entry.text");
  CHECK(function->address % 32 == 0);
  CHECK(image->shown(function->address + 8) == 8);
  CHECK(image->shown(other->address) == 0);
  for (const Symbol* symbol : {external, unresolved, shared}) {
    CHECK(symbol->undefined);
    CHECK(image->section_at(symbol->address) == nullptr);
    CHECK(image->symbol_at(symbol->address) == symbol);
  }
  CHECK(external->address != unresolved->address);
  CHECK(image->describe(external->address) == "external");
  CHECK(image->describe(external->address + 8) == "external+0x8");
  CHECK(image->describe(external->address - 4) == "external-0x4");
}

TEST_CASE("image: relocations of an object with explicit addends") {
  const std::unique_ptr<Image> image = sample("good-object");
  const std::uint64_t function = image->find_symbol("function")->address;
  const std::uint64_t data = image->find_symbol("variable")->address;
  REQUIRE(image->relocations().size() == 5);  // those of .debug_line are not read
  REQUIRE(image->relocations_at(function, 4).size() == 1);
  CHECK(image->relocations_at(function, 4)[0].target == image->find_symbol("external")->address);
  CHECK(image->relocations_at(function + 4, 4)[0].target == function + 16);  // section symbol + 16
  CHECK(image->relocations_at(function + 4, 4)[0].addend == 16);
  CHECK(image->relocations_at(function + 12, 4)[0].target == data + 4);
  CHECK(image->relocations_at(function + 12, 4)[0].type == 71);  // R_LARCH_PCALA_HI20
  CHECK(image->relocations_at(function + 16, 4).empty());
  CHECK(image->relocations_at(function, 16).size() == 4);
}

// ELF for the Arm Architecture: the initial addend of a branch is its sign-extended offset, that of MOVW and MOVT the
// 16-bit immediate.
TEST_CASE("image: relocations of an object with addends in place") {
  const std::unique_ptr<Image> image = sample("good-arm-object");
  const std::uint64_t f = image->find_symbol("f")->address;
  const std::uint64_t g = image->find_symbol("g")->address;
  const std::uint64_t data = image->find_symbol("data")->address;
  const auto at = [&](std::uint64_t address) {
    const std::span<const Relocation> found = image->relocations_at(address, 4);
    REQUIRE(found.size() == 1);
    CHECK(found[0].in_place);
    return found[0];
  };
  CHECK(at(f).addend == -8);     // bl external: 0xebfffffe
  CHECK(at(f + 4).addend == 0);  // bl g+8: 0xeb000000
  CHECK(at(f + 4).target == g);
  CHECK(at(f + 16).addend == 0);
  CHECK(at(f + 20).addend == 4);
  CHECK(at(f + 20).target == data + 4);
  CHECK(at(data).addend == 4);
  CHECK(at(data).target == g + 4);
  CHECK(data < 0x100000000);
}

}  // namespace trapline::test
