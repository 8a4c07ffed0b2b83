// SPDX-License-Identifier: Apache-2.0
//
// Tables that say what LoongArch code means: .la_abs, __bug_table, relocations of object files. Words come from
//   llvm-mc-22 -triple=loongarch64 -show-encoding
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "disasm/error.h"
#include "loongarch_machine.h"

using namespace trapline;
using namespace trapline::test;

namespace {

// lu12i.w t1, 0; ori t1, t1, 0; lu32i.d t1, 0; lu52i.d t1, t1, 0; nop
const std::vector<std::uint32_t> stub = {0x1400000d, 0x038001ad, 0x1600000d, 0x030001ad, 0x03400000};

// A kernel whose .text (at 0x9000000000200000) is `code` and whose .la_abs is these 64-bit words and these bytes.
std::string kernel_with_table(const std::vector<std::uint32_t>& code, const std::vector<std::uint64_t>& table,
                              std::size_t extra_bytes = 0) {
  std::vector<std::uint32_t> halves;
  for (const std::uint64_t word : table) {
    halves.push_back(static_cast<std::uint32_t>(word));
    halves.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  std::string content = hex_words(halves);
  content.insert(content.size() - 1, std::string(2 * extra_bytes, '0'));
  return fmt::format(R"(--- !ELF
FileHeader: {{ Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_LOONGARCH }}
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Address: {:#x}
    AddressAlign: 4
    Content: {}
  - Name: .la_abs
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    Address: 0x9000000000300000
    AddressAlign: 8
    Content: {}
Symbols:
  - {{ Name: start, Section: .text, Value: {:#x}, Binding: STB_GLOBAL }}
)",
                     text_address, hex_words(code), content, text_address);
}

std::string error_of(const std::string& yaml) {
  try {
    image_from_yaml(yaml);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Machine run_all(const Image& image, std::uint64_t address, unsigned count) {
  const Decoder decoder(image);
  Machine machine;
  for (unsigned i = 0; i < count; ++i) machine.run(decoder.decode(address + 4 * i));
  return machine;
}

std::uint64_t address_of(const Image& image, std::string_view name) {
  const Symbol* const symbol = image.find_symbol(name);
  REQUIRE(symbol != nullptr);
  return symbol->address;
}

std::unique_ptr<Image> relocated_object() {
  // The words as llvm-mc-22 -filetype=obj leaves them for: la.pcrel a0, data; la.got a1, ext; la.abs a2, data + 8;
  // call36 ext; bl ext; beqz a0, g; beq a0, a1, g; pcaddi a3, data; pcalau12i t0, data; ld.d t1, t0, data;
  // st.w t1, t0, data; break 1.
  const std::vector<std::uint32_t> code = {0x1a000004, 0x02c00084, 0x1a000005, 0x28c000a5, 0x14000006, 0x038000c6,
                                           0x16000006, 0x030000c6, 0x1e000001, 0x4c000021, 0x54000000, 0x40000080,
                                           0x58000085, 0x18000007, 0x1a00000c, 0x28c0018d, 0x2980018d, 0x002a0001};
  return image_from_yaml(fmt::format(R"(--- !ELF
FileHeader: {{ Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_LOONGARCH }}
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    AddressAlign: 16
    Content: {}
  - Name: .text.g
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Content: "2000004c"
  - Name: .data
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    AddressAlign: 0x1000
    Size: 0x2000
  - Name: __bug_table
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    Content: "000000000000000001000100"
  - Name: .rela__bug_table
    Type: SHT_RELA
    Info: __bug_table
    Relocations:
      - {{ Offset: 0, Symbol: start, Type: R_LARCH_32_PCREL, Addend: 68 }}
  - Name: .rela.text
    Type: SHT_RELA
    Info: .text
    Relocations:
      - {{ Offset: 0, Symbol: data, Type: R_LARCH_PCALA_HI20 }}
      - {{ Offset: 0, Type: R_LARCH_RELAX }}
      - {{ Offset: 4, Symbol: data, Type: R_LARCH_PCALA_LO12 }}
      - {{ Offset: 8, Symbol: ext, Type: R_LARCH_GOT_PC_HI20 }}
      - {{ Offset: 12, Symbol: ext, Type: R_LARCH_GOT_PC_LO12 }}
      - {{ Offset: 16, Type: R_LARCH_MARK_LA }}
      - {{ Offset: 16, Symbol: data, Type: R_LARCH_ABS_HI20, Addend: 8 }}
      - {{ Offset: 20, Symbol: data, Type: R_LARCH_ABS_LO12, Addend: 8 }}
      - {{ Offset: 24, Symbol: data, Type: R_LARCH_ABS64_LO20, Addend: 8 }}
      - {{ Offset: 28, Symbol: data, Type: R_LARCH_ABS64_HI12, Addend: 8 }}
      - {{ Offset: 32, Symbol: ext, Type: R_LARCH_CALL36 }}
      - {{ Offset: 40, Symbol: ext, Type: R_LARCH_B26 }}
      - {{ Offset: 44, Symbol: g, Type: R_LARCH_B21 }}
      - {{ Offset: 48, Symbol: g, Type: R_LARCH_B16 }}
      - {{ Offset: 52, Symbol: data, Type: R_LARCH_PCREL20_S2 }}
      - {{ Offset: 56, Symbol: data, Type: R_LARCH_PCALA_HI20 }}
      - {{ Offset: 60, Symbol: data, Type: R_LARCH_PCALA_LO12 }}
      - {{ Offset: 64, Symbol: data, Type: R_LARCH_PCALA_LO12 }}
Symbols:
  - {{ Name: start, Section: .text, Binding: STB_GLOBAL }}
  - {{ Name: g, Section: .text.g, Binding: STB_GLOBAL }}
  - {{ Name: data, Section: .data, Value: 0xffc, Binding: STB_GLOBAL }}
  - {{ Name: ext, Binding: STB_GLOBAL }}
)",
                                     hex_words(code)));
}

}  // namespace

TEST_CASE("loongarch .la_abs fills the four immediates") {
  std::vector<std::uint32_t> code = {0x03400000};
  code.insert(code.end(), stub.begin(), stub.end());
  const auto image = image_from_yaml(kernel_with_table(code, {text_address + 4, 0x9001234587654abc}));
  CHECK(image->read(text_address, 4) == 0x03400000);
  CHECK(image->read(text_address + 4, 4) == 0x150eca8d);   // lu12i.w t1, -493996, that is 0x87654
  CHECK(image->read(text_address + 8, 4) == 0x03aaf1ad);   // ori t1, t1, 0xabc
  CHECK(image->read(text_address + 12, 4) == 0x162468ad);  // lu32i.d t1, 0x12345
  CHECK(image->read(text_address + 16, 4) == 0x032401ad);  // lu52i.d t1, t1, -1792, that is 0x900
  CHECK(image->read(text_address + 20, 4) == 0x03400000);
  CHECK(run_all(*image, text_address + 4, 4)["t1"] == 0x9001234587654abc);
}

TEST_CASE("loongarch .la_abs that is damaged is an error with section and offset") {
  const std::vector<std::uint64_t> good = {text_address, text_address};
  CHECK(error_of(kernel_with_table(stub, good)) == "no error");

  const std::string cut = error_of(kernel_with_table(stub, good, 8));
  CHECK(contains(cut, "test.elf"));
  CHECK(contains(cut, "section .la_abs, offset 0x10"));
  CHECK(contains(cut, "24 bytes"));

  std::vector<std::uint64_t> second = good;
  second.insert(second.end(), {0x9000000000300000, text_address});  // the table itself: no code
  const std::string no_code = error_of(kernel_with_table(stub, second));
  CHECK(contains(no_code, "section .la_abs, offset 0x10"));
  CHECK(contains(no_code, "0x9000000000300000"));

  // The last instruction is a nop; the sequence runs over the end of .text; a register differs; misaligned.
  CHECK(contains(error_of(kernel_with_table({stub[0], stub[1], stub[2], stub[4]}, good)), "offset 0x0"));
  CHECK(contains(error_of(kernel_with_table({stub[0], stub[1], stub[2]}, good)), "offset 0x0"));
  CHECK(contains(error_of(kernel_with_table({stub[0], 0x038001ac, stub[2], stub[3]}, good)), "offset 0x0"));
  CHECK(contains(error_of(kernel_with_table(stub, {text_address + 2, text_address})), "offset 0x0"));
}

TEST_CASE("loongarch .la_abs of an object comes through relocations") {
  const auto image = image_from_yaml(fmt::format(R"(--- !ELF
FileHeader: {{ Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_LOONGARCH }}
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    AddressAlign: 16
    Content: {}
  - Name: .la_abs
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    AddressAlign: 8
    Content: "00000000000000000000000000000000"
  - Name: .rela.la_abs
    Type: SHT_RELA
    Info: .la_abs
    Relocations:
      - {{ Offset: 0, Symbol: start, Type: R_LARCH_64 }}
      - {{ Offset: 8, Symbol: do_syscall, Type: R_LARCH_64 }}
Symbols:
  - {{ Name: start, Section: .text, Binding: STB_GLOBAL }}
  - {{ Name: do_syscall, Binding: STB_GLOBAL }}
)",
                                                 hex_words(stub)));
  CHECK(run_all(*image, address_of(*image, "start"), 4)["t1"] == address_of(*image, "do_syscall"));
}

// Records of 12 bytes: relative address of the break, of the file's name, line, flags (bit 0: WARN goes on).
TEST_CASE("loongarch WARN comes back, BUG does not") {
  const auto kernel = [](const std::string& table) {
    return image_from_yaml(fmt::format(R"(--- !ELF
FileHeader: {{ Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_LOONGARCH }}
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Address: 0x10000
    Content: "01002a0001002a0001002a00"
  - Name: __bug_table
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    Address: 0x20000
    Content: "{}"
Symbols:
  - {{ Name: start, Section: .text, Value: 0x10000, Binding: STB_GLOBAL }}
)",
                                       table));
  };
  const auto flow = [](const Image& image, std::uint64_t address) { return Decoder(image).decode(address).flow; };

  // 0x20000 - 0x10000: the BUG at 0x10000. 0x2000c - 0x10008: the WARN at 0x10004. No record for 0x10008.
  const auto verbose = kernel(
      "0000ffff"
      "00000000"
      "0100"
      "0000"
      "f8fffeff"
      "00000000"
      "0200"
      "0109");
  CHECK(flow(*verbose, 0x10000) == Flow::trap);
  CHECK(flow(*verbose, 0x10004) == Flow::next);
  CHECK(flow(*verbose, 0x10008) == Flow::trap);

  // Without file and line: relative address, flags, two bytes of padding.
  const auto terse = kernel(
      "0000ffff"
      "0109"
      "0000"
      "fcfffeff"
      "0000"
      "0000");
  CHECK(flow(*terse, 0x10000) == Flow::next);
  CHECK(flow(*terse, 0x10004) == Flow::trap);

  // A table that names no break is not believed.
  const auto damaged = kernel(
      "00000000"
      "00000000"
      "0000"
      "ffff");
  CHECK(flow(*damaged, 0x10000) == Flow::trap);
}

TEST_CASE("loongarch relocations of an object stand for what the linker writes") {
  const std::unique_ptr<Image> image = relocated_object();
  const std::uint64_t start = address_of(*image, "start"), data = address_of(*image, "data");
  const std::uint64_t g = address_of(*image, "g"), ext = address_of(*image, "ext");
  const Decoder decoder(*image);
  const auto at = [&](unsigned index) { return decoder.decode(start + 4 * index); };

  // The page that pcalau12i forms is the one from which the signed low 12 bits reach the symbol (psABI, PCALA_HI20).
  const Machine::Value page = run_all(*image, start, 1)["a0"];
  REQUIRE(page);
  CHECK(*page % 0x1000 == 0);
  CHECK(*page - data == 4);  // data is 4 bytes below a page

  Machine machine = run_all(*image, start, 8);
  CHECK(machine["a0"] == data);
  CHECK(machine["a1"] == ext);
  CHECK(machine["a2"] == data + 8);
  CHECK(at(3).memory.loads);  // the linker's table of addresses is in memory

  // pcaddu18i and jirl: one call.
  machine.run(at(8));
  const Insn far_call = at(9);
  CHECK(far_call.flow == Flow::indirect_call);
  machine.run(far_call);
  CHECK(machine.value(far_call.jump_to) == ext);
  CHECK(machine["ra"] == start + 40);

  CHECK(at(10).flow == Flow::call);
  CHECK(at(10).target == ext);
  CHECK(at(11).target == g);
  CHECK(at(12).target == g);
  CHECK(machine.run(at(13))["a3"] == data);

  machine.run(at(14));
  machine.write(data, 0x1122334455667788, 8).run(at(15));
  CHECK(machine["t1"] == 0x1122334455667788);
  machine.write(data, 0, 8).run(at(16));
  CHECK(machine.read(data, 8) == 0x55667788);

  CHECK(at(17).flow == Flow::next);  // break 1: the record in __bug_table says WARN
}

// llvm-mc-22 -triple=loongarch32 -mattr=-32s: la.pcrel a0, data; la.got a1, ext. The low part's relocation names the
// pcaddu12i, whose own relocation names the symbol.
TEST_CASE("loongarch32 addresses of an object and .la_abs with two instructions") {
  const auto image =
      image_from_yaml(fmt::format(R"(--- !ELF
FileHeader: {{ Class: ELFCLASS32, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_LOONGARCH }}
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    AddressAlign: 16
    Content: {}
  - Name: .data
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    AddressAlign: 0x1000
    Size: 0x2000
  - Name: .la_abs
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_WRITE ]
    Content: "0000000000000000"
  - Name: .rela.la_abs
    Type: SHT_RELA
    Info: .la_abs
    Relocations:
      - {{ Offset: 0, Symbol: stub, Type: R_LARCH_32 }}
      - {{ Offset: 4, Symbol: data, Type: R_LARCH_32, Addend: 16 }}
  - Name: .rela.text
    Type: SHT_RELA
    Info: .text
    Relocations:
      - {{ Offset: 0, Symbol: data, Type: R_LARCH_PCADD_HI20 }}
      - {{ Offset: 4, Symbol: start, Type: R_LARCH_PCADD_LO12 }}
      - {{ Offset: 8, Symbol: ext, Type: R_LARCH_GOT_PCADD_HI20 }}
      - {{ Offset: 12, Symbol: start, Type: R_LARCH_GOT_PCADD_LO12, Addend: 8 }}
Symbols:
  - {{ Name: start, Section: .text, Binding: STB_GLOBAL }}
  - {{ Name: stub, Section: .text, Value: 16, Binding: STB_GLOBAL }}
  - {{ Name: data, Section: .data, Value: 0xffc, Binding: STB_GLOBAL }}
  - {{ Name: ext, Binding: STB_GLOBAL }}
)",
                                  hex_words({0x1c000004, 0x02800084, 0x1c000005, 0x288000a5, 0x1400000d, 0x038001ad})));
  const std::uint64_t start = address_of(*image, "start"), data = address_of(*image, "data");
  const Machine::Value upper = run_all(*image, start, 1)["a0"];
  REQUIRE(upper);
  CHECK((*upper - start) % 0x1000 == 0);  // what pcaddu12i can make
  CHECK(data + 0x800 - *upper < 0x1000);  // and addi.w can complete
  const Machine machine = run_all(*image, start, 6);
  CHECK(machine["a0"] == data);
  CHECK(machine["a1"] == address_of(*image, "ext"));
  CHECK(machine["t1"] == data + 16);
}
