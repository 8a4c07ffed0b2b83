// SPDX-License-Identifier: Apache-2.0
//
// What LoongArch instructions do. Words come from
//   llvm-mc-22 -triple=loongarch64 -mattr=+lsx,+lasx,+lam-bh,+lamcas,+scq -show-encoding
// expected values from the descriptions of the instructions in the LoongArch Reference Manual, volume 1, chapters 2
// and 4.
#include <doctest/doctest.h>

#include "disasm/arch/arch.h"
#include "disasm/arch/loongarch/loongarch.h"
#include "loongarch_machine.h"

using namespace trapline;
using namespace trapline::test;

namespace {

// a0 after `word` has run with these values in a1 and a2.
Machine::Value run(std::uint32_t word, std::uint64_t a1, std::uint64_t a2 = 0, std::uint64_t a0 = 0) {
  return Machine().set("a0", a0).set("a1", a1).set("a2", a2).run(lift64(word))["a0"];
}

}  // namespace

TEST_CASE("loongarch arithmetic: .w forms compute in 32 bits and sign-extend") {
  CHECK(run(0x001018a4, 0x7fffffff, 1) == 0xffffffff80000000);       // add.w a0, a1, a2
  CHECK(run(0x001018a4, 0x1234567800000001, 1) == 2);                // the upper half does not count
  CHECK(run(0x001118a4, 0, 1) == 0xffffffffffffffff);                // sub.w
  CHECK(run(0x001098a4, 0x7fffffff, 1) == 0x80000000);               // add.d
  CHECK(run(0x001198a4, 0, 1) == 0xffffffffffffffff);                // sub.d
  CHECK(run(0x02bffca4, 0x80000000) == 0x7fffffff);                  // addi.w a0, a1, -1
  CHECK(run(0x02fb00a4, 0x9000000000004000) == 0x9000000000003ec0);  // addi.d a0, a1, -320
  CHECK(run(0x13fff8a4, 0x100000) == 0xe0000);                       // addu16i.d a0, a1, -2
  CHECK(run(0x001c18a4, 0x10000, 0x8000) == 0xffffffff80000000);     // mul.w
  CHECK(run(0x001d98a4, 0x100000000, 3) == 0x300000000);             // mul.d
  CHECK(run(0x001f18a4, 0xffffffff, 5) == 0xfffffffffffffffb);       // mulw.d.w: -1 * 5
  CHECK(run(0x001f98a4, 0xffffffff, 5) == 0x4fffffffb);              // mulw.d.wu
  CHECK(run(0x000498a4, 0x20000000, 1) == 0xffffffff80000001);       // alsl.w a0, a1, a2, 2
  CHECK(run(0x000698a4, 0x20000000, 1) == 0x80000001);               // alsl.wu
}

TEST_CASE("loongarch moves") {
  CHECK(run(0x001500a4, 0x123456789abcdef0) == 0x123456789abcdef0);  // or a0, a1, zero: move
  CHECK(run(0x00150004, 5, 0, 7) == 0);                              // move a0, zero
  CHECK(run(0x004080a4, 0x1234567880000000) == 0xffffffff80000000);  // slli.w a0, a1, 0
  CHECK(run(0x03822c04, 5) == 139);                                  // ori a0, zero, 139
  const Insn move = lift64(0x001500a4);
  REQUIRE(move.ops.size() == 1);
  CHECK(move.ops[0].op == Op::set);
  CHECK(move.cls == InsnClass::other);
}

TEST_CASE("loongarch logic") {
  constexpr std::uint64_t a = 0xff00ff00ff00ff00, b = 0x0ff00ff00ff00ff0;
  CHECK(run(0x001498a4, a, b) == 0x0f000f000f000f00);                        // and
  CHECK(run(0x001518a4, a, b) == 0xfff0fff0fff0fff0);                        // or
  CHECK(run(0x001598a4, a, b) == 0xf0f0f0f0f0f0f0f0);                        // xor
  CHECK(run(0x001418a4, a, b) == 0x000f000f000f000f);                        // nor
  CHECK(run(0x001618a4, a, b) == 0xff0fff0fff0fff0f);                        // orn: a | ~b
  CHECK(run(0x001698a4, a, b) == 0xf000f000f000f000);                        // andn: a & ~b
  CHECK(Machine().set("t0", 0x100).run(lift64(0x0380318c))["t0"] == 0x10c);  // ori t0, t0, 12
  CHECK(Machine().set("ra", 0x80).run(lift64(0x03c6002c))["t0"] == 0x100);   // xori t0, ra, 0x180
}

TEST_CASE("loongarch privilege test keeps what it was made of") {
  const Insn insn = lift64(0x03400dad);  // andi t1, t1, 3
  REQUIRE(insn.ops.size() == 1);
  CHECK(insn.ops[0].op == Op::and_);
  CHECK(insn.ops[0].dst.index == place("t1"));
  CHECK(insn.ops[0].a.kind == Operand::Kind::place);
  CHECK(insn.ops[0].a.index == place("t1"));
  CHECK(insn.ops[0].b.kind == Operand::Kind::imm);
  CHECK(insn.ops[0].b.imm == 3);
}

