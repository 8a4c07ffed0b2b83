// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of PowerPC. Words come from
//   llvm-mc-22 -triple=powerpc64 -mcpu=pwr10 -show-encoding
// (lwat, which it does not assemble, from the drawing of the manual), expectations from Power ISA 3.1 Book I
// chapters 3, 4, 6 and 7 and Book II chapters 3 and 4.
#include <doctest/doctest.h>

#include "powerpc_support.h"

using namespace trapline;
using namespace trapline::ppc_test;

namespace {

constexpr std::uint64_t at = 0xc000000001000000;

// r3 after a load at or near `at`, where the bytes 80 81 82 ... 8f lie.
Machine machine(Kind kind = Kind::be64) {
  Machine m(kind);
  for (unsigned i = 0; i < 32; ++i) m.write(at + i, 0x80 + i, 1);
  m.set("r4", at).set("r5", 8).set("r1", at);
  return m;
}

Machine::Value loaded(std::vector<std::uint32_t> words, Kind kind = Kind::be64) {
  return machine(kind).run(lift(kind, words))["r3"];
}

struct Traffic {
  std::vector<std::uint32_t> words;
  unsigned loads, registers_loaded, bytes_loaded, stores, registers_stored, bytes_stored;
  bool atomic = false;
};

}  // namespace

TEST_CASE("powerpc loads") {
  CHECK(loaded({0xa0640008}) == 0x8889);                          // lhz 3,8(4)
  CHECK(loaded({0xa8640008}) == 0xffffffffffff8889);              // lha 3,8(4)
  CHECK(loaded({0x80640004}) == 0x84858687);                      // lwz 3,4(4)
  CHECK(loaded({0xe864000a}) == 0xffffffff88898a8b);              // lwa 3,8(4)
  CHECK(loaded({0xe8610010}) == 0x9091929394959697);              // ld 3,16(1)
  CHECK(loaded({0x7c6428ae}) == 0x88);                            // lbzx 3,4,5
  CHECK(loaded({0x7c642aaa}) == 0xffffffff88898a8b);              // lwax 3,4,5
  CHECK(loaded({0xe8610010}, Kind::le64) == 0x9796959493929190);  // ld on little-endian
  CHECK_FALSE(loaded({0x7c642c2c}));                              // lwbrx: bytes swapped, not followed
  CHECK(Machine(Kind::be64).set("r0", at).write(16, 7, 4).run(lift(Kind::be64, {0x80600010}))["r3"] ==
        7);  // lwz 3,16(0)
  // ldx 3,0,5: r0 is not read.
  CHECK(Machine(Kind::be64).set("r5", at).write(at, 7, 8).run(lift(Kind::be64, {0x7c60282a}))["r3"] == 7);
}

TEST_CASE("powerpc stores") {
  CHECK(machine().set("r3", 0x1122334455667788).run(lift(Kind::be64, {0xf8610010})).read(at + 16, 8) ==
        0x1122334455667788);  // std 3,16(1)
  CHECK(machine().set("r3", 0x1122334455667788).run(lift(Kind::be64, {0x90640004})).read(at, 8) ==
        0x8081828355667788);  // stw 3,4(4)
  CHECK(machine().set("r3", 0x1122334455667788).run(lift(Kind::be64, {0x98640001})).read(at, 2) ==
        0x8088);                                                                            // stb 3,1(4)
  CHECK(machine().set("r3", 7).run(lift(Kind::be64, {0x7c64292a})).read(at + 8, 8) == 7);   // stdx 3,4,5
  CHECK_FALSE(machine().set("r3", 7).run(lift(Kind::be64, {0x7c642d28})).read(at + 8, 8));  // stdbrx 3,4,5
}

TEST_CASE("powerpc update forms") {
  Machine m = machine();
  m.run(lift(Kind::be64, {0xe8640009}));  // ldu 3,8(4)
  CHECK(m["r3"] == 0x88898a8b8c8d8e8f);
  CHECK(m["r4"] == at + 8);
  m.run(lift(Kind::be64, {0xf821fe11}));  // stdu 1,-496(1): stores the old stack pointer
  CHECK(m["r1"] == at - 496);
  CHECK(m.read(at - 496, 8) == at);
  Machine x = machine();
  x.run(lift(Kind::be64, {0x7c64286a}));  // ldux 3,4,5
  CHECK(x["r4"] == at + 8);
  Machine w(Kind::be32);
  w.set("r1", 0xc1000000).run(lift(Kind::be32, {0x9421fff0}));  // stwu 1,-16(1)
  CHECK(w["r1"] == 0xc0fffff0);
  CHECK(w.read(0xc0fffff0, 4) == 0xc1000000);
}

