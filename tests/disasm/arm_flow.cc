// SPDX-License-Identifier: Apache-2.0
//
// Where ARM-state instructions go, how they count, and what they do to status and system registers. Words come from
//   llvm-mc-22 --triple=armv8a --mattr=+virtualization,+trustzone,+mp -show-encoding
// expected values from the ARM ARM (DDI 0406): A8.8, B1.3 (modes and banks), B1.8 (exceptions), B9.
#include <doctest/doctest.h>

#include <array>

#include "arm_support.h"
#include "disasm/decode/decoder.h"

using namespace trapline;
using namespace trapline::arm_test;

namespace {

struct Kind {
  std::uint32_t word;
  Flow flow;
  InsnClass cls;
};

const Section& code_of(const Image& image) {
  for (const Section& s : image.sections()) {
    if (s.executable) return s;
  }
  FAIL("no code");
  return image.sections()[0];
}

}  // namespace

TEST_CASE("arm flow and class") {
  for (const Kind& k : {
           Kind{0xe1a0f00e, Flow::ret, InsnClass::ret},                // mov pc, lr
           Kind{0xe12fff1e, Flow::ret, InsnClass::ret},                // bx lr
           Kind{0x012fff1e, Flow::ret, InsnClass::ret},                // bxeq lr
           Kind{0xe12fff13, Flow::indirect_jump, InsnClass::branch},   // bx r3
           Kind{0xe1a0f009, Flow::indirect_jump, InsnClass::branch},   // mov pc, r9
           Kind{0x11a0f005, Flow::indirect_jump, InsnClass::branch},   // movne pc, r5
           Kind{0xe12fff33, Flow::indirect_call, InsnClass::call},     // blx r3
           Kind{0xe594f000, Flow::indirect_jump, InsnClass::load},     // ldr pc, [r4]
           Kind{0xe49df004, Flow::ret, InsnClass::load},               // pop {pc}
           Kind{0xe91ba800, Flow::ret, InsnClass::load},               // ldmdb r11, {r11, sp, pc}
           Kind{0x3798f10a, Flow::indirect_jump, InsnClass::load},     // ldrlo pc, [r8, r10, lsl #2]
           Kind{0xe08ff328, Flow::indirect_jump, InsnClass::branch},   // add pc, pc, r8, lsr #6
           Kind{0xe1b0f00e, Flow::exception_return, InsnClass::ret},   // movs pc, lr
           Kind{0xe25ef004, Flow::exception_return, InsnClass::ret},   // subs pc, lr, #4
           Kind{0xe160006e, Flow::exception_return, InsnClass::ret},   // eret
           Kind{0xe8ddffff, Flow::exception_return, InsnClass::load},  // ldm sp, {r0-pc}^
           Kind{0xf8bd0a00, Flow::exception_return, InsnClass::load},  // rfeia sp!
           Kind{0xf96d0513, Flow::next, InsnClass::store},             // srsdb sp!, #19
           Kind{0xeafffffe, Flow::halt, InsnClass::branch},            // b .
           Kind{0x0afffffe, Flow::jump, InsnClass::branch},            // beq .
           Kind{0xeb000000, Flow::call, InsnClass::call},              // bl .+8
           Kind{0xfa000000, Flow::call, InsnClass::call},              // blx .+8
           Kind{0xef000000, Flow::syscall, InsnClass::system},         // svc #0
           Kind{0xe1400070, Flow::syscall, InsnClass::system},         // hvc #0
           Kind{0xe7f001f2, Flow::trap, InsnClass::system},            // udf #18
           Kind{0xe1200070, Flow::trap, InsnClass::system},            // bkpt #0
           Kind{0xf57ff05b, Flow::next, InsnClass::barrier},           // dmb ish
           Kind{0xf57ff047, Flow::next, InsnClass::barrier},           // dsb nsh
           Kind{0xf57ff06f, Flow::next, InsnClass::barrier},           // isb
           Kind{0xe320f014, Flow::next, InsnClass::barrier},           // csdb
           Kind{0xee070f9a, Flow::next, InsnClass::barrier},           // mcr p15, 0, r0, c7, c10, 4: CP15DSB
           Kind{0xee070fd5, Flow::next, InsnClass::system},            // mcr p15, 0, r0, c7, c5, 6: BPIALL
           Kind{0xec532f0e, Flow::next, InsnClass::system},            // mrrc p15, 0, r2, r3, c14
           Kind{0xe320f000, Flow::next, InsnClass::nop},               // nop
           Kind{0xe1a00000, Flow::next, InsnClass::nop},               // mov r0, r0
           Kind{0xe320f003, Flow::next, InsnClass::system},            // wfi
           Kind{0xf5d0f000, Flow::next, InsnClass::other},             // pld [r0]
           Kind{0xf1010200, Flow::next, InsnClass::other},             // setend be
           Kind{0xe14f8000, Flow::next, InsnClass::system},            // mrs r8, spsr
           Kind{0xeef15a10, Flow::next, InsnClass::other},             // vmrs r5, fpscr: user-level
           Kind{0xee112110, Flow::next, InsnClass::other},             // mrc p1, 0, r2, c1, c0, 0: iWMMXt, not LLVM's
           Kind{0xfd812120, Flow::next, InsnClass::store},             // stc2 p1: iWMMXt
           Kind{0xe79febe1, Flow::next, InsnClass::load},              // ldr lr, [pc, r1, ror #23]
           Kind{0xe7bfebe1, Flow::unknown, InsnClass::unknown},        // the same with writeback to pc: unpredictable
           Kind{0xe10ff051, Flow::unknown, InsnClass::unknown},        // qadd pc, r1, pc: unpredictable
           Kind{0xe7ffffff, Flow::trap, InsnClass::system},            // udf #0xffff: permanently undefined
       }) {
    CAPTURE(k.word);
    const Insn insn = lift(k.word);
    CHECK(insn.flow == k.flow);
    CHECK(insn.cls == k.cls);
  }
}