TEST_CASE("loongarch nop") {
  const Insn insn = lift64(0x03400000);  // andi zero, zero, 0
  CHECK(insn.cls == InsnClass::nop);
  CHECK(insn.flow == Flow::next);
  CHECK(insn.ops.empty());
}

TEST_CASE("loongarch shifts take the amount modulo the width") {
  CHECK(run(0x001718a4, 1, 63) == 0xffffffff80000000);                   // sll.w: by 31
  CHECK(run(0x001798a4, 0xffffffff80000000, 32 + 4) == 0x08000000);      // srl.w: by 4
  CHECK(run(0x001798a4, 0xffffffff80000000, 0) == 0xffffffff80000000);   // srl.w: by 0, sign-extended
  CHECK(run(0x001818a4, 0x80000000, 4) == 0xfffffffff8000000);           // sra.w
  CHECK(run(0x001b18a4, 0x00000001, 1) == 0xffffffff80000000);           // rotr.w
  CHECK(run(0x001898a4, 1, 64 + 33) == 0x200000000);                     // sll.d
  CHECK(run(0x001918a4, 0x8000000000000000, 63) == 1);                   // srl.d
  CHECK(run(0x001998a4, 0x8000000000000000, 63) == 0xffffffffffffffff);  // sra.d
  CHECK(run(0x001b98a4, 1, 1) == 0x8000000000000000);                    // rotr.d
  CHECK(run(0x004090a4, 0x18000001) == 0xffffffff80000010);              // slli.w a0, a1, 4
  CHECK(run(0x004490a4, 0xffffffff80000000) == 0x08000000);              // srli.w a0, a1, 4
  CHECK(run(0x004890a4, 0x80000000) == 0xfffffffff8000000);              // srai.w a0, a1, 4
  CHECK(run(0x004c90a4, 0x8) == 0xffffffff80000000);                     // rotri.w a0, a1, 4
  CHECK(run(0x004184a4, 3) == 0x600000000);                              // slli.d a0, a1, 33
  CHECK(run(0x004584a4, 0x8000000000000000) == 0x40000000);              // srli.d a0, a1, 33
  CHECK(run(0x004984a4, 0x8000000000000000) == 0xffffffffc0000000);      // srai.d a0, a1, 33
  CHECK(Machine().set("ra", 1).run(lift64(0x004de421))["ra"] == 0x80);   // rotri.d ra, ra, 57
}

TEST_CASE("loongarch bit fields") {
  CHECK(run(0x006710a4, 0xa5, 0, 0xffffffff12345678) == 0x12345658);           // bstrins.w a0, a1, 7, 4
  CHECK(run(0x007fc0a4, 0x80010000) == 0x8001);                                // bstrpick.w a0, a1, 31, 16
  CHECK(Machine().set("t1", 0x1008).run(lift64(0x00830c0d))["t1"] == 0x1000);  // bstrins.d t1, zero, 3, 3
  // bstrpick.d ra, t0, 46, 36, then alsl.d t1, ra, t1, 3: the entry of the page directory.
  Machine machine;
  machine.set("t0", std::uint64_t{0x7ff} << 36 | 0xfff).set("t1", 0x10000);
  CHECK(machine.run(lift64(0x00ee9181))["ra"] == 0x7ff);
  CHECK(machine.run(lift64(0x002d342d))["t1"] == 0x10000 + 0x7ff * 8);
  CHECK(run(0x00005ca4, 0x80) == 0xffffffffffffff80);     // ext.w.b
  CHECK(run(0x000058a4, 0x18000) == 0xffffffffffff8000);  // ext.w.h
}

TEST_CASE("loongarch constants and addresses") {
  CHECK(Machine().run(lift64(0x15ffffec))["t0"] == 0xfffffffffffff000);                             // lu12i.w t0, -1
  CHECK(Machine().set("t0", 0xffffffff89abcdef).run(lift64(0x162468ac))["t0"] == 0x1234589abcdef);  // lu32i.d 0x12345
  CHECK(Machine().set("t1", 0x1234589abcdef).run(lift64(0x032401ac))["t0"] == 0x9001234589abcdef);  // lu52i.d, -1792
  CHECK(run(0x19ffffe4, 0) == text_address - 4);                                                    // pcaddi a0, -1
  CHECK(Machine().run(lift64(0x1a023b4d))["t1"] == text_address + 4570 * 4096);  // pcalau12i t1, 4570
  CHECK(run(0x1c000024, 0) == text_address + 0x1000);                            // pcaddu12i a0, 1
  CHECK(Machine().run(lift64(0x1fffffe1))["ra"] == text_address - 0x40000);      // pcaddu18i ra, -1

  // pcalau12i forgets the low 12 bits of the PC: here it is at offset 0x40 of its page.
  std::vector<std::uint32_t> words(16, 0x03400000);
  words.push_back(0x1a000004);  // pcalau12i a0, 0
  const std::unique_ptr<Image> image = loongarch64_image(words);
  CHECK(Machine().run(Decoder(*image).decode(text_address + 0x40))["a0"] == text_address);
}

