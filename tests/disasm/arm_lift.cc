// SPDX-License-Identifier: Apache-2.0
//
// What ARM-state instructions do to registers and memory. Words come from
//   llvm-mc-22 --triple=armv8a --mattr=+virtualization,+trustzone,+mp,+neon -show-encoding
// expected values from the descriptions of the instructions in the ARM ARM (DDI 0406), A8.8.
#include <doctest/doctest.h>

#include "arm_support.h"

using namespace trapline;
using namespace trapline::arm_test;

namespace {

// r0 after `word` has run with these values in r1, r2 and r0.
std::optional<std::uint64_t> run(std::uint32_t word, std::uint32_t r1, std::uint32_t r2 = 0, std::uint32_t r0 = 0) {
  Machine m;
  m.places[arm_arch::r0] = r0;
  m.places[arm_arch::r1] = r1;
  m.places[arm_arch::r2] = r2;
  m.run(lift(word));
  return m.places[arm_arch::r0];
}

Machine::Flags flags_of(std::uint32_t word, Place a, std::uint32_t va, Place b = arm_arch::r12, std::uint32_t vb = 0) {
  Machine m;
  m.places[a] = va;
  m.places[b] = vb;
  m.run(lift(word));
  return m.flags;
}

}  // namespace

TEST_CASE("arm data processing: operations and shifter operands") {
  CHECK(run(0xe0010002, 0xff00, 0x0ff0) == 0x0f00);     // and r0, r1, r2
  CHECK(run(0xe22104ff, 0x12345678) == 0xed345678);     // eor r0, r1, #0xff000000
  CHECK(run(0xe0410202, 0x100, 0x8) == 0x80);           // sub r0, r1, r2, lsl #4
  CHECK(run(0xe2610c01, 0x1) == 0xff);                  // rsb r0, r1, #256
  CHECK(run(0xe0810462, 1, 0x123) == 0x23000002);       // add r0, r1, r2, ror #8
  CHECK(run(0xe1810fc2, 0, 0x80000000) == 0xffffffff);  // orr r0, r1, r2, asr #31
  CHECK(run(0xe3c10001, 0xff) == 0xfe);                 // bic r0, r1, #1
  CHECK(run(0xe1e00001, 0) == 0xffffffff);              // mvn r0, r1
  CHECK(run(0xe1a00021, 0xffffffff) == 0);              // lsr r0, r1, #32: encoded as 0
  CHECK(run(0xe1a00041, 0x80000000) == 0xffffffff);     // asr r0, r1, #32: encoded as 0
  CHECK(run(0xe1a00211, 1, 0x304) == 0x10);             // lsl r0, r1, r2: by the low byte
  CHECK_FALSE(run(0xe1a00061, 1).has_value());          // rrx r0, r1: takes the carry in
  CHECK_FALSE(run(0xe0a10002, 1, 1).has_value());       // adc r0, r1, r2
  CHECK(run(0xe30a004c, 0, 0, 0xffffffff) == 0xa04c);   // movw r0, #0xa04c
  CHECK(run(0xe34c0132, 0, 0, 0xa04c) == 0xc132a04c);   // movt r0, #0xc132
}

TEST_CASE("arm multiplies, bit fields and extensions") {
  CHECK(run(0xe0000291, 3, 0x80000001) == 0x80000003);        // mul r0, r1, r2
  CHECK(run(0xe7eb0251, 0x410fc0f1) == 0xc0f);                // ubfx r0, r1, #4, #12
  CHECK(run(0xe7af0051, 0x18000) == 0xffff8000);              // sbfx r0, r1, #0, #16
  CHECK(run(0xe7cb0411, 0xa5, 0, 0xffffffff) == 0xfffff5ff);  // bfi r0, r1, #8, #4
  CHECK(run(0xe7c7001f, 0, 0, 0xffffffff) == 0xffffff00);     // bfc r0, #0, #8
  CHECK(run(0xe6ef0471, 0x12345678) == 0x56);                 // uxtb r0, r1, ror #8
  CHECK(run(0xe6b10072, 1, 0x8000) == 0xffff8001);            // sxtah r0, r1, r2
  for (const std::uint32_t word : {0xe6bf0f31u, 0xe16f0f11u, 0xe710f211u, 0xe1003281u, 0xe6e50011u}) {
    CAPTURE(word);  // rev, clz, sdiv, smlabb, usat: the result is not followed
    CHECK_FALSE(run(word, 1, 1, 7).has_value());
  }
  CHECK_FALSE(run(0xe0810392, 1, 1, 7).has_value());  // umull r0, r1, r2, r3
}

