// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of LoongArch. Words and expectations as in loongarch_lift.cc.
#include <doctest/doctest.h>

#include "loongarch_machine.h"

using namespace trapline;
using namespace trapline::test;

namespace {

struct Traffic {
  std::uint32_t word;
  InsnClass cls;
  unsigned registers_loaded, bytes_loaded, registers_stored, bytes_stored;
  bool atomic;
};

// a0 after `word` has run with a1 = 0x1000, a2 = 8 and memory around it.
Machine::Value loaded(std::uint32_t word) {
  Machine machine;
  machine.set("a1", 0x1000).set("a2", 8);
  machine.write(0x0ff8, 0xf0e0d0c0b0a09080, 8)
      .write(0x1000, 0x8182838485868788, 8)
      .write(0x1008, 0x9192939495969798, 8);
  return machine.run(lift64(word))["a0"];
}

// Memory at `address` after a0 = 0x1122334455667788 was stored through a1 = 0x1000, a2 = 8.
Machine::Value stored(std::uint32_t word, std::uint64_t address, unsigned width) {
  Machine machine;
  machine.set("a1", 0x1000).set("a2", 8).set("a0", 0x1122334455667788);
  return machine.run(lift64(word)).read(address, width);
}

}  // namespace

TEST_CASE("loongarch loads extend as their names say") {
  CHECK(loaded(0x283ffca4) == 0xfffffffffffffff0);  // ld.b a0, a1, -1
  CHECK(loaded(0x2a3ffca4) == 0xf0);                // ld.bu a0, a1, -1
  CHECK(loaded(0x284008a4) == 0xffffffffffff8586);  // ld.h a0, a1, 2
  CHECK(loaded(0x2a4008a4) == 0x8586);              // ld.hu a0, a1, 2
  CHECK(loaded(0x288010a4) == 0xffffffff81828384);  // ld.w a0, a1, 4
  CHECK(loaded(0x2a8010a4) == 0x81828384);          // ld.wu a0, a1, 4
  CHECK(loaded(0x240004a4) == 0xffffffff81828384);  // ldptr.w a0, a1, 4
  CHECK(loaded(0x380818a4) == 0xffffffff95969798);  // ldx.w a0, a1, a2
  CHECK(loaded(0x380c18a4) == 0x9192939495969798);  // ldx.d a0, a1, a2
  CHECK(Machine().set("t1", 0x1000).write(0x1000, 0x9000000000004000, 8).run(lift64(0x28c001a3))["sp"] ==
        0x9000000000004000);                                                                    // ld.d sp, t1, 0
  CHECK(Machine().set("a1", 0x1000).write(0x1d58, 77, 8).run(lift64(0x260d58b7))["s0"] == 77);  // ldptr.d s0, a1, 3416
}

TEST_CASE("loongarch stores") {
  CHECK(stored(0x290004a4, 0x1001, 1) == 0x88);                                     // st.b a0, a1, 1
  CHECK(stored(0x294008a4, 0x1002, 2) == 0x7788);                                   // st.h a0, a1, 2
  CHECK(stored(0x298010a4, 0x1004, 4) == 0x55667788);                               // st.w a0, a1, 4
  CHECK(stored(0x298010a4, 0x1008, 1) == std::nullopt);                             // and no more than that
  CHECK(stored(0x381c18a4, 0x1008, 8) == 0x1122334455667788);                       // stx.d a0, a1, a2
  CHECK(Machine().set("sp", 0x2000).run(lift64(0x29c00060)).read(0x2000, 8) == 0);  // st.d zero, sp, 0
  CHECK(Machine().set("a0", 0x1000).set("s0", 9).run(lift64(0x270d5897)).read(0x1d58, 8) == 9);  // stptr.d
}

TEST_CASE("loongarch read-modify-write gives rd the old value") {
  Machine machine;
  machine.set("a1", 5).set("a2", 0x1000).write(0x1000, 0xfffffffe, 4);
  machine.run(lift64(0x386114c4));  // amadd.w a0, a1, a2
  CHECK(machine["a0"] == 0xfffffffffffffffe);
  CHECK(machine.read(0x1000, 4) == 3);
  machine.write(0x1000, 7, 8).run(lift64(0x386994c4));  // amswap_db.d a0, a1, a2
  CHECK(machine["a0"] == 7);
  CHECK(machine.read(0x1000, 8) == 5);
  machine.write(0x1000, 8, 8).run(lift64(0x386394c0));  // amor.d zero, a1, a2
  CHECK(machine["a0"] == 7);
  CHECK(machine.read(0x1000, 8) == 13);
}

TEST_CASE("loongarch what a store leaves unknown") {
  // sc.d t0, t1, 8: whether it happened is known at run time only, and t0 tells.
  Machine machine;
  machine.set("t0", 1).set("t1", 0x1000).write(0x1008, 7, 8).run(lift64(0x230009ac));
  CHECK(machine.read(0x1008, 8) == std::nullopt);
  CHECK(machine.was_clobbered("t0"));
  // ammax.wu and amcas_db.b: the old value is known, the new one is not.
  Machine max;
  max.set("a1", 5).set("a2", 0x1000).write(0x1000, 9, 4).run(lift64(0x386714c4));
  CHECK(max["a0"] == 9);
  CHECK(max.read(0x1000, 4) == std::nullopt);
  // Vector registers are not followed: xvst xr0, sp, 32 makes 32 bytes unknown.
  Machine vector;
  vector.set("sp", 0x1000).write(0x1018, 1, 8).write(0x1040, 2, 8);
  for (std::uint64_t at = 0x1020; at < 0x1040; at += 8) vector.write(at, 3, 8);
  vector.run(lift64(0x2cc08060));
  CHECK(vector.read(0x1018, 8) == 1);
  for (std::uint64_t at = 0x1020; at < 0x1040; at += 8) CHECK(vector.read(at, 8) == std::nullopt);
  CHECK(vector.read(0x1040, 8) == 2);
  // vstelm.h vr1, a0, -4, 3 writes the two bytes below.
  Machine element;
  element.set("a0", 0x1000).write(0x0ff8, 0, 8).run(lift64(0x314ff881));
  CHECK(element.read(0x0ff8, 4) == 0);
  CHECK(element.read(0x0ffc, 2) == std::nullopt);
  CHECK(element.read(0x0ffe, 2) == 0);
}

