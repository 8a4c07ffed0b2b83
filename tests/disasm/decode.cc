// SPDX-License-Identifier: Apache-2.0
//
// Expected texts: llvm-objdump -dr of the same files, with targets by symbol.
#include <doctest/doctest.h>

#include <algorithm>

#include "disasm/decode/decoder.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

constexpr std::uint64_t text = 0x9000000000200000;

}  // namespace

TEST_CASE("decode: text of a linked image") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const Decoder decoder(*image);
  CHECK(decoder.text(text) == "bl twice");
  CHECK(decoder.text(text + 4) == "beqz $a0, handle_syscall+0xc");
  CHECK(decoder.text(text + 8) == "st.d $zero, $sp, 0");
  CHECK(decoder.text(text + 12) == "ertn");
  CHECK(decoder.text(text + 16) == "ret");
  CHECK(decoder.text(text + 20) == "<unknown>");
  CHECK(decoder.text(0x9000000000400000) == "<unknown>");  // data
}

TEST_CASE("decode: LLVM's view of one word") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const Decoder decoder(*image);
  const Decoded call = decoder.raw(text);
  CHECK(call.valid);
  CHECK(call.size == 4);
  CHECK(call.word == 0x54001000U);
  CHECK(call.opcode == "BL");
  CHECK(call.may_affect_flow);
  CHECK(call.target == text + 16);
  CHECK(call.bytes.size() == 4);
  CHECK(call.fixes.empty());
  CHECK(std::find(call.defs.begin(), call.defs.end(), "R1") != call.defs.end());
  const Decoded store = decoder.raw(text + 8);
  CHECK(store.may_store);
  CHECK_FALSE(store.may_affect_flow);
  CHECK_FALSE(store.target);
  const Decoded undefined = decoder.raw(text + 20);
  CHECK_FALSE(undefined.valid);
  CHECK(undefined.size == 4);
  CHECK(undefined.word == 0U);
  CHECK(undefined.opcode.empty());
}

TEST_CASE("decode: lifted instructions, undecoded words, the end of code") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const Decoder decoder(*image);
  for (int turn = 0; turn < 2; ++turn) {  // the second from the cache
    const Insn call = decoder.decode(text);
    CHECK(call.address == text);
    CHECK(call.size == 4);
    CHECK(call.word == 0x54001000U);
    CHECK(call.flow == Flow::call);
    CHECK(call.target == text + 16);
    const Insn undefined = decoder.decode(text + 20);
    CHECK(undefined.flow == Flow::unknown);
    CHECK(undefined.cls == InsnClass::unknown);
    CHECK(undefined.size == 4);
    CHECK(undefined.address == text + 20);
    CHECK(decoder.decode(text + 24).size == 0);           // beyond the section
    CHECK(decoder.decode(text + 22).size == 0);           // two bytes are left
    CHECK(decoder.decode(0x9000000000400000).size == 0);  // data
    CHECK(decoder.decode(0x9000000000700000).size == 0);  // no bytes
    CHECK(decoder.decode(0xffffffffffffffff).size == 0);
  }
}

TEST_CASE("decode: branches of an object go where their relocations say") {
  const std::unique_ptr<Image> image = sample("good-object");
  const Decoder decoder(*image);
  const std::uint64_t function = image->find_symbol("function")->address;
  CHECK(decoder.text(function) == "bl external");
  CHECK(decoder.text(function + 4) == "bl function+0x10");
  CHECK(decoder.text(function + 8) == "beqz $a0, other");
  CHECK(decoder.text(image->find_symbol("other")->address) == "b unresolved-0x4");
  const Decoded address = decoder.raw(function + 12);
  REQUIRE(address.fixes.size() == 1);
  CHECK(address.fixes[0].type == 71);  // R_LARCH_PCALA_HI20
  CHECK(address.fixes[0].target == image->find_symbol("variable")->address + 4);
  CHECK(address.fixes[0].offset == 0);
}

TEST_CASE("decode: the same with addends in place") {
  const std::unique_ptr<Image> image = sample("good-arm-object");
  const Decoder decoder(*image);
  const std::uint64_t f = image->find_symbol("f")->address;
  CHECK(decoder.raw(f).target == image->find_symbol("external")->address);
  CHECK(decoder.raw(f + 4).target == image->find_symbol("g")->address + 8);
  CHECK(decoder.text(f) == "bl external");
  CHECK(decoder.text(f + 4) == "bl g+0x8");
  CHECK(decoder.text(f + 8) == "beq other");
  CHECK(decoder.text(f + 12) == "b f");
  CHECK(decoder.text(image->find_symbol("other")->address) == "b other");
}