TEST_CASE("arm flags: subtraction, addition and tests") {
  using namespace arm_arch;
  const Machine::Flags equal = flags_of(0xe35a0f71, r10, 452);  // cmp r10, #452
  CHECK(equal.z == true);
  CHECK(equal.c == true);
  const Machine::Flags below = flags_of(0xe35a0f71, r10, 451);
  CHECK(below.z == false);
  CHECK(below.c == false);  // borrow
  CHECK(below.n == true);
  CHECK(flags_of(0xe3770001, r7, 0xffffffff).z == true);         // cmn r7, #1
  CHECK(flags_of(0xe2787c01, r8, 0x101).c == false);             // rsbs r7, r8, #256
  CHECK(flags_of(0xe0510002, r1, 0x80000000, r2, 1).v == true);  // subs r0, r1, r2
  CHECK(flags_of(0xe0910002, r1, 0x7fffffff, r2, 1).v == true);  // adds r0, r1, r2
  CHECK(flags_of(0xe1b01801, r1, 0x00f00000).z == true);         // movs r1, r1, lsl #16: bits 0 to 15
  CHECK(flags_of(0xe1b01801, r1, 0x00008000).n == true);
  CHECK(flags_of(0xe311008f, r1, 0x60000010).z == true);   // tst r1, #0x8f: user mode, interrupts on
  CHECK(flags_of(0xe311008f, r1, 0x60000013).z == false);  // SVC mode
  CHECK(flags_of(0xe13a000c, r10, 5, r12, 5).z == true);   // teq r10, r12
  // The carry of a logical operation is the shifter's: not what a comparison with zero leaves.
  CHECK_FALSE(flags_of(0xe1b01801, r1, 0x00f00000).c.has_value());
}

TEST_CASE("arm predication guards every effect") {
  const Insn mov = lift(0xb3a07000);  // movlt r7, #0
  REQUIRE(mov.when.has_value());
  CHECK(mov.when->guards_effects);
  CHECK(mov.when->rel == Rel::lt);
  CHECK(mov.when->flags == arm_arch::flags);
  Machine m;
  m.places[arm_arch::r7] = 1;
  m.flags = {.n = true, .z = false, .c = false, .v = true};
  CHECK(m.run(mov));
  CHECK(m.places[arm_arch::r7] == 1);
  m.flags.v = false;
  CHECK(m.run(mov));
  CHECK(m.places[arm_arch::r7] == 0);
  static constexpr Rel relations[] = {Rel::eq,          Rel::ne,       Rel::geu,         Rel::ltu, Rel::negative,
                                      Rel::nonnegative, Rel::overflow, Rel::no_overflow, Rel::gtu, Rel::leu,
                                      Rel::ge,          Rel::lt,       Rel::gt,          Rel::le};
  for (std::uint32_t cond = 0; cond < 14; ++cond) CHECK(lift(cond << 28 | 0x03a07000).when->rel == relations[cond]);
  CHECK_FALSE(lift(0xe3a07000).when.has_value());
}

TEST_CASE("arm loads and stores: addressing modes") {
  using namespace arm_arch;
  Machine m;
  m.places[sp] = 0x1000;
  m.places[r0] = 0xcafe;
  m.run(lift(0xe5ad0008));  // str r0, [sp, #8]!
  CHECK(m.places[sp] == 0x1008);
  CHECK(m.load(0x1008, 4) == 0xcafe);
  m.places[r2] = 0x1008 - 0x3c;
  m.run(lift(0xe5b2e03c));  // ldr lr, [r2, #60]!
  CHECK(m.places[lr] == 0xcafe);
  CHECK(m.places[r2] == 0x1008);
  m.places[r1] = 0x1008;
  m.run(lift(0xe4910004));  // ldr r0, [r1], #4
  CHECK(m.places[r0] == 0xcafe);
  CHECK(m.places[r1] == 0x100c);
  m.places[r1] = 0x1010;
  m.places[r2] = 2;
  m.run(lift(0xe7110102));  // ldr r0, [r1, -r2, lsl #2]
  CHECK(m.places[r0] == 0xcafe);
  m.store(0x2000, 4, 0x8081f2f3);
  m.places[r1] = 0x2000;
  m.run(lift(0xe1d100d0));  // ldrsb r0, [r1]
  CHECK(m.places[r0] == 0xfffffff3);
  m.run(lift(0xe1d100f2));  // ldrsh r0, [r1, #2]
  CHECK(m.places[r0] == 0xffff8081);
  m.places[r1] = 0x2001;
  m.run(lift(0xe5510001));  // ldrb r0, [r1, #-1]
  CHECK(m.places[r0] == 0xf3);
  m.run(lift(0xe09100b2));  // ldrh r0, [r1], r2
  CHECK(m.places[r0] == 0x81f2);
  CHECK(m.places[r1] == 0x2003);
  m.places[r4] = 0x2000;
  m.run(lift(0xe4b40000));  // ldrt r0, [r4], #0
  CHECK(m.places[r0] == 0x8081f2f3);
  CHECK(m.places[r4] == 0x2000);
}