TEST_CASE("loongarch memory traffic") {
  using enum InsnClass;
  for (const Traffic& t : std::initializer_list<Traffic>{
           {0x28c48064, load, 1, 8, 0, 0, false},       // ld.d a0, sp, 288
           {0x283ffca4, load, 1, 1, 0, 0, false},       // ld.b
           {0x380818a4, load, 1, 4, 0, 0, false},       // ldx.w
           {0x387998a4, load, 1, 8, 0, 0, false},       // ldgt.d a0, a1, a2
           {0x29c00060, store, 0, 0, 1, 8, false},      // st.d zero, sp, 0
           {0x387f18a4, store, 0, 0, 1, 4, false},      // stle.w a0, a1, a2
           {0x220009ac, load, 1, 8, 0, 0, true},        // ll.d
           {0x200001ac, load, 1, 4, 0, 0, true},        // ll.w
           {0x385780a4, load, 1, 4, 0, 0, true},        // llacq.w
           {0x230009ac, store, 0, 0, 1, 8, true},       // sc.d
           {0x38578ca4, store, 0, 0, 1, 8, true},       // screl.d
           {0x385714c4, store, 0, 0, 2, 16, true},      // sc.q: two registers
           {0x386114c4, load_store, 1, 4, 1, 4, true},  // amadd.w
           {0x386994c4, load_store, 1, 8, 1, 8, true},  // amswap_db.d
           {0x386394c0, load_store, 1, 8, 1, 8, true},  // amor.d zero, a1, a2
           {0x385a14c4, load_store, 1, 1, 1, 1, true},  // amcas_db.b
           {0x2b8020a0, load, 1, 8, 0, 0, false},       // fld.d
           {0x2b4020a0, store, 0, 0, 1, 4, false},      // fst.s
           {0x2c0040a0, load, 1, 16, 0, 0, false},      // vld
           {0x2cc08060, store, 0, 0, 1, 32, false},     // xvst
           {0x3017fc81, load, 1, 8, 0, 0, false},       // vldrepl.d vr1, a0, -8
           {0x314ff881, store, 0, 0, 1, 2, false},      // vstelm.h
           {0x06400d8c, load, 1, 8, 0, 0, false},       // lddir t0, t0, 3: reads a page table
           {0x06440180, load, 1, 8, 0, 0, false},       // ldpte t0, 0
           {0x2ac00080, other, 0, 0, 0, 0, false},      // preld
           {0x06000080, system, 0, 0, 0, 0, false},     // cacop
           {0x38720700, barrier, 0, 0, 0, 0, false},    // dbar 0x700
           {0x0649b425, system, 0, 0, 0, 0, false},     // invtlb
       }) {
    CAPTURE(t.word);
    const Insn insn = lift64(t.word);
    CHECK(insn.flow == Flow::next);
    CHECK(static_cast<int>(insn.cls) == static_cast<int>(t.cls));
    CHECK(insn.memory.loads == (t.bytes_loaded != 0));
    CHECK(insn.memory.stores == (t.bytes_stored != 0));
    CHECK(insn.memory.atomic == t.atomic);
    CHECK(insn.memory.registers_loaded == t.registers_loaded);
    CHECK(insn.memory.bytes_loaded == t.bytes_loaded);
    CHECK(insn.memory.registers_stored == t.registers_stored);
    CHECK(insn.memory.bytes_stored == t.bytes_stored);
  }
}

TEST_CASE("loongarch vldrepl counts its offset in elements") {
  // vldrepl.d, .w, .h, .b vr1, a0, -2048: the smallest offset each has.
  for (const std::uint32_t word : {0x30140081u, 0x30280081u, 0x30500081u, 0x30a00081u}) {
    CAPTURE(word);
    const Insn insn = lift64(word);
    REQUIRE(insn.ops.size() == 2);
    CHECK(insn.ops[0].op == Op::add);
    CHECK(insn.ops[0].b.imm == static_cast<std::uint64_t>(-2048));
    CHECK(insn.ops[1].op == Op::load);
  }
}

TEST_CASE("loongarch page-table walk") {
  CHECK(Machine().set("t0", 1).run(lift64(0x06400d8c)).was_clobbered("t0"));  // lddir t0, t0, 3
  Machine even;
  even.set("t0", 1).set("TLBRELO0", 2).set("TLBRELO1", 3).run(lift64(0x06440180));  // ldpte t0, 0
  CHECK(even["t0"] == 1);
  CHECK(even.was_clobbered("TLBRELO0"));
  CHECK(even["TLBRELO1"] == 3);
  CHECK(Machine().set("TLBRELO1", 3).run(lift64(0x06440580)).was_clobbered("TLBRELO1"));  // ldpte t0, 1
}
