// SPDX-License-Identifier: Apache-2.0
//
// What PowerPC fixed-point instructions do. Words come from
//   llvm-mc-22 -triple=powerpc64 -mcpu=pwr10 -show-encoding
// expected values from the descriptions of the instructions in Power ISA 3.1, Book I, sections 2.5 and 3.3.
#include <doctest/doctest.h>

#include "powerpc_support.h"

using namespace trapline;
using namespace trapline::ppc_test;

namespace {

// r3 after `word` has run with these values in r4, r5 and r3.
Machine::Value run(std::uint32_t word, std::uint64_t r4, std::uint64_t r5 = 0, std::uint64_t r3 = 0) {
  return Machine(Kind::be64).set("r3", r3).set("r4", r4).set("r5", r5).run(lift(Kind::be64, {word}))["r3"];
}

Machine::Value run32(std::uint32_t word, std::uint64_t r4, std::uint64_t r5 = 0, std::uint64_t r3 = 0) {
  return Machine(Kind::be32).set("r3", r3).set("r4", r4).set("r5", r5).run(lift(Kind::be32, {word}))["r3"];
}

}  // namespace

TEST_CASE("powerpc arithmetic") {
  CHECK(run(0x3864fff0, 0x1000) == 0xff0);                              // addi 3,4,-16
  CHECK(run(0x38600064, 7) == 100);                                     // addi 3,0,100: li, not r0
  CHECK(run(0x3c640001, 5) == 0x10005);                                 // addis 3,4,1
  CHECK(run(0x3c60ffff, 5) == 0xffffffffffff0000);                      // lis 3,-1
  CHECK(run32(0x3c60ffff, 5) == 0xffff0000);                            // the same in 32 bits
  CHECK(run(0x7c642a14, 0xffffffffffffffff, 2) == 1);                   // add 3,4,5
  CHECK(run32(0x7c642a14, 0xffffffff, 2) == 1);                         // add
  CHECK(run(0x7c642850, 3, 10) == 7);                                   // subf 3,4,5: r5 - r4
  CHECK(run(0x20640008, 3) == 5);                                       // subfic 3,4,8
  CHECK(run(0x7c6400d0, 1) == 0xffffffffffffffff);                      // neg 3,4
  CHECK(run(0x1c64fffd, 5) == 0xfffffffffffffff1);                      // mulli 3,4,-3
  CHECK(run(0x7c6429d6, 0xaaaa00000000fffe, 0x10000) == 0xfffe0000);    // mullw: the low words only
  CHECK(run(0x7c6429d6, 0xffffffff, 5) == 0xfffffffffffffffb);          // mullw: -1 * 5
  CHECK(run(0x7c6429d2, 0x100000000, 3) == 0x300000000);                // mulld
  CHECK_FALSE(run(0x7c642bd2, 12, 4));                                  // divd: not followed
  CHECK(run(0x4c600005, 0) == text_address(Kind::be64) + 4 + 0x10000);  // addpcis 3,1
}

TEST_CASE("powerpc arithmetic that sets the carry changes XER") {
  for (const std::uint32_t word : {0x20640008u, 0x3464ffffu, 0x7c640194u, 0x7c832670u}) {  // subfic addic. addze srawi
    CAPTURE(word);
    Machine m(Kind::be64);
    m.set("xer", 0).set("r3", 0).set("r4", 1).run(lift(Kind::be64, {word}));
    CHECK(m.was_clobbered("xer"));
  }
  CHECK(Machine(Kind::be64).set("xer", 5).set("r4", 1).set("r5", 1).run(lift(Kind::be64, {0x7c642a14}))["xer"] == 5);
}