TEST_CASE("arm loads and stores: pairs") {
  using namespace arm_arch;
  Machine m;
  m.places[r0] = 0x2000;
  m.store(0x2008, 8, 0x2222222211111111);
  const Insn ldrd = lift(0xe1c000d8);  // ldrd r0, r1, [r0, #8]: the base is loaded
  m.run(ldrd);
  CHECK(m.places[r0] == 0x11111111);
  CHECK(m.places[r1] == 0x22222222);
  CHECK(ldrd.memory.registers_loaded == 2);
  CHECK(ldrd.memory.bytes_loaded == 8);
  m.places[sp] = 0x3000;
  m.places[r4] = 4;
  m.places[r5] = 5;
  m.run(lift(0xe16d40f8));  // strd r4, r5, [sp, #-8]!
  CHECK(m.places[sp] == 0x2ff8);
  CHECK(m.load(0x2ff8, 8) == 0x0000000500000004);
}

TEST_CASE("arm register lists") {
  using namespace arm_arch;
  Machine m;
  for (Place p = r0; p <= lr; ++p) m.places[p] = 0x100u + p;
  m.places[sp] = 0x1000;
  const Insn stmib = lift(0xe98d1ffe);  // stmib sp, {r1-r12}
  m.run(stmib);
  CHECK(m.load(0x1004, 4) == 0x101);
  CHECK(m.load(0x1030, 4) == 0x10c);
  CHECK(m.places[sp] == 0x1000);
  CHECK(stmib.memory.registers_stored == 12);
  CHECK(stmib.memory.bytes_stored == 48);
  m.places[r0] = 0x1004;
  m.run(lift(0xe8900038));  // ldm r0, {r3, r4, r5}
  CHECK(m.places[r3] == 0x101);
  CHECK(m.places[r5] == 0x103);
  m.run(lift(0xe92d0030));  // push {r4, r5}
  CHECK(m.places[sp] == 0xff8);
  CHECK(m.load(0xff8, 4) == 0x102);
  CHECK(m.load(0xffc, 4) == 0x103);
  const Insn pop = lift(0xe8bd8010);  // pop {r4, pc}
  m.places[r4] = 0;
  m.run(pop);
  CHECK(m.places[r4] == 0x102);
  CHECK(m.places[sp] == 0x1000);
  CHECK(m.next == 0x103);
  CHECK(pop.flow == Flow::ret);
  CHECK(pop.cls == InsnClass::load);
  m.places[r12] = 0x1800;
  m.places[sp] = 0x1000;
  m.run(lift(0xe8ac6ff0));  // stm r12!, {r4-r11, sp, lr}
  CHECK(m.places[r12] == 0x1828);
  CHECK(m.load(0x1820, 4) == 0x1000);
  m.places[r1] = 0x1004;
  m.run(lift(0xe831000c));  // ldmda r1!, {r2, r3}: from 0x1000 and 0x1004
  CHECK(m.places[r3] == 0x101);
  CHECK(m.places[r1] == 0xffc);
}

TEST_CASE("arm user bank: the ^ forms without pc") {
  using namespace arm_arch;
  Machine m;
  m.places[sp] = 1;
  m.places[lr] = 2;
  m.places[sp_usr] = 0xbeef0000;
  m.places[lr_usr] = 0x8000;
  m.places[r8] = 0x103c;
  m.run(lift(0xe9486000));  // stmdb r8, {sp, lr}^
  CHECK(m.load(0x1034, 4) == 0xbeef0000);
  CHECK(m.load(0x1038, 4) == 0x8000);
  m.places[sp_usr] = 0;
  m.places[r2] = 0x103c;
  for (std::uint64_t r = 0; r < 13; ++r) m.store(0x1000 + 4 * r, 4, 0x200 + r);
  const Insn ldm = lift(0xe9527fff);  // ldmdb r2, {r0-r12, sp, lr}^
  m.run(ldm);
  CHECK(m.places[r0] == 0x200);
  CHECK(m.places[r2] == 0x202);
  CHECK(m.places[r12] == 0x20c);
  CHECK(m.places[sp_usr] == 0xbeef0000);
  CHECK(m.places[lr_usr] == 0x8000);
  CHECK(m.places[sp] == 1);
  CHECK(m.places[lr] == 2);
  CHECK(ldm.flow == Flow::next);
  CHECK(ldm.memory.registers_loaded == 15);
}

