// SPDX-License-Identifier: Apache-2.0
//
// Thumb instructions and IT blocks. Halfwords come from
//   llvm-mc-22 --triple=thumbv8a --mattr=+virtualization,+trustzone,+mp,+neon -show-encoding
// expected values from the ARM ARM (DDI 0406), A6 and A8.8.
#include <doctest/doctest.h>

#include <array>

#include "arm_support.h"
#include "disasm/decode/decoder.h"

using namespace trapline;
using namespace trapline::arm_test;
using namespace trapline::arm_arch;

namespace {

// r0 after the instruction has run with these values in r1, r2 and r0.
std::optional<std::uint64_t> run(std::initializer_list<std::uint32_t> halfwords, std::uint32_t v1, std::uint32_t v2 = 0,
                                 std::uint32_t v0 = 0) {
  Machine m;
  m.places[r0] = v0;
  m.places[r1] = v1;
  m.places[r2] = v2;
  m.run(lift_thumb(halfwords));
  return m.places[r0];
}

struct Kind {
  std::initializer_list<std::uint32_t> halfwords;
  Flow flow;
  InsnClass cls;
};

std::uint64_t start_of(const Image& image) {
  for (const Section& s : image.sections()) {
    if (s.executable) return s.address;
  }
  FAIL("no code");
  return 0;
}

std::unique_ptr<Image> thumb_object(std::span<const std::uint32_t> halfwords) {
  ObjectOptions options;
  options.thumb = true;
  return object(halfwords, options);
}

}  // namespace

TEST_CASE("thumb 16-bit data processing") {
  CHECK(run({0x2005}, 0) == 5);                 // movs r0, #5
  CHECK(run({0x1888}, 3, 4) == 7);              // adds r0, r1, r2
  CHECK(run({0x3801}, 0, 0, 1) == 0);           // subs r0, #1
  CHECK(run({0x4248}, 1) == 0xffffffff);        // rsbs r0, r1, #0
  CHECK(run({0x4348}, 5, 0, 7) == 35);          // muls r0, r1, r0
  CHECK(run({0xb2c8}, 0x1234) == 0x34);         // uxtb r0, r1
  CHECK(run({0xb208}, 0x18000) == 0xffff8000);  // sxth r0, r1
  const Insn adr = lift_thumb({0xa002});        // adr r0, #8
  Machine m;
  m.run(adr);
  CHECK(m.places[r0] == (adr.address + 4) + 8);
  m.places[sp] = 0x1048;
  m.run(lift_thumb({0xb092}));  // sub sp, #72
  CHECK(m.places[sp] == 0x1000);
  m.run(lift_thumb({0xa804}));  // add r0, sp, #16
  CHECK(m.places[r0] == 0x1010);
  m.run(lift_thumb({0x4680}));  // mov r8, r0
  CHECK(m.places[r8] == 0x1010);
  m.places[r0] = 4;
  m.run(lift_thumb({0x2804}));  // cmp r0, #4
  CHECK(m.flags.z == true);
  m.places[r1] = 0x00f00000;
  m.run(lift_thumb({0x0409}));  // lsls r1, r1, #16
  CHECK(m.places[r1] == 0);
  CHECK(m.flags.z == true);
}