TEST_CASE("arm jumps: targets, links, tables") {
  const Insn bl = lift(0xeb000000);
  CHECK(bl.target == bl.address + 8);
  CHECK(bl.sets_link);
  const Insn back = lift(0x1afffffc);  // bne .-8
  CHECK(back.target == back.address - 8);
  CHECK(back.when->rel == Rel::ne);
  const Insn blx = lift(0xfb000000);  // blx .+10: H is bit 1 of the Thumb target
  CHECK(blx.target == blx.address + 10);
  Machine m;
  m.places[arm_arch::lr] = 0x8000;
  m.run(lift(0xe12fff3e));  // blx lr jumps to what lr held before
  CHECK(m.next == 0x8000);
  CHECK(m.places[arm_arch::lr] != 0x8000u);
  const Insn table = lift(0xe08ff328);  // add pc, pc, r8, lsr #6
  CHECK(table.via_table);
  m.places[arm_arch::r8] = 0xa00;
  m.run(table);
  CHECK(m.next == table.address + 8 + 0x28);
  const Insn dispatch = lift(0x3798f10a);  // ldrlo pc, [r8, r10, lsl #2]
  CHECK_FALSE(dispatch.via_table);
  m.places[arm_arch::r8] = 0x1000;
  m.places[arm_arch::r10] = 3;
  m.store(0x100c, 4, 0xc0301234);
  m.flags.c = false;
  m.run(dispatch);
  CHECK(m.next == 0xc0301234);
  CHECK(lift(0xe79ff102).via_table);  // ldr pc, [pc, r2, lsl #2]
}

TEST_CASE("arm program counter reads eight ahead") {
  Machine m;
  const Insn add = lift(0xe28fe028);  // add lr, pc, #40
  m.run(add);
  CHECK(m.places[arm_arch::lr] == add.address + 48);
  const Insn sub = lift(0xe24fef6f);  // sub lr, pc, #444
  m.run(sub);
  CHECK(m.places[arm_arch::lr] == sub.address + 8 - 444);
  const Insn literal = lift(0xe59f3018);  // ldr r3, [pc, #24]
  m.store(literal.address + 32, 4, 0xc03100e0);
  m.run(literal);
  CHECK(m.places[arm_arch::r3] == 0xc03100e0);
}