TEST_CASE("arm exclusives, swap, load-acquire") {
  using namespace arm_arch;
  const Insn strex = lift(0xe1821f92);  // strex r1, r2, [r2]
  CHECK(strex.cls == InsnClass::store);
  CHECK(strex.memory.atomic);
  Machine m;
  m.places[r2] = 0x1000;
  m.run(strex);
  CHECK(m.load(0x1000, 4) == 0x1000);
  CHECK_FALSE(m.places[r1].has_value());  // the status
  m.places[r0] = 0x1000;
  m.store(0x1004, 4, 7);
  const Insn ldrexd = lift(0xe1b02f9f);  // ldrexd r2, r3, [r0]
  m.run(ldrexd);
  CHECK(m.places[r3] == 7);
  CHECK(ldrexd.memory.bytes_loaded == 8);
  CHECK(ldrexd.memory.atomic);
  m.places[r1] = 9;
  m.places[r2] = 0x1004;
  const Insn swp = lift(0xe1020091);  // swp r0, r1, [r2] (--triple=armv7a)
  m.run(swp);
  CHECK(m.places[r0] == 7);
  CHECK(m.load(0x1004, 4) == 9);
  CHECK(swp.cls == InsnClass::load_store);
  CHECK(swp.memory.atomic);
  const Insn lda = lift(0xe1910c9f);  // lda r0, [r1]
  CHECK(lda.cls == InsnClass::load);
  CHECK_FALSE(lda.memory.atomic);
  CHECK(lift(0xe1820e91).memory.atomic);            // stlex r0, r1, [r2]
  CHECK(lift(0xf57ff01f).cls == InsnClass::other);  // clrex
}

TEST_CASE("arm floating point and vectors: traffic and base registers") {
  using namespace arm_arch;
  struct Row {
    std::uint32_t word;
    bool load;
    unsigned registers, bytes;
    Place base;
    std::uint32_t before, after;
  };
  for (const Row& row : {
           Row{0xecba0b20, true, 16, 128, r10, 0x1000, 0x1080},  // vldmia r10!, {d0-d15}
           Row{0xece00b20, false, 16, 128, r0, 0x1000, 0x1080},  // vstmia r0!, {d16-d31}
           Row{0xed900a01, true, 1, 4, r0, 0x1000, 0x1000},      // vldr s0, [r0, #4]
           Row{0xed2d0a04, false, 4, 16, sp, 0x1000, 0xff0},     // vpush {s0-s3}
           Row{0xf420020d, true, 4, 32, r0, 0x1000, 0x1020},     // vld1.8 {d0-d3}, [r0]!
           Row{0xf4810982, false, 2, 8, r1, 0x1000, 0x1040},     // vst2.32 {d0[1], d1[1]}, [r1], r2
           Row{0xf4a00c4f, true, 1, 2, r0, 0x1000, 0x1000},      // vld1.16 {d0[]}, [r0]
       }) {
    CAPTURE(row.word);
    const Insn insn = lift(row.word);
    CHECK(insn.memory.loads == row.load);
    CHECK(insn.memory.stores == !row.load);
    CHECK((row.load ? insn.memory.registers_loaded : insn.memory.registers_stored) == row.registers);
    CHECK((row.load ? insn.memory.bytes_loaded : insn.memory.bytes_stored) == row.bytes);
    Machine m;
    m.places[r2] = 0x40;
    m.places[row.base] = row.before;
    m.run(insn);
    CHECK(m.places[row.base] == row.after);
    if (!row.load) CHECK(m.memory.size() == row.bytes);
  }
  Machine m;
  m.places[r0] = 5;
  m.run(lift(0xee100a10));  // vmov r0, s0
  CHECK_FALSE(m.places[r0].has_value());
  CHECK(lift(0xee300a81).cls == InsnClass::other);   // vadd.f32
  CHECK(lift(0xeee85a10).cls == InsnClass::system);  // vmsr fpexc, r5
  m.flags.z = true;
  m.run(lift(0xeef1fa10));  // vmrs APSR_nzcv, fpscr
  CHECK_FALSE(m.flags.z.has_value());
}