TEST_CASE("thumb 32-bit data processing") {
  CHECK(run({0xf24a, 0x004c}, 0) == 0xa04c);                        // movw r0, #0xa04c
  CHECK(run({0xf2cc, 0x1032}, 0, 0, 0xa04c) == 0xc132a04c);         // movt r0, #0xc132
  CHECK(run({0xf001, 0x10ff}, 0x12345678) == 0x00340078);           // and r0, r1, #0xff00ff
  CHECK(run({0xeb11, 0x0082}, 1, 2) == 9);                          // adds.w r0, r1, r2, lsl #2
  CHECK(run({0xea6f, 0x0001}, 0) == 0xffffffff);                    // mvn.w r0, r1
  CHECK(run({0xf061, 0x0001}, 0) == 0xfffffffe);                    // orn r0, r1, #1
  CHECK(run({0xf3c1, 0x100b}, 0x410fc0f1) == 0xc0f);                // ubfx r0, r1, #4, #12
  CHECK(run({0xf361, 0x200b}, 0xa5, 0, 0xffffffff) == 0xfffff5ff);  // bfi r0, r1, #8, #4
  CHECK(run({0xf36f, 0x0007}, 0, 0, 0xffffffff) == 0xffffff00);     // bfc r0, #0, #8
  CHECK(run({0xfb01, 0xf002}, 3, 5) == 15);                         // mul r0, r1, r2
  CHECK(run({0xfa01, 0xf002}, 1, 4) == 16);                         // lsl.w r0, r1, r2
  CHECK_FALSE(run({0xfba2, 0x0103}, 1, 1, 1).has_value());          // umull r0, r1, r2, r3
  CHECK_FALSE(run({0xfb91, 0xf0f2}, 1, 1, 1).has_value());          // sdiv r0, r1, r2
  Machine m;
  m.places[r1] = 0x00f00000;
  m.run(lift_thumb({0xf411, 0x0f70}));  // tst.w r1, #0xf00000
  CHECK(m.flags.z == false);
  m.places[r0] = 0xf0000;
  m.run(lift_thumb({0xf5b0, 0x2f70}));  // cmp.w r0, #0xf0000
  CHECK(m.flags.z == true);
  m.places[r8] = 0x12345678;
  m.run(lift_thumb({0xfa5f, 0xf098}));  // uxtb.w r0, r8, ror #8
  CHECK(m.places[r0] == 0x56);
  m.places[sp] = 0x1000;
  m.run(lift_thumb({0xf20d, 0x0048}));  // addw r0, sp, #72
  CHECK(m.places[r0] == 0x1048);
}

TEST_CASE("thumb loads and stores") {
  Machine m;
  m.places[r0] = 0xab;
  m.places[r1] = 0x1000;
  m.run(lift_thumb({0x70c8}));  // strb r0, [r1, #3]
  CHECK(m.load(0x1003, 1) == 0xab);
  CHECK(m.memory.size() == 1);
  m.store(0x1004, 2, 0x8001);
  m.places[r2] = 4;
  m.run(lift_thumb({0x5e88}));  // ldrsh r0, [r1, r2]
  CHECK(m.places[r0] == 0xffff8001);
  const Insn literal = lift_thumb({0x4802});  // ldr r0, [pc, #8]
  m.store(literal.address + 12, 4, 0x1234);
  m.run(literal);
  CHECK(m.places[r0] == 0x1234);
  m.store(0x1004, 4, 77);
  m.run(lift_thumb({0xf851, 0x0f04}));  // ldr r0, [r1, #4]!
  CHECK(m.places[r0] == 77);
  CHECK(m.places[r1] == 0x1004);
  m.run(lift_thumb({0xf851, 0x0904}));  // ldr r0, [r1], #-4
  CHECK(m.places[r1] == 0x1000);
  m.places[r2] = 2;
  m.run(lift_thumb({0xf841, 0x0022}));  // str.w r0, [r1, r2, lsl #2]
  CHECK(m.load(0x1008, 4) == 77);
  m.places[sp] = 0x2000;
  m.places[r1] = 88;
  m.run(lift_thumb({0xe96d, 0x0102}));  // strd r0, r1, [sp, #-8]!
  CHECK(m.places[sp] == 0x1ff8);
  CHECK(m.load(0x1ff8, 8) == (std::uint64_t{88} << 32 | 77));
  m.places[r1] = 0x1000;
  m.run(lift_thumb({0xf851, 0x0e04}));  // ldrt r0, [r1, #4]
  CHECK(m.places[r0] == 77);
  CHECK(m.places[r1] == 0x1000);
  const Insn strex = lift_thumb({0xe842, 0x1001});  // strex r0, r1, [r2, #4]
  m.places[r2] = 0x3000;
  m.run(strex);
  CHECK(strex.memory.atomic);
  CHECK(m.load(0x3004, 4) == 0x1000);
  CHECK_FALSE(m.places[r0].has_value());
  CHECK(lift_thumb({0xe8d2, 0x017f}).memory.registers_loaded == 2);  // ldrexd r0, r1, [r2]
  CHECK(lift_thumb({0xe8c2, 0x1f40}).memory.bytes_stored == 1);      // strexb r0, r1, [r2]
}