TEST_CASE("powerpc logic") {
  constexpr std::uint64_t a = 0xff00ff00ff00ff00, b = 0x0ff00ff00ff00ff0;
  CHECK(run(0x7c832838, a, b) == 0x0f000f000f000f00);         // and
  CHECK(run(0x7c832878, a, b) == 0xf000f000f000f000);         // andc: a & ~b
  CHECK(run(0x7c832b78, a, b) == 0xfff0fff0fff0fff0);         // or
  CHECK(run(0x7c832b38, a, b) == 0xff0fff0fff0fff0f);         // orc: a | ~b
  CHECK(run(0x7c832a78, a, b) == 0xf0f0f0f0f0f0f0f0);         // xor
  CHECK(run(0x7c832bb8, a, b) == 0xf0fff0fff0fff0ff);         // nand
  CHECK(run(0x7c8328f8, a, b) == 0x000f000f000f000f);         // nor
  CHECK(run(0x7c832a38, a, b) == 0x0f0f0f0f0f0f0f0f);         // eqv
  CHECK(run(0x60838000, 1) == 0x8001);                        // ori 3,4,0x8000: zero-extended
  CHECK(run(0x64838000, 1) == 0x80000001);                    // oris
  CHECK(run(0x68838000, 0x8001) == 1);                        // xori
  CHECK(run(0x70834000, 0xffffffff) == 0x4000);               // andi.
  CHECK(run(0x74830040, ~0ull) == 0x400000);                  // andis.
  CHECK(run(0x7c832378, 42) == 42);                           // mr
  CHECK(run(0x7c830774, 0x80) == 0xffffffffffffff80);         // extsb
  CHECK(run(0x7c830734, 0x18000) == 0xffffffffffff8000);      // extsh
  CHECK(run(0x7c8307b4, 0x180000000) == 0xffffffff80000000);  // extsw
  CHECK(run32(0x7c830774, 0x80) == 0xffffff80);               // extsb in 32 bits
}

TEST_CASE("powerpc shifts") {
  constexpr std::uint64_t a = 0x8000000080000001;
  CHECK(run(0x7c832830, a, 4) == 0x10);                      // slw: the low word, upper half 0
  CHECK(run(0x7c832830, a, 32) == 0);                        // slw by 32 to 63: 0
  CHECK(run(0x7c832830, a, 0x40) == 0x80000001);             // only six bits of the amount count
  CHECK(run(0x7c832c30, a, 4) == 0x08000000);                // srw
  CHECK(run(0x7c832836, a, 4) == 0x0000000800000010);        // sld
  CHECK(run(0x7c832836, a, 64) == 0);                        // sld by 64 to 127: 0
  CHECK(run(0x7c832836, a, 0x80) == a);                      // seven bits count
  CHECK(run(0x7c832c36, a, 4) == 0x0800000008000000);        // srd
  CHECK(run(0x7c832670, a) == 0xfffffffff8000000);           // srawi 3,4,4: of the low word
  CHECK(run32(0x7c832670, 0x80000001) == 0xf8000000);        // srawi in 32 bits
  CHECK(run(0x7c832676, a) == 0xfffffffff8000000);           // sradi 3,4,36
  CHECK(run(0x7c831ef4, 0x80000001) == 0xfffffffc00000008);  // extswsli 3,4,3
}

TEST_CASE("powerpc rotates of words") {
  constexpr std::uint64_t a = 0x1122334455667788;
  CHECK(run(0x54830462, 0xffffffffffffffff) == 0x4000);  // rlwinm 3,4,0,17,17: MSR[PR]
  CHECK(run(0x548304a0, 0x00000000ffffffff) ==
        0xffffffffffffbfff);                           // rlwinm 3,4,0,18,16: the mask goes around, word twice
  CHECK(run32(0x548304a0, 0xffffffff) == 0xffffbfff);  // 32 bits
  CHECK(run(0x5483463e, a) == 0x55);                   // rlwinm 3,4,8,24,31: the top byte of the word
  CHECK(run(0x54832036, a) == 0x56677880);             // slwi 3,4,4
  CHECK(run(0x54832236, a) == 0x00677880);             // rlwinm 3,4,4,8,27
  CHECK(run(0x5483e236, a) == 0x00566770);             // rlwinm 3,4,28,8,27
  CHECK(run(0x5483803e, a) == 0x77885566);             // rotlwi 3,4,16
  CHECK(run(0x50830420, 0x8000, 0, 0x7700000000000011) == 0x7700000000008011);  // rlwimi 3,4,0,16,16: MSR[EE]
  CHECK(run(0x5083b53a, 0x12345678, 0, 0xfffff003) == 0xfffffd17);              // rlwimi 3,4,22,20,29
}