TEST_CASE("loongarch conditional moves") {
  CHECK(run(0x001300a4, 7) == 0);                // maskeqz a0, a1, zero
  CHECK(run(0x001380a4, 7) == 7);                // masknez a0, a1, zero
  CHECK(run(0x001318a4, 7, 1) == std::nullopt);  // maskeqz a0, a1, a2: not followed
}

TEST_CASE("loongarch what is not followed is clobbered, never left") {
  for (const std::uint32_t word : {0x001298a4u /* sltu */, 0x002018a4u /* div.w */, 0x000024a4u /* clz.d */,
                                   0x00003ca4u /* revb.d */, 0x000d98a4u /* bytepick.d */, 0x00006ca4u /* cpucfg */,
                                   0x06480ca4u /* iocsrrd.d */, 0x0114b804u /* movfr2gr.d */}) {
    CAPTURE(word);
    CHECK(Machine().set("a0", 1).set("a1", 2).set("a2", 3).run(lift64(word)).was_clobbered("a0"));
  }
  Machine machine;
  machine.set("a0", 1).set("a1", 2).run(lift64(0x000068a4));  // rdtime.d a0, a1
  CHECK(machine.was_clobbered("a0"));
  CHECK(machine.was_clobbered("a1"));
  // vpickve2gr.d a1, vr0, 1 has no row of its own.
  CHECK(Machine().set("a1", 2).run(lift64(0x72eff405)).was_clobbered("a1"));
}

TEST_CASE("loongarch32: words of four bytes") {
  const auto run32 = [](std::uint32_t word, std::uint64_t a1, std::uint64_t a2) {
    return Machine(4).set("a1", a1).set("a2", a2).run(lift32(word))["a0"];
  };
  CHECK(run32(0x001018a4, 0x7fffffff, 1) == 0x80000000);          // add.w
  CHECK(run32(0x001818a4, 0x80000000, 4) == 0xf8000000);          // sra.w
  CHECK(run32(0x02bffca4, 0, 0) == 0xffffffff);                   // addi.w a0, a1, -1
  CHECK(run32(0x001598a4, 0xff, 0xf) == 0xf0);                    // xor
  CHECK(Machine(4).run(lift32(0x15ffffec))["t0"] == 0xfffff000);  // lu12i.w t0, -1
  CHECK(Machine(4).set("a1", 0x1000).write(0x1004, 0x89abcdef, 4).run(lift32(0x288010a4))["a0"] == 0x89abcdef);  // ld.w
  const Insn branch = lift32(0x57fffbff);  // bl -8
  CHECK(branch.target == text_address_32 - 8);
  const Insn test = lift32(0x400025a0);  // beqz t1, 36
  REQUIRE(test.when);
  CHECK(test.when->width == 4);
  CHECK(lift32(0x28c48064).flow == Flow::unknown);  // ld.d is LA64
}

TEST_CASE("loongarch64: places and calling convention") {
  const Facts& facts = loongarch64().facts();
  CHECK(facts.places.size() == loongarch32().facts().places.size());
  CHECK(place("sp") == 3);
  CHECK(place("u0") == 21);
  CHECK(place("fp") == 22);
  CHECK(place("s8") == 31);
  CHECK(facts.stack_pointer == place("sp"));
  CHECK(facts.status == place("PRMD"));
  for (const std::string_view name : {"ra", "a0", "a7", "t0", "t8"}) CHECK(facts.places[place(name)].call_clobbered);
  for (const std::string_view name : {"sp", "tp", "u0", "fp", "s0", "s8"})
    CHECK_FALSE(facts.places[place(name)].call_clobbered);
}

// arch/loongarch/include/asm/ptrace.h; the offsets are those that handle_syscall of a 64-bit kernel shows.
TEST_CASE("loongarch pt_regs") {
  const FrameLayout& frame = loongarch64().facts().frames.at(0);
  CHECK(frame.size == 320);
  const auto offset = [&](std::string_view name) -> std::int64_t {
    for (const Slot& slot : frame.slots) {
      if (slot.name == name) return slot.offset;
    }
    return -1;
  };
  CHECK(offset("PT_R0") == 0);
  CHECK(offset("PT_R3") == 24);
  CHECK(offset("PT_R21") == 168);
  CHECK(offset("PT_R31") == 248);
  CHECK(offset("PT_ORIG_A0") == 256);
  CHECK(offset("PT_ERA") == 264);
  CHECK(offset("PT_BVADDR") == 272);
  CHECK(offset("PT_CRMD") == 280);
  CHECK(offset("PT_PRMD") == 288);
  CHECK(offset("PT_EUEN") == 296);
  CHECK(offset("PT_ECFG") == 304);
  CHECK(offset("PT_ESTAT") == 312);
  CHECK(loongarch32().facts().frames.at(0).size == 160);
}