TEST_CASE("thumb register lists") {
  Machine m;
  for (Place p = r0; p <= lr; ++p) m.places[p] = 0x100u + p;
  m.places[sp] = 0x1000;
  m.run(lift_thumb({0xb510}));  // push {r4, lr}
  CHECK(m.places[sp] == 0xff8);
  CHECK(m.load(0xffc, 4) == 0x10e);
  const Insn pop = lift_thumb({0xbd10});  // pop {r4, pc}
  m.run(pop);
  CHECK(m.next == 0x10e);
  CHECK(m.places[sp] == 0x1000);
  CHECK(pop.flow == Flow::ret);
  CHECK(pop.cls == InsnClass::load);
  const Insn wide = lift_thumb({0xe92d, 0x4ff0});  // push.w {r4-r11, lr}
  m.run(wide);
  CHECK(m.places[sp] == 0x1000 - 36);
  CHECK(wide.memory.registers_stored == 9);
  m.places[r0] = 0x1000 - 36;
  m.run(lift_thumb({0xc806}));  // ldm r0!, {r1, r2}
  CHECK(m.places[r1] == 0x104);
  CHECK(m.places[r0] == 0x1000 - 28);
  m.places[r2] = 0x1000 - 28;
  m.run(lift_thumb({0xe912, 0x0003}));  // ldmdb r2, {r0, r1}
  CHECK(m.places[r0] == 0x104);
}

TEST_CASE("thumb flow and class") {
  for (const Kind& k : {
           Kind{{0x46f7}, Flow::ret, InsnClass::ret},                        // mov pc, lr
           Kind{{0x4770}, Flow::ret, InsnClass::ret},                        // bx lr
           Kind{{0x4718}, Flow::indirect_jump, InsnClass::branch},           // bx r3
           Kind{{0x4798}, Flow::indirect_call, InsnClass::call},             // blx r3
           Kind{{0xe7fe}, Flow::halt, InsnClass::branch},                    // b .
           Kind{{0xd0fe}, Flow::jump, InsnClass::branch},                    // beq .
           Kind{{0xf7ff, 0xfffe}, Flow::call, InsnClass::call},              // bl .
           Kind{{0xf7ff, 0xbffe}, Flow::halt, InsnClass::branch},            // b.w .
           Kind{{0xf43f, 0xaffe}, Flow::jump, InsnClass::branch},            // beq.w .
           Kind{{0xe8bd, 0x8ff0}, Flow::ret, InsnClass::load},               // pop.w {r4-r11, pc}
           Kind{{0xf858, 0xf02a}, Flow::indirect_jump, InsnClass::load},     // ldr.w pc, [r8, r10, lsl #2]
           Kind{{0xe8df, 0xf000}, Flow::indirect_jump, InsnClass::load},     // tbb [pc, r0]
           Kind{{0xf3de, 0x8f04}, Flow::exception_return, InsnClass::ret},   // subs pc, lr, #4
           Kind{{0xe9bd, 0xc000}, Flow::exception_return, InsnClass::load},  // rfeia sp!
           Kind{{0xe82d, 0xc013}, Flow::next, InsnClass::store},             // srsdb sp!, #19
           Kind{{0xdf00}, Flow::syscall, InsnClass::system},                 // svc #0
           Kind{{0xde00}, Flow::trap, InsnClass::system},                    // udf #0
           Kind{{0xbe00}, Flow::trap, InsnClass::system},                    // bkpt #0
           Kind{{0xf7f0, 0xa000}, Flow::trap, InsnClass::system},            // udf.w #0
           Kind{{0xf7e0, 0x8000}, Flow::syscall, InsnClass::system},         // hvc.w #0
           Kind{{0xb672}, Flow::next, InsnClass::system},                    // cpsid i
           Kind{{0xf3af, 0x8640}, Flow::next, InsnClass::system},            // cpsid.w i
           Kind{{0xf3ff, 0x8800}, Flow::next, InsnClass::system},            // mrs r8, spsr
           Kind{{0xee1d, 0x9f70}, Flow::next, InsnClass::system},            // mrc p15, 0, r9, c13, c0, 3
           Kind{{0xf3bf, 0x8f47}, Flow::next, InsnClass::barrier},           // dsb nsh
           Kind{{0xf3bf, 0x8f6f}, Flow::next, InsnClass::barrier},           // isb
           Kind{{0xf3af, 0x8014}, Flow::next, InsnClass::barrier},           // csdb
           Kind{{0xf3bf, 0x8f2f}, Flow::next, InsnClass::other},             // clrex
           Kind{{0xbf00}, Flow::next, InsnClass::nop},                       // nop
           Kind{{0xbf08}, Flow::next, InsnClass::other},                     // it eq
           Kind{{0xecba, 0x0b20}, Flow::next, InsnClass::load},              // vldmia r10!, {d0-d15}
       }) {
    const std::uint32_t first = *k.halfwords.begin();
    CAPTURE(first);
    const Insn insn = lift_thumb(k.halfwords);
    CHECK(insn.flow == k.flow);
    CHECK(insn.cls == k.cls);
    CHECK(insn.size == 2 * k.halfwords.size());
  }
}