// f7ff fffe, f000 f802 and f43f affe hold -4, 4 and -4: S + A with the Thumb program counter's 4 added.
TEST_CASE("decode: Thumb code of an object") {
  const std::unique_ptr<Image> image = sample("good-thumb-object");
  const Decoder decoder(*image);
  const std::uint64_t f = image->section_named(".text")->address;
  CHECK(image->find_symbol("f")->address == f + 1);
  CHECK(image->symbol_at(f)->name == "f");
  CHECK(image->describe(f) == "f");
  CHECK(image->describe(f + 0x12) == "f+0x12");
  CHECK(image->describe(f + 0x14) == "g");
  CHECK(image->next_symbol_address(f) == f + 0x14);
  CHECK(image->relocations_at(f, 4)[0].addend == -4);
  CHECK(image->relocations_at(f + 4, 4)[0].addend == 4);
  CHECK(image->relocations_at(f + 8, 4)[0].addend == -4);
  CHECK(image->relocations_at(f + 16, 4)[0].addend == 4);
  CHECK(decoder.raw(f).word == 0xf7fffffeU);
  CHECK(decoder.raw(f + 20).word == 0x4770U);
  CHECK(decoder.raw(f + 20).size == 2);
  CHECK(decoder.text(f) == "bl external");
  CHECK(decoder.text(f + 4) == "bl external+0x8");
  CHECK(decoder.text(f + 8) == "beq.w g");
  CHECK(decoder.text(f + 20) == "bx lr");
}

TEST_CASE("decode: ARM BE8 has little-endian instructions and big-endian data") {
  const std::unique_ptr<Image> image = sample("good-armeb");
  const Decoder decoder(*image);
  CHECK(decoder.raw(0xc0008000).word == 0xeb000000U);
  CHECK(decoder.text(0xc0008000) == "bl vector_swi+0x8");
  CHECK(decoder.text(0xc0008004) == "str r0, [sp, #0x4]");
  CHECK(decoder.text(0xc0008008) == "movs pc, lr");
  CHECK(image->read(0xc0010000, 4) == 0x11223344U);
}

TEST_CASE("decode: big-endian PowerPC") {
  const std::unique_ptr<Image> image = sample("good-powerpc64");
  const Decoder decoder(*image);
  CHECK(decoder.raw(0xc000000000010000).word == 0x48000011U);
  CHECK(decoder.text(0xc000000000010000) == "bl system_call_common+0x10");
  CHECK(decoder.text(0xc000000000010004) == "bt 2, system_call_common+0xc");
  CHECK(decoder.text(0xc000000000010008) == "std 3, 48(1)");
  CHECK(image->read(0xc000000000030000, 8) == 0x1122334455667788U);
  const std::unique_ptr<Image> small = sample("good-powerpc");
  CHECK(Decoder(*small).text(0xc0010000) == "bl do_it");
  CHECK(small->read(0xc0030000, 4) == 0x11223344U);
}

TEST_CASE("decode: branches out of a shifted section") {
  const std::unique_ptr<Image> image = sample("good-arm-vectors");
  const Decoder decoder(*image);
  const std::uint64_t second = image->find_symbol("vectors_bhb")->address;
  CHECK(decoder.text(0xffff0000) == "b vector_rst");
  CHECK(decoder.text(second) == "b vector_und");
  CHECK(decoder.text(second + 4) == "b vectors_bhb");
  CHECK(decoder.raw(second + 4).target == second);
}

TEST_CASE("decode: contradictions between LLVM and a lifter are told") {
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const Decoder decoder(*image);
  const Decoded call = decoder.raw(text);
  Insn insn = decoder.decode(text);
  CHECK(check_flow(call, insn).empty());
  insn.target = text + 4;
  CHECK(check_flow(call, insn).find("goes to 0x9000000000200010 for LLVM, to 0x9000000000200004") != std::string::npos);
  insn.flow = Flow::next;
  CHECK(check_flow(call, insn).find("BL") != std::string::npos);
  insn.flow = Flow::unknown;
  CHECK(check_flow(call, insn).empty());
}

}  // namespace trapline::test