TEST_CASE("powerpc multiple and string instructions") {
  Machine m = machine();
  m.run(lift(Kind::be64, {0xbba10008}));  // lmw 29,8(1)
  CHECK(m["r29"] == 0x88898a8b);
  CHECK(m["r31"] == 0x90919293);
  m.set("r29", 1).set("r30", 2).set("r31", 3).run(lift(Kind::be64, {0xbfa10008}));  // stmw 29,8(1)
  CHECK(m.read(at + 8, 8) == 0x0000000100000002);
  CHECK(m.read(at + 16, 4) == 3);
  Machine s = machine();
  s.set("r31", 1).run(lift(Kind::be64, {0x7fa454aa}));  // lswi 29,4,10: two words and two bytes
  CHECK(s["r29"] == 0x80818283);
  CHECK(s["r30"] == 0x84858687);
  CHECK(s.was_clobbered("r31"));
}

TEST_CASE("powerpc traffic of loads and stores") {
  for (const Traffic& t : std::initializer_list<Traffic>{
           {{0x886d0933}, 1, 1, 1, 0, 0, 0},               // lbz
           {{0xe8610010}, 1, 1, 8, 0, 0, 0},               // ld
           {{0xf8610070}, 0, 0, 0, 1, 1, 8},               // std
           {{0xf821fe11}, 0, 0, 0, 1, 1, 8},               // stdu
           {{0xbba10008}, 1, 3, 12, 0, 0, 0},              // lmw 29
           {{0xbfa10008}, 0, 0, 0, 1, 3, 12},              // stmw 29
           {{0x7fa454aa}, 1, 3, 10, 0, 0, 0},              // lswi 10 bytes
           {{0x7fa445aa}, 0, 0, 0, 1, 2, 8},               // stswi 8 bytes
           {{0x7c602028}, 1, 1, 4, 0, 0, 0, true},         // lwarx
           {{0x7c6020a8}, 1, 1, 8, 0, 0, 0, true},         // ldarx
           {{0x7c60212d}, 0, 0, 0, 1, 1, 4, true},         // stwcx.
           {{0x7c0009ad}, 0, 0, 0, 1, 1, 8, true},         // stdcx.
           {{0x7c64048c}, 1, 1, 4, 1, 1, 4, true},         // lwat 3,4,0
           {{0x7c6405cc}, 1, 1, 8, 1, 1, 8, true},         // stdat 3,4,0
           {{0xe0830010}, 1, 2, 16, 0, 0, 0},              // lq
           {{0xf8830012}, 0, 0, 0, 1, 2, 16},              // stq
           {{0xc8230008}, 1, 1, 8, 0, 0, 0},               // lfd
           {{0xc4230008}, 1, 1, 4, 0, 0, 0},               // lfsu
           {{0x7c2325ae}, 0, 0, 0, 1, 1, 8},               // stfdx
           {{0x7c2018ce}, 1, 1, 16, 0, 0, 0},              // lvx
           {{0x7c2419ce}, 0, 0, 0, 1, 1, 16},              // stvx
           {{0x7c24198e}, 0, 0, 0, 1, 1, 4},               // stvewx
           {{0x7c032698}, 1, 1, 16, 0, 0, 0},              // lxvd2x
           {{0x7c032798}, 0, 0, 0, 1, 1, 16},              // stxvd2x
           {{0xf4030011}, 1, 1, 16, 0, 0, 0},              // lxv
           {{0xf4030015}, 0, 0, 0, 1, 1, 16},              // stxv
           {{0x18430020}, 1, 2, 32, 0, 0, 0},              // lxvp
           {{0xf443000a}, 0, 0, 0, 1, 1, 8},               // stxsd
           {{0x7c001fec}, 0, 0, 0, 1, 0, 128},             // dcbz
           {{0x7c642e2a}, 1, 1, 4, 0, 0, 0},               // lwzcix
           {{0x7c642fea}, 0, 0, 0, 1, 1, 8},               // stdcix
           {{0x04000001, 0xe46486a0}, 1, 1, 8, 0, 0, 0},   // pld 3,100000(4),0
           {{0x04000000, 0xc8030010}, 1, 1, 16, 0, 0, 0},  // plxv 0,16(3),0
       }) {
    CAPTURE(t.words[0]);
    const Insn insn = lift(Kind::be64, t.words);
    const MemoryTraffic& m = insn.memory;
    CHECK(insn.size == 4 * t.words.size());
    CHECK(insn.flow == Flow::next);
    CHECK(unsigned{m.loads} == t.loads);
    CHECK(m.registers_loaded == t.registers_loaded);
    CHECK(m.bytes_loaded == t.bytes_loaded);
    CHECK(unsigned{m.stores} == t.stores);
    CHECK(m.registers_stored == t.registers_stored);
    CHECK(m.bytes_stored == t.bytes_stored);
    CHECK(m.atomic == t.atomic);
    CHECK(insn.cls == (t.loads && t.stores ? InsnClass::load_store : t.loads ? InsnClass::load : InsnClass::store));
  }
}