TEST_CASE("powerpc rotates of doublewords") {
  constexpr std::uint64_t a = 0x1122334455667788;
  CHECK(run(0x78830020, a) == 0x55667788);                    // clrldi 3,4,32
  CHECK(run(0x78838042, a) == 0x7788112233445566);            // rldicl 3,4,48,1
  CHECK(run(0x78838420, a) == 0x1122);                        // rldicl 3,4,16,48: extract
  CHECK(run(0x7883b282, a) == 0x0004488cd115599d);            // srdi 3,4,10
  CHECK(run(0x78831f24, a) == 0x89119a22ab33bc40);            // sldi 3,4,3
  CHECK(run(0x78830464, a) == 0x1122334455664000);            // clrrdi 3,4,14
  CHECK(run(0x788384a6, a) == 0x7788112233444000);            // rldicr 3,4,48,50
  CHECK(run(0x78832508, a) == 0x44556677880);                 // rldic 3,4,4,20
  CHECK(run(0x7883e0ec, 0, 0, ~0ull) == 0xffffffffefffffff);  // rldimi 3,4,28,35: clears CR0[SO] in a CR image
  CHECK(run(0x7883f00e, 1, 0, 0) == 0x4000000000000000);      // rldimi 3,4,62,0
}

TEST_CASE("powerpc record forms compare with zero in cr0") {
  const Insn andi = lift(Kind::be64, {0x70834000});  // andi. 3,4,0x4000
  REQUIRE(andi.ops.size() == 2);
  CHECK(andi.ops[1].op == Op::test);
  CHECK(andi.ops[1].width == 8);
  CHECK(andi.ops[1].dst.index == place("cr0"));
  CHECK(andi.ops[1].a.index == place("r3"));
  for (const std::uint32_t word : {0x7c642a15u, 0x3464ffffu, 0x74830040u, 0x7c832379u, 0x54830463u}) {
    CAPTURE(word);
    CHECK(lift(Kind::be64, {word}).ops.back().op == Op::test);
  }
  CHECK(lift(Kind::be32, {0x54830463}).ops.back().width == 4);  // rlwinm.
}

TEST_CASE("powerpc compares carry width, field and signedness") {
  struct Case {
    std::uint32_t word;
    std::string_view field;
    unsigned width;
    bool is_unsigned;
  };
  for (const Case& t : std::initializer_list<Case>{
           {0x2d04ffff, "cr2", 4, false},  // cmpwi 2,4,-1
           {0x7c042800, "cr0", 4, false},  // cmpw 0,4,5
           {0x2c240000, "cr0", 8, false},  // cmpdi 0,4,0
           {0x7ca42840, "cr1", 8, true},   // cmpld 1,4,5
           {0x2b84ffff, "cr7", 4, true},   // cmplwi 7,4,65535
       }) {
    CAPTURE(t.word);
    const Insn insn = lift(Kind::be64, {t.word});
    REQUIRE(insn.ops.size() == 1);
    CHECK(insn.ops[0].op == Op::compare);
    CHECK(insn.ops[0].dst.index == place(t.field));
    CHECK(insn.ops[0].width == t.width);
    CHECK((insn.ops[0].bits == 1) == t.is_unsigned);
    CHECK(insn.ops[0].a.index == place("r4"));
  }
  // -1 < 5 signed, not unsigned.
  const Predicate less = *lift(Kind::be64, {0x41800008}).when;  // blt .+8
  CHECK(Machine(Kind::be64).set("r4", ~0ull).set("r5", 5).run(lift(Kind::be64, {0x7c042800})).holds(less) == true);
  const Predicate less1 = *lift(Kind::be64, {0x41840008}).when;  // blt 1, .+8
  CHECK(Machine(Kind::be64).set("r4", ~0ull).set("r5", 5).run(lift(Kind::be64, {0x7ca42840})).holds(less1) == false);
}