TEST_CASE("arm exception returns name their status") {
  using namespace arm_arch;
  const Insn movs = lift(0xe1b0f00e);
  CHECK(movs.returns_by == ReturnsBy::status);
  CHECK(movs.status == spsr);
  Machine m;
  m.places[lr] = 0x10000;
  m.run(movs);
  CHECK(m.next == 0x10000);
  CHECK(m.places[pc] == 0x10000);
  m.run(lift(0xe25ef004));  // subs pc, lr, #4
  CHECK(m.next == 0xfffc);
  m.places[sp] = 0x1000;
  for (std::uint64_t i = 0; i < 16; ++i) m.store(0x1000 + 4 * i, 4, 0x100 + i);
  const Insn ldm = lift(0xe8ddffff);  // ldm sp, {r0-pc}^ loads the registers of this mode
  CHECK(ldm.status == spsr);
  m.run(ldm);
  CHECK(m.places[sp] == 0x10d);
  CHECK(m.places[lr] == 0x10e);
  CHECK(m.next == 0x10f);
  m.places[sp] = 0x2000;
  m.store(0x2000, 8, 0x6000001000008000);
  const Insn rfe = lift(0xf8bd0a00);  // rfeia sp!: pc, then status
  m.run(rfe);
  CHECK(m.next == 0x8000);
  CHECK(m.places[rfe.status] == 0x60000010);
  CHECK(m.places[sp] == 0x2008);
  CHECK(rfe.memory.registers_loaded == 2);
  m.places[lr] = 0x4444;
  m.places[spsr] = 0x13;
  m.run(lift(0xf96d0513));  // srsdb sp!, #19
  CHECK(m.places[sp] == 0x2000);
  CHECK(m.load(0x2000, 4) == 0x4444);
  CHECK(m.load(0x2004, 4) == 0x13);
  CHECK(lift(0xe160006e).status == spsr_hyp);
}

TEST_CASE("arm status and system registers") {
  using namespace arm_arch;
  Machine m;
  m.places[spsr] = 0x60000010;
  m.run(lift(0xe14f8000));  // mrs r8, spsr
  CHECK(m.places[r8] == 0x60000010);
  m.places[r1] = 0x20000010;
  m.run(lift(0xe16ff001));  // msr SPSR_fsxc, r1
  CHECK(m.places[spsr] == 0x20000010);
  m.places[cpsr] = 0x13;
  const Insn off = lift(0xf10c0080);  // cpsid i
  m.run(off);
  CHECK(m.places[cpsr] == 0x93);
  CHECK_FALSE(off.irq_on);
  const Insn on = lift(0xf1080080);  // cpsie i
  m.run(on);
  CHECK(m.places[cpsr] == 0x13);
  CHECK(on.irq_on);
  CHECK_FALSE(lift(0xe321f0d1).irq_on);  // msr CPSR_c, #0xd1
  CHECK(lift(0xe121f004).irq_on);        // msr CPSR_c, r4: may
  m.flags.z = true;
  m.run(lift(0xe128f000));  // msr APSR_nzcvq, r0
  CHECK_FALSE(m.flags.z.has_value());
  m.places[tpidruro] = 0xc1400000;
  m.run(lift(0xee1d9f70));  // mrc p15, 0, r9, c13, c0, 3
  CHECK(m.places[r9] == 0xc1400000);
  m.places[r10] = 0xc1500000;
  m.run(lift(0xee0daf70));  // mcr p15, 0, r10, c13, c0, 3
  CHECK(m.places[tpidruro] == 0xc1500000);
  m.places[r8] = 0x51;
  m.run(lift(0xee038f10));  // mcr p15, 0, r8, c3, c0, 0
  CHECK(m.places[dacr] == 0x51);
  m.places[r2] = 1;
  m.run(lift(0xee152f10));  // mrc p15, 0, r2, c5, c0, 0: DFSR, not followed
  CHECK_FALSE(m.places[r2].has_value());
  m.places[lr_usr] = 0x8000;
  m.run(lift(0xe1060200));  // mrs r0, lr_usr
  CHECK(m.places[r0] == 0x8000);
  m.run(lift(0xe12ef300));  // msr elr_hyp, r0
  CHECK(m.places[elr_hyp] == 0x8000);
}