TEST_CASE("powerpc store conditional: cr0 and the memory are not known afterwards") {
  Machine m = machine();
  m.set("r0", 5).set("cr0", 1).run(lift(Kind::be64, {0x7c0009ad}));  // stdcx. 0,0,1
  CHECK(m.was_clobbered("cr0"));
  CHECK_FALSE(m.read(at, 8));
  CHECK(m.read(at + 8, 8) == 0x88898a8b8c8d8e8f);
}

TEST_CASE("powerpc vector and block stores reach the memory they name") {
  Machine m = machine();
  m.set("r3", at + 5);
  CHECK(m.read(at + 4, 4) == 0x84858687);
  m.run(lift(Kind::be64, {0x7c2019ce}));  // stvx 1,0,3: the low four bits of the address are ignored
  CHECK_FALSE(m.read(at, 1));
  CHECK_FALSE(m.read(at + 15, 1));
  CHECK(m.read(at + 16, 1) == 0x90);
  Machine z = machine();
  z.set("r3", at + 100).run(lift(Kind::be64, {0x7c001fec}));  // dcbz 0,3: 128 bytes on every 64-bit Book3S machine
  CHECK(z.read(at, 8) == 0);
  CHECK(z.read(at + 120, 8) == 0);
}

TEST_CASE("powerpc prefixed instructions") {
  Machine m = machine();
  m.set("r4", at - 100000).run(lift(Kind::be64, {0x04000001, 0xe46486a0}));  // pld 3,100000(4),0
  CHECK(m["r3"] == 0x8081828384858687);
  m.set("r3", 9).run(lift(Kind::be64, {0x0403ffff, 0xf461fff8}));  // pstd 3,-8(1),0
  CHECK(m.read(at - 8, 8) == 9);
  Machine p(Kind::be64);
  p.write(text_address(Kind::be64) + 8, 0x1234, 4).run(lift(Kind::be64, {0x06100000, 0x80600008}));  // plwz 3,8(0),1
  CHECK(p["r3"] == 0x1234);
  p.set("r4", 1).run(lift(Kind::be64, {0x0600000f, 0x38644240}));  // paddi 3,4,1000000,0
  CHECK(p["r3"] == 1000001);
  // The suffix comes second in both byte orders.
  Machine little(Kind::le64);
  little.set("r4", 1).run(lift(Kind::le64, {0x0600000f, 0x38644240}));
  CHECK(little["r3"] == 1000001);
}

TEST_CASE("powerpc cache instructions read and write nothing") {
  for (const std::uint32_t word : {0x7c001a2cu, 0x7c0018acu, 0x7c001facu}) {  // dcbt dcbf icbi
    CAPTURE(word);
    const Insn insn = lift(Kind::be64, {word});
    CHECK(insn.flow == Flow::next);
    CHECK(insn.cls == InsnClass::other);
    CHECK_FALSE(insn.memory.loads);
    CHECK_FALSE(insn.memory.stores);
  }
}
