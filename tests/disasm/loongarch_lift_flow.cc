// SPDX-License-Identifier: Apache-2.0
//
// Control flow and privileged instructions of LoongArch. Words and expectations as in loongarch_lift.cc.
#include <doctest/doctest.h>

#include "loongarch_machine.h"

using namespace trapline;
using namespace trapline::test;

namespace {

struct Branch {
  std::uint32_t word;
  Rel rel;
  std::string_view a, b;  // b empty: compared with 0
  std::int64_t offset;
};

}  // namespace

TEST_CASE("loongarch conditional branches") {
  for (const Branch& t : std::initializer_list<Branch>{
           {0x58006dae, Rel::eq, "t1", "t2", 108},
           {0x5ffff98d, Rel::ne, "t0", "t1", -8},
           {0x60007980, Rel::lt, "t0", "", 120},  // blt t0, zero
           {0x64000885, Rel::ge, "a0", "a1", 8},
           {0x68000885, Rel::ltu, "a0", "a1", 8},
           {0x400025a0, Rel::eq, "t1", "", 36},    // beqz
           {0x47ff283f, Rel::ne, "ra", "", -216},  // bnez
           {0x48000820, Rel::eq, "fcc1", "", 8},   // bceqz
           {0x480009e0, Rel::ne, "fcc7", "", 8},   // bcnez
       }) {
    CAPTURE(t.word);
    const Insn insn = lift64(t.word);
    CHECK(insn.flow == Flow::jump);
    CHECK(insn.cls == InsnClass::branch);
    CHECK(insn.target == text_address + static_cast<std::uint64_t>(t.offset));
    CHECK(insn.ops.empty());
    REQUIRE(insn.when);
    CHECK_FALSE(insn.when->guards_effects);
    CHECK(insn.when->flags == no_place);
    CHECK(insn.when->width == 8);
    CHECK(insn.when->rel == t.rel);
    CHECK(insn.when->a.kind == Operand::Kind::place);
    CHECK(insn.when->a.index == place(t.a));
    if (t.b.empty()) {
      CHECK(insn.when->b.kind == Operand::Kind::imm);
      CHECK(insn.when->b.imm == 0);
    } else {
      CHECK(insn.when->b.kind == Operand::Kind::place);
      CHECK(insn.when->b.index == place(t.b));
    }
  }
  // bgeu zero, a1, 8: the constant stands on the left.
  const Insn bgeu = lift64(0x6c000805);
  REQUIRE(bgeu.when);
  CHECK(bgeu.when->rel == Rel::geu);
  CHECK(bgeu.when->a.kind == Operand::Kind::imm);
  CHECK(bgeu.when->b.index == place("a1"));
  // beq a0, a0, 8 always jumps.
  const Insn always = lift64(0x58000884);
  CHECK(always.flow == Flow::jump);
  CHECK_FALSE(always.when);
}

TEST_CASE("loongarch direct jumps and calls") {
  const Insn jump = lift64(0x50001000);  // b 16
  CHECK(jump.flow == Flow::jump);
  CHECK(jump.cls == InsnClass::branch);
  CHECK(jump.target == text_address + 16);
  CHECK_FALSE(jump.when);
  CHECK_FALSE(jump.sets_link);
  const Insn halt = lift64(0x50000000);  // b 0
  CHECK(halt.flow == Flow::halt);
  const Insn call = lift64(0x57fffbff);  // bl -8
  CHECK(call.flow == Flow::call);
  CHECK(call.cls == InsnClass::call);
  CHECK(call.sets_link);
  CHECK(call.target == text_address - 8);
  CHECK(Machine().run(call)["ra"] == text_address + 4);
}