TEST_CASE("thumb branches: targets, link, tables") {
  const Insn bl = lift_thumb({0xf7ff, 0xfffe});  // bl .: the displacement is -4
  CHECK(bl.target == bl.address);
  Machine m;
  m.run(bl);
  CHECK(m.places[lr] == bl.address + 5);            // bit 0: back to Thumb
  const Insn table = lift_thumb({0xe8df, 0xf010});  // tbh [pc, r0, lsl #1]
  CHECK(table.via_table);
  m.places[r0] = 3;
  m.store(table.address + 4 + 6, 2, 0x20);
  m.run(table);
  CHECK(m.next == table.address + 4 + 0x40);
  const Insn zero = lift_thumb({0xb108});  // cbz r0, .+6
  REQUIRE(zero.when.has_value());
  CHECK(zero.target == zero.address + 6);
  m.places[r0] = 0;
  m.run(zero);
  CHECK(m.next == zero.address + 6);
  m.places[r0] = 1;
  m.run(zero);
  CHECK(m.next == zero.address + 2);
}

TEST_CASE("thumb IT block makes what follows conditional") {
  // cmp r0, #4; itte eq; movs r0, #5 (moveq); ldr.w (eq); movs r0, #5 (movne); movs r0, #5
  const std::unique_ptr<Image> image =
      thumb_object(std::array<std::uint32_t, 7>{0x2804, 0xbf06, 0x2005, 0xf851, 0x0f04, 0x2005, 0x2005});
  const Decoder decoder(*image);
  const std::uint64_t start = start_of(*image);
  const Insn first = decoder.decode(start + 4);
  REQUIRE(first.when.has_value());
  CHECK(first.when->rel == Rel::eq);
  CHECK(first.ops.size() == 1);  // in an IT block the encoding of movs does not set flags
  CHECK(decoder.decode(start + 6).when->rel == Rel::eq);
  CHECK(decoder.decode(start + 10).when->rel == Rel::ne);
  const Insn after = decoder.decode(start + 12);
  CHECK_FALSE(after.when.has_value());
  CHECK(after.ops.size() == 2);
  CHECK_FALSE(decoder.decode(start + 2).when.has_value());  // it itself
  CHECK_FALSE(decoder.decode(start).when.has_value());
}

TEST_CASE("thumb halfword that looks like IT is none inside a wide instruction") {
  // ldr.w r11, [r1, #0xf08] is f8d1 bf08: its second halfword reads as "it eq"
  const std::unique_ptr<Image> image = thumb_object(std::array<std::uint32_t, 3>{0xf8d1, 0xbf08, 0x2005});
  const Decoder decoder(*image);
  CHECK_FALSE(decoder.decode(start_of(*image) + 4).when.has_value());
}

TEST_CASE("thumb status and exception returns") {
  Machine m;
  m.places[spsr] = 0x30;
  m.run(lift_thumb({0xf3ff, 0x8800}));  // mrs r8, spsr
  CHECK(m.places[r8] == 0x30);
  m.places[r1] = 0x10;
  m.run(lift_thumb({0xf391, 0x8f00}));  // msr SPSR_fsxc, r1
  CHECK(m.places[spsr] == 0x10);
  m.places[lr] = 0x8004;
  const Insn subs = lift_thumb({0xf3de, 0x8f04});  // subs pc, lr, #4
  m.run(subs);
  CHECK(m.next == 0x8000);
  CHECK(subs.returns_by == ReturnsBy::status);
  CHECK(subs.status == spsr);
  CHECK(lift_thumb({0xb662}).irq_on);        // cpsie i
  CHECK_FALSE(lift_thumb({0xb672}).irq_on);  // cpsid i
}