TEST_CASE("arm banked registers: the mode is set in straight line above") {
  using namespace arm_arch;
  // As __fiq_svc of 6.1 leaves: msr CPSR_c, #0xd1; add r8, r0, #60; msr SPSR_fsxc, r9; ldm r8, {pc}^; then other code.
  const std::unique_ptr<Image> image =
      object(std::array<std::uint32_t, 6>{0xe280803c, 0xe321f0d1, 0xe280803c, 0xe16ff009, 0xe8d88000, 0xe280803c});
  const Decoder decoder(*image);
  const std::uint64_t start = code_of(*image).address;
  Machine m;
  m.places[r0] = 0x1000;
  m.places[r9_fiq] = 0x10;
  m.store(0x103c, 4, 0x8000);
  m.run(decoder.decode(start));
  CHECK(m.places[r8] == 0x103c);
  m.places[r8] = 8;
  m.run(decoder.decode(start + 8));
  CHECK(m.places[r8_fiq] == 0x103c);
  CHECK(m.places[r8] == 8);
  m.run(decoder.decode(start + 12));
  CHECK(m.places[spsr_fiq] == 0x10);
  const Insn leave = decoder.decode(start + 16);
  m.run(leave);
  CHECK(m.next == 0x8000);
  CHECK(leave.status == spsr_fiq);
  m.run(decoder.decode(start + 20));  // nothing falls through to here
  CHECK(m.places[r8] == 0x103c);
}

TEST_CASE("arm vector stub enters the kernel") {
  using namespace arm_arch;
  // vector_irq of 6.1 without its table: sub, stm, mrs, str, mrs, eor, msr, and, mov, ldr, movs.
  const std::array<std::uint32_t, 11> stub = {0xe24ee004, 0xe88d4001, 0xe14fe000, 0xe58de008, 0xe10f0000, 0xe2200001,
                                              0xe16ff000, 0xe20ee00f, 0xe1a0000d, 0xe79fe10e, 0xe1b0f00e};
  ObjectOptions stubs;
  stubs.section = ".stubs";
  stubs.function = "vector_irq";
  const std::unique_ptr<Image> image = object(stub, stubs);
  const Decoder decoder(*image);
  const std::uint64_t start = code_of(*image).address;
  Machine m;
  m.places[sp] = 0xc0002000;
  m.places[sp_irq] = 0x5000;
  m.places[lr_irq] = 0x8004;
  m.places[spsr_irq] = 0x60000010;
  m.places[r0] = 7;
  m.places[cpsr] = 0x92;
  m.store(start + 44, 4, 0xc0300ec0);  // the table's entry for user mode
  Insn insn;
  for (std::uint64_t i = 0; i < stub.size(); ++i) {
    insn = decoder.decode(start + 4 * i);
    CHECK(m.run(insn));
  }
  CHECK(insn.flow == Flow::exception_return);
  CHECK(insn.returns_by == ReturnsBy::kernel_entry);
  CHECK(m.next == 0xc0300ec0);
  CHECK(m.places[r0] == 0x5000);
  CHECK(m.load(0x5000, 4) == 7);
  CHECK(m.load(0x5004, 4) == 0x8000);
  CHECK(m.load(0x5008, 4) == 0x60000010);
  CHECK(m.places[insn.status] == 0x93);  // SVC mode, interrupts masked
  CHECK(m.places[sp] == 0xc0002000);
}