TEST_CASE("loongarch jirl is a call, a return and a jump") {
  const Insn ret = lift64(0x4c000020);  // jirl zero, ra, 0
  CHECK(ret.flow == Flow::ret);
  CHECK(ret.cls == InsnClass::ret);
  CHECK(ret.jump_to.kind == Operand::Kind::place);
  CHECK(ret.jump_to.index == place("ra"));
  CHECK(ret.ops.empty());

  const Insn jump = lift64(0x4c000180);  // jirl zero, t0, 0
  CHECK(jump.flow == Flow::indirect_jump);
  CHECK(jump.cls == InsnClass::branch);
  CHECK(jump.jump_to.index == place("t0"));
  CHECK_FALSE(jump.sets_link);

  const Insn past = lift64(0x4c000820);  // jirl zero, ra, 8: no return, it skips two instructions
  CHECK(past.flow == Flow::indirect_jump);
  Machine machine;
  machine.set("ra", 0x1000).run(past);
  CHECK(machine.value(past.jump_to) == 0x1008);

  const Insn call = lift64(0x4c000181);  // jirl ra, t0, 0
  CHECK(call.flow == Flow::indirect_call);
  CHECK(call.cls == InsnClass::call);
  CHECK(call.sets_link);
  machine.set("t0", 0x2000).run(call);
  CHECK(machine.value(call.jump_to) == 0x2000);
  CHECK(machine["ra"] == text_address + 4);

  const Insn through_ra = lift64(0x4ffff021);  // jirl ra, ra, -16: the target is the old ra
  machine.set("ra", 0x3000).run(through_ra);
  CHECK(machine.value(through_ra.jump_to) == 0x2ff0);
  CHECK(machine["ra"] == text_address + 4);

  const Insn other_link = lift64(0x4c0001ac);  // jirl t0, t1, 0
  CHECK(other_link.flow == Flow::indirect_call);
  CHECK_FALSE(other_link.sets_link);
  CHECK(machine.run(other_link)["t0"] == text_address + 4);
}

TEST_CASE("loongarch exception return, traps, system call") {
  const Insn ertn = lift64(0x06483800);
  CHECK(ertn.flow == Flow::exception_return);
  CHECK(ertn.cls == InsnClass::ret);
  CHECK(ertn.returns_by == ReturnsBy::status);
  CHECK(ertn.status == place("PRMD"));
  CHECK_FALSE(ertn.system);

  CHECK(lift64(0x002b0000).flow == Flow::syscall);  // syscall 0
  CHECK(lift64(0x002a0000).flow == Flow::trap);     // break 0
  CHECK(lift64(0x002a0001).flow == Flow::trap);     // break 1, BUG: there is no table that says otherwise
  CHECK(lift64(0x002a0002).flow == Flow::next);     // break 2: the kernel debugger goes on
  CHECK(lift64(0x002a0007).flow == Flow::trap);     // break 7: division by zero
  CHECK(lift64(0x38600400).flow == Flow::trap);     // ud 0
  CHECK(lift64(0x06488000).flow == Flow::next);     // idle 0
  CHECK(lift64(0x00000000).flow == Flow::unknown);  // reserved
  CHECK(lift64(0x00000000).cls == InsnClass::unknown);
  CHECK(lift64(0x00000000).size == 4);
}

TEST_CASE("loongarch csrrd, csrwr, csrxchg are one opcode") {
  Machine machine;
  machine.set("PERCPU_BASE", 0x900000001000).run(lift64(0x0400cc0c));  // csrrd t0, 51
  CHECK(machine["t0"] == 0x900000001000);
  CHECK(machine["PERCPU_BASE"] == 0x900000001000);

  machine.set("t0", 5).set("KS0", 6).run(lift64(0x0400c02c));  // csrwr t0, 48: swaps
  CHECK(machine["KS0"] == 5);
  CHECK(machine["t0"] == 6);

  // csrxchg t1, t0, 16: the bits of t1 under the mask t0 go to TLBIDX, the old content comes back whole.
  machine.set("TLBIDX", 0xff00ff00).set("t0", 0x3f000000).set("t1", 0xffffffff0c000001).run(lift64(0x0400418d));
  CHECK(machine["TLBIDX"] == 0xcc00ff00);
  CHECK(machine["t1"] == 0xff00ff00);
  CHECK(machine["t0"] == 0x3f000000);

  machine.set("CRMD", 0xb4).set("t0", 4).run(lift64(0x04000180));  // csrxchg zero, t0, 0: clears IE
  CHECK(machine["CRMD"] == 0xb0);
  CHECK(machine["t0"] == 4);
  machine.run(lift64(0x0400018c));  // csrxchg t0, t0, 0: sets IE, as local_irq_enable does
  CHECK(machine["CRMD"] == 0xb4);
  CHECK(machine["t0"] == 0xb0);
  machine.run(lift64(0x04000020));  // csrwr zero, 0
  CHECK(machine["CRMD"] == 0);

  machine.set("a0", 1).run(lift64(0x04140004));  // csrrd a0, 0x500: a register that is not followed
  CHECK(machine.was_clobbered("a0"));
}