TEST_CASE("powerpc condition register moves") {
  Machine m(Kind::be64);
  for (unsigned n = 0; n < 8; ++n) m.set("cr" + std::to_string(n), n + 1);
  CHECK(m.run(lift(Kind::be64, {0x7c600026}))["r3"] == 0x12345678);  // mfcr 3: cr0 in the most significant four bits
  m.set("r4", 0x87654321).run(lift(Kind::be64, {0x7c8ff120}));       // mtcr 4
  CHECK(m["cr0"] == 8);
  CHECK(m["cr3"] == 5);
  CHECK(m["cr7"] == 1);
  m.set("r4", 0x20000000).run(lift(Kind::be64, {0x7c980120}));  // mtocrf 128,4: cr0 alone
  CHECK(m["cr0"] == 2);
  CHECK(m["cr1"] == 7);
  m.run(lift(Kind::be64, {0x4d840000}));  // mcrf 3,1
  CHECK(m["cr3"] == 7);
  m.run(lift(Kind::be64, {0x4c461382}));  // cror 2,6,2: a bit of cr0
  CHECK(m.was_clobbered("cr0"));
  CHECK_FALSE(m.was_clobbered("cr1"));
  m.run(lift(Kind::be64, {0x7c720026}));  // mfocrf 3,32: the other bits are undefined
  CHECK(m.was_clobbered("r3"));
}

TEST_CASE("powerpc nops, hints and moves to oneself") {
  CHECK(lift(Kind::be64, {0x60000000}).cls == InsnClass::nop);      // nop
  CHECK(lift(Kind::be64, {0x60420000}).cls == InsnClass::nop);      // ori 2,2,0: ends a group on POWER7
  CHECK(lift(Kind::be64, {0x63ff0000}).cls == InsnClass::barrier);  // ori 31,31,0: speculation barrier
  CHECK(lift(Kind::be64, {0x7cc63378}).cls == InsnClass::nop);      // or 6,6,6: priority medium low
  CHECK(lift(Kind::be64, {0x7c421378}).cls == InsnClass::nop);      // or 2,2,2: priority medium
  CHECK(lift(Kind::be64, {0x7ffffb78}).cls == InsnClass::nop);      // or 31,31,31: priority very low
  CHECK(lift(Kind::be64, {0x7c842378}).cls == InsnClass::nop);      // or 4,4,4: reserved, no operation
  for (const std::uint32_t word : {0x60000000u, 0x60420000u, 0x63ff0000u, 0x7cc63378u, 0x7c842378u}) {
    CAPTURE(word);
    CHECK(lift(Kind::be64, {word}).ops.empty());
    CHECK(lift(Kind::be64, {word}).flow == Flow::next);
  }
}

TEST_CASE("powerpc instructions that no table holds clobber what LLVM says they write") {
  CHECK(Machine(Kind::be64).set("r3", 1).run(lift(Kind::be64, {0x7c8303f4})).was_clobbered("r3"));  // popcntd 3,4
  CHECK(Machine(Kind::be64).set("r3", 1).run(lift(Kind::be64, {0x7c64289e})).was_clobbered("r3"));  // isel 3,4,5,2
  CHECK(Machine(Kind::be64).set("r3", 1).run(lift(Kind::be64, {0x7c830034})).was_clobbered("r3"));  // cntlzw 3,4
  for (const std::uint32_t word : {0xf0011300u, 0x10221800u, 0xfc22182au}) {  // xvadddp, vaddubm, fadd
    CAPTURE(word);
    const Insn insn = lift(Kind::be64, {word});
    CHECK(insn.flow == Flow::next);
    CHECK(insn.cls == InsnClass::other);
    CHECK(insn.ops.empty());
    CHECK_FALSE(insn.memory.loads);
    CHECK_FALSE(insn.memory.stores);
  }
}