// Numbers from arch/loongarch/include/asm/loongarch.h.
TEST_CASE("loongarch control and status registers have their names") {
  const std::pair<unsigned, std::string_view> names[] = {
      {0, "CRMD"},  {1, "PRMD"},    {2, "EUEN"},      {4, "ECFG"},       {5, "ESTAT"},      {6, "ERA"},
      {7, "BADV"},  {12, "EENTRY"}, {16, "TLBIDX"},   {17, "TLBEHI"},    {18, "TLBELO0"},   {19, "TLBELO1"},
      {24, "ASID"}, {25, "PGDL"},   {26, "PGDH"},     {27, "PGD"},       {32, "CPUID"},     {48, "KS0"},
      {50, "KS2"},  {96, "LLBCTL"}, {138, "TLBRERA"}, {139, "TLBRSAVE"}, {143, "TLBRPRMD"}, {0x181, "DMW1"}};
  for (const auto& [number, name] : names) {
    CAPTURE(number);
    Machine machine;
    machine.set(name, 0x1000 + number).run(lift64(0x04000000 | number << 10 | 4));  // csrrd a0, number
    CHECK(machine["a0"] == 0x1000 + number);
  }
}

TEST_CASE("loongarch only a write to CRMD may enable interrupts") {
  CHECK(lift64(0x0400018c).irq_on);        // csrxchg t0, t0, 0
  CHECK(lift64(0x0400002c).irq_on);        // csrwr t0, 0
  CHECK_FALSE(lift64(0x04000180).irq_on);  // csrxchg zero, t0, 0
  CHECK_FALSE(lift64(0x04000020).irq_on);  // csrwr zero, 0
  CHECK_FALSE(lift64(0x0400c02c).irq_on);  // csrwr t0, 48
  CHECK_FALSE(lift64(0x0400000c).irq_on);  // csrrd t0, 0
}

TEST_CASE("loongarch privileged instructions are system, fences are barriers") {
  for (const std::uint32_t word :
       {0x0400cc0cu /* csrrd */, 0x0400c02cu /* csrwr */, 0x0400418du /* csrxchg */, 0x06480ca4u /* iocsrrd.d */,
        0x064818a4u /* iocsrwr.w */, 0x06482800u /* tlbsrch */, 0x06482c00u /* tlbrd */, 0x06483000u /* tlbwr */,
        0x06488000u /* idle */, 0x002a0001u /* break */, 0x002b0000u /* syscall */}) {
    CAPTURE(word);
    const Insn insn = lift64(word);
    CHECK(insn.cls == InsnClass::system);
    CHECK(insn.system);
    CHECK_FALSE(insn.barrier);
  }
  for (const std::uint32_t word : {0x38720700u /* dbar */, 0x38728000u /* ibar */}) {
    const Insn insn = lift64(word);
    CHECK(insn.cls == InsnClass::barrier);
    CHECK(insn.barrier);
    CHECK_FALSE(insn.system);
  }
  CHECK(lift64(0x000068a4).cls == InsnClass::other);                                    // rdtime.d: user programs may
  CHECK(lift64(0x00006ca4).cls == InsnClass::other);                                    // cpucfg
  CHECK(Machine().set("TLBIDX", 1).run(lift64(0x06482800)).was_clobbered("TLBIDX"));    // tlbsrch
  CHECK(Machine().set("TLBELO1", 1).run(lift64(0x06482c00)).was_clobbered("TLBELO1"));  // tlbrd
}

TEST_CASE("loongarch floating-point conditions") {
  Machine machine;
  machine.set("a0", 3).run(lift64(0x0114d883));  // movgr2cf fcc3, a0: bit 0
  CHECK(machine["fcc3"] == 1);
  machine.set("a0", 0).run(lift64(0x0114dc64));  // movcf2gr a0, fcc3
  CHECK(machine["a0"] == 1);
  CHECK(Machine().set("fcc2", 1).run(lift64(0x0c120402)).was_clobbered("fcc2"));  // fcmp.ceq.s fcc2, fa0, fa1
}
