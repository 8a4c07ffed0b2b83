// SPDX-License-Identifier: Apache-2.0
//
// The second decoder. Words come from llvm-mc-22 -show-encoding (scv, rfscv, tlbiel, slbia and msg* from the drawings
// of Power ISA 3.1); what they do is read in Power ISA 3.1, Book I chapter 2 and Book III chapter 4, and in ARM DDI
// 0406C, A8.8 and B9.3.
#include "disasm/decode/cross_check.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "arm_support.h"
#include "disasm/arch/arch.h"
#include "disasm/arch/arm/second_decoder.h"
#include "disasm/arch/loongarch/loongarch.h"
#include "disasm/arch/powerpc/second_decoder.h"
#include "disasm/decode/capstone.h"
#include "image_samples.h"
#include "powerpc_support.h"

using namespace trapline;

namespace {

using ppc_test::Kind;

CrossReport check_all(const Image& image) {
  const Decoder decoder(image);
  return cross_check(image, decoder, code_ranges(image));
}

// The class of the only difference in an image; "agree" when there is none, "?" for one that is not explained.
std::string only_class(const Image& image) {
  const CrossReport report = check_all(image);
  CHECK(report.asked);
  CHECK(report.agreed + report.differences.size() == report.instructions);
  CHECK(report.differences.size() <= 1);
  if (report.differences.empty()) return "agree";
  const ExplainedClass* const explained = report.differences.front().explained;
  return explained == nullptr ? "?" : std::string(explained->name);
}

std::string ppc_class(Kind kind, const std::vector<std::uint32_t>& words, const ppc_test::ImageParts& parts = {}) {
  return only_class(*ppc_test::image(kind, words, parts));
}

std::string arm_class(std::vector<std::uint32_t> units, bool thumb) {
  if (thumb && units.size() % 2 != 0) units.push_back(0xbf00);  // nop: sections end on a word
  arm_test::ObjectOptions options;
  options.thumb = thumb;
  return only_class(*arm_test::object(units, options));
}

// What Capstone alone says of one instruction, its bytes given as words of `width` bytes.
InsnView theirs(const CapstoneSpec& spec, const std::vector<std::uint32_t>& words, unsigned width, bool big,
                std::uint64_t address) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < width; ++i)
      bytes.push_back(static_cast<std::uint8_t>(word >> 8 * (big ? width - 1 - i : i)));
  Capstone capstone(spec);
  const cs_insn* const insn = capstone.decode(bytes, address);
  if (insn == nullptr) return {};
  InsnView view = spec.view(*insn);
  view.size = static_cast<std::uint8_t>(insn->size);
  return view;
}

// "call 0x1008", "conditional jump 0x10", "next"
std::string words_of(const InsnView& view) {
  if (view.size == 0) return "undecoded";
  std::string text = view.conditional && view.flow != FlowKind::next ? "conditional " : "";
  text += flow_kind_name(view.flow);
  if (view.target) text += fmt::format(" {:#x}", *view.target);
  return text;
}

std::set<std::string_view> names_of(std::span<const ExplainedClass> rows) {
  std::set<std::string_view> names;
  for (const ExplainedClass& row : rows) names.insert(row.name);
  CHECK(names.size() == rows.size());
  return names;
}

}  // namespace

TEST_CASE("cross_check: what counts as a difference, the first that applies") {
  using enum DifferenceKind;
  const InsnView jump{4, FlowKind::jump, false, 0x1000};
  const auto with = [&](auto change) {
    InsnView other = jump;
    change(other);
    return compare(jump, other, true);
  };
  CHECK_FALSE(compare(jump, jump, true));
  CHECK_FALSE(compare({}, {}, true));
  CHECK(compare({}, jump, true) == undecoded_here);
  CHECK(compare(jump, {}, true) == undecoded_there);
  CHECK(with([](InsnView& v) { v.size = 2, v.flow = FlowKind::call; }) == size);
  CHECK(with([](InsnView& v) { v.flow = FlowKind::call, v.target = 0; }) == flow);
  CHECK(with([](InsnView& v) { v.conditional = true; }) == flow);
  CHECK(with([](InsnView& v) { v.target = 0x1004; }) == target);
  CHECK(with([](InsnView& v) { v.target.reset(); }) == target);
  InsnView elsewhere = jump;
  elsewhere.target = 0x1004;
  CHECK_FALSE(compare(jump, elsewhere, false));  // the linker has still to fill it in
}

TEST_CASE("cross_check: Capstone's view of PowerPC, each form of each branch") {
  struct Case {
    std::uint32_t word;
    std::string_view view;
  };
  const CapstoneSpec& spec = ppc::capstone_spec(true, false);
  for (const Case& t : std::initializer_list<Case>{
           {0x48000008, "jump 0x1008"},                // b .+8
           {0x48000102, "jump 0x100"},                 // ba 0x100
           {0x48000009, "call 0x1008"},                // bl .+8
           {0x48000103, "call 0x100"},                 // bla 0x100
           {0x41820008, "conditional jump 0x1008"},    // beq .+8
           {0x409e0008, "conditional jump 0x1008"},    // bne cr7, .+8
           {0x42000008, "conditional jump 0x1008"},    // bdnz .+8
           {0x42400008, "conditional jump 0x1008"},    // bdz .+8
           {0x41020008, "conditional jump 0x1008"},    // bdnzt eq, .+8
           {0x41820009, "conditional call 0x1008"},    // beql .+8
           {0x4e800020, "return"},                     // blr
           {0x4d820020, "conditional return"},         // beqlr
           {0x4e000020, "conditional return"},         // bdnzlr
           {0x4e800021, "indirect-call"},              // blrl
           {0x4e800420, "indirect-jump"},              // bctr
           {0x4d820420, "conditional indirect-jump"},  // beqctr
           {0x4e800421, "indirect-call"},              // bctrl
           {0x4c000024, "exception-return"},           // rfid
           {0x4c000064, "exception-return"},           // rfi
           {0x44000002, "syscall"},                    // sc
           {0x44000022, "syscall"},                    // sc 1
           {0x7fe00008, "trap"},                       // trap
           {0x0fe00000, "trap"},                       // twui r0, 0
           {0x0fe3ffff, "trap"},                       // twui r3, -1
           {0x0ce30005, "trap"},                       // twi 7, r3, 5: less, greater or equal, unsigned
           {0x7f832008, "trap"},                       // tw 28, r3, r4: less, greater or equal, signed
           {0x0b030000, "next"},                       // tdnei r3, 0 traps on a condition
           {0x60000000, "next"},                       // nop
           {0xe8610070, "next"},                       // ld r3, 112(r1)
       }) {
    CAPTURE(fmt::format("{:08x}", t.word));
    CHECK(words_of(theirs(spec, {t.word}, 4, true, 0x1000)) == t.view);
  }
  // The other byte order, and 32 bits.
  CHECK(words_of(theirs(ppc::capstone_spec(true, true), {0x48000008}, 4, false, 0x1000)) == "jump 0x1008");
  CHECK(words_of(theirs(ppc::capstone_spec(false, false), {0x4c000066}, 4, true, 0x1000)) ==
        "exception-return");  // rfci
}

TEST_CASE("cross_check: Capstone's view of ARM") {
  struct Case {
    std::uint32_t word;
    std::string_view view;
  };
  for (const Case& t : std::initializer_list<Case>{
           {0xea000000, "jump 0x1008"},                // b .+8
           {0x0a000000, "conditional jump 0x1008"},    // beq .+8
           {0xeb000000, "call 0x1008"},                // bl .+8
           {0xfa000000, "call 0x1008"},                // blx .+8
           {0xe12fff33, "indirect-call"},              // blx r3
           {0xe12fff1e, "return"},                     // bx lr
           {0x012fff1e, "conditional return"},         // bxeq lr
           {0xe12fff14, "indirect-jump"},              // bx r4
           {0xe1a0f00e, "return"},                     // mov pc, lr
           {0x11a0f000, "conditional indirect-jump"},  // movne pc, r0
           {0xe1b0f00e, "exception-return"},           // movs pc, lr
           {0xe25ef004, "exception-return"},           // subs pc, lr, #4
           {0xe8bd8010, "return"},                     // pop {r4, pc}
           {0xe49df004, "return"},                     // pop {pc}
           {0xe59df008, "indirect-jump"},              // ldr pc, [sp, #8]
           {0xe594f000, "indirect-jump"},              // ldr pc, [r4]
           {0x979ff100, "conditional indirect-jump"},  // ldrls pc, [pc, r0, lsl #2]
           {0xe8fdffff, "exception-return"},           // ldm sp!, {r0-pc}^
           {0xf8bd0a00, "exception-return"},           // rfeia sp!
           {0xe160006e, "exception-return"},           // eret
           {0xef000000, "syscall"},                    // svc #0
           {0xe1400070, "syscall"},                    // hvc #0
           {0xe1600070, "syscall"},                    // smc #0
           {0xe7f001f2, "trap"},                       // udf #0x12, BUG()
           {0xe1200070, "trap"},                       // bkpt #0
           {0xe5940000, "next"},                       // ldr r0, [r4]
           {0xe15f0000, "next"},                       // cmp pc, r0
           {0xe1a00000, "next"},                       // mov r0, r0
       }) {
    CAPTURE(fmt::format("{:08x}", t.word));
    CHECK(words_of(theirs(arm_arch::capstone_spec(false, false), {t.word}, 4, false, 0x1000)) == t.view);
    CHECK(words_of(theirs(arm_arch::capstone_spec(false, true), {t.word}, 4, true, 0x1000)) == t.view);
  }
}

TEST_CASE("cross_check: Capstone's view of Thumb") {
  struct Case {
    std::vector<std::uint32_t> halfwords;
    std::string_view view;
  };
  for (const Case& t : std::initializer_list<Case>{
           {{0xe000}, "jump 0x1004"},                     // b .+4
           {{0xd0fd}, "conditional jump 0xffe"},          // beq .-2
           {{0xf000, 0xb800}, "jump 0x1004"},             // b.w .+4
           {{0xf43f, 0xaffa}, "conditional jump 0xff8"},  // beq.w .-8
           {{0xf000, 0xf800}, "call 0x1004"},             // bl .+4
           {{0x4798}, "indirect-call"},                   // blx r3
           {{0x4770}, "return"},                          // bx lr
           {{0x46f7}, "return"},                          // mov pc, lr
           {{0x46af}, "indirect-jump"},                   // mov pc, r5
           {{0xb100}, "conditional jump 0x1004"},         // cbz r0, .+4
           {{0xbd10}, "return"},                          // pop {r4, pc}
           {{0xe8dd, 0xf000}, "indirect-jump"},           // tbb [sp, r0]
           {{0xe8df, 0xf010}, "indirect-jump"},           // tbh [pc, r0, lsl #1]
           {{0xf3de, 0x8f04}, "exception-return"},        // subs pc, lr, #4
           {{0xe9bd, 0xc000}, "exception-return"},        // rfeia sp!
           {{0xdf00}, "syscall"},                         // svc #0
           {{0xde00}, "trap"},                            // udf #0
           {{0xba82}, "trap"},                            // hlt #2
           {{0xb672}, "next"},                            // cpsid i
       }) {
    CAPTURE(fmt::format("{:04x}", t.halfwords.front()));
    CHECK(words_of(theirs(arm_arch::capstone_spec(true, false), t.halfwords, 2, false, 0x1000)) == t.view);
    CHECK(words_of(theirs(arm_arch::capstone_spec(true, true), t.halfwords, 2, true, 0x1000)) == t.view);
  }
}

TEST_CASE("cross_check: what an `it` makes conditional, and forgetting it") {
  const CapstoneSpec& spec = arm_arch::capstone_spec(true, false);
  Capstone capstone(spec);
  const std::vector<std::uint8_t> it_eq = {0x08, 0xbf};
  const std::vector<std::uint8_t> bx_lr = {0x70, 0x47};
  REQUIRE(capstone.decode(it_eq, 0x1000) != nullptr);
  CHECK(spec.view(*capstone.decode(bx_lr, 0x1002)).conditional);
  CHECK_FALSE(spec.view(*capstone.decode(bx_lr, 0x1004)).conditional);
  REQUIRE(capstone.decode(it_eq, 0x1000) != nullptr);
  capstone.restart();
  CHECK_FALSE(spec.view(*capstone.decode(bx_lr, 0x2000)).conditional);
}

TEST_CASE("cross_check: the decoders agree") {
  // b, bl, beq, bdnz, blr, beqlr, bctr, bctrl, rfid, sc, tdnei, ld, nop
  for (const std::uint32_t word :
       {0x48000008U, 0x48000009U, 0x41820008U, 0x4200fff8U, 0x4e800020U, 0x4d820020U, 0x4e800420U, 0x4e800421U,
        0x4c000024U, 0x44000002U, 0x0b030000U, 0xe8610070U, 0x60000000U})
    for (const Kind kind : {Kind::le64, Kind::be64}) CHECK(ppc_class(kind, {word}) == "agree");
  for (const std::uint32_t word : {0x48000008U, 0x4800000aU, 0x4c000064U, 0x4c000066U, 0x80610010U})
    CHECK(ppc_class(Kind::be32, {word}) == "agree");
  // b, blne, bx lr, movs pc, lr, ldm sp, {r0-pc}^, svc, udf
  for (const std::uint32_t word :
       {0xea000000U, 0x1b000000U, 0xe12fff1eU, 0xe1b0f00eU, 0xe8ddffffU, 0xef000000U, 0xe7f001f2U})
    CHECK(arm_class({word}, false) == "agree");
  CHECK(arm_class({0xbf08, 0x4770}, true) == "agree");          // it eq; bxeq lr
  CHECK(arm_class({0xf3de, 0x8f04, 0xba82}, true) == "agree");  // subs pc, lr, #4; hlt #2
  CHECK(arm_class({0xf000, 0xb800}, true) == "agree");          // b.w .+4
  CHECK(ppc_class(Kind::be64, {0}) == "agree");                 // no instruction for anybody
}

TEST_CASE("cross_check: each class of PowerPC differences has a word that shows it") {
  struct Case {
    std::vector<std::uint32_t> words;
    std::string_view name;
  };
  std::set<std::string_view> shown;
  for (const Case& t : std::initializer_list<Case>{
           {{0x4c000224}, "ppc-exception-return"},  // hrfid
           {{0x4c0000a4}, "ppc-exception-return"},  // rfscv
           {{0x44000001}, "ppc-scv"},               // scv 0
           {{0x429f0005}, "ppc-branch-always"},     // bcl 20, 31, .+4
           {{0x42800009}, "ppc-branch-always"},     // bcl 20, 0, .+8

           {{0x42800008}, "ppc-branch-always"},  // bc 20, 0, .+8

           {{0x4e810020}, "ppc-branch-always"},  // bclr 20, 1

           {{0x4e810420}, "ppc-branch-always"},  // bcctr 20, 1

           {{0x4e800820}, "ppc-no-return"},  // bclr 20, 0, 1

           {{0x4e801020}, "ppc-no-return"},  // bclr 20, 0, 2

           {{0x4e801820}, "ppc-no-return"},  // bclr 20, 0, 3

           {{0x4e800460}, "ppc-target-register"},  // bctar 20, 0

           {{0x4c0000cc}, "ppc-exception-return"},  // rfgi

           {{0x4c000264}, "ppc-exception-return"},  // urfid

           {{0x4c600004}, "ppc-integer"},  // lnia 3

           {{0x7c642e14}, "ppc-overflow"},  // addo 3, 4, 5

           {{0x7c642c14}, "ppc-overflow"},  // addco 3, 4, 5

           {{0x7c642d14}, "ppc-overflow"},  // addeo 3, 4, 5

           {{0x7c642c51}, "ppc-overflow"},  // subfo. 3, 4, 5

           {{0x7c642c10}, "ppc-overflow"},  // subfco 3, 4, 5

           {{0x7c642d10}, "ppc-overflow"},  // subfeo 3, 4, 5

           {{0x7c642dd6}, "ppc-overflow"},  // mullwo 3, 4, 5

           {{0x7c642dd2}, "ppc-overflow"},  // mulldo 3, 4, 5

           {{0x7c642fd6}, "ppc-overflow"},  // divwo 3, 4, 5

           {{0x7c642f96}, "ppc-overflow"},  // divwuo 3, 4, 5

           {{0x7c642fd2}, "ppc-overflow"},  // divdo 3, 4, 5

           {{0x7c642f92}, "ppc-overflow"},  // divduo 3, 4, 5

           {{0x41820000}, "ppc-branch-to-itself"},      // beq .
           {{0x4c000364}, "ppc-power-saving"},          // nap
           {{0x4c0002e4}, "ppc-power-saving"},          // stop
           {{0x7c684a64}, "ppc-translation"},           // tlbie 9, 3, 2, 0, 0
           {{0x7d483a24}, "ppc-translation"},           // tlbiel 7, 10, 2, 0, 0
           {{0x7ce003e4}, "ppc-translation"},           // slbia 7
           {{0x7c6036a6}, "ppc-translation"},           // slbmfev 3, 6
           {{0x7ca007a7}, "ppc-translation"},           // slbfee. 5, 0
           {{0x7c00499c}, "ppc-messages"},              // msgsnd 9
           {{0x7c0049dc}, "ppc-messages"},              // msgclr 9
           {{0x7c00491c}, "ppc-messages"},              // msgsndp 9
           {{0x7c00495c}, "ppc-messages"},              // msgclrp 9
           {{0x7c0006ec}, "ppc-messages"},              // msgsync
           {{0x7d20f068}, "ppc-reservations"},          // lbarx 9, 0, 30
           {{0x7d20f0e8}, "ppc-reservations"},          // lharx 9, 0, 30
           {{0x7cc01a28}, "ppc-reservations"},          // lqarx 6, 0, 3
           {{0x7c801829}, "ppc-reservations"},          // lwarx 4, 0, 3, 1
           {{0x7d20f0a9}, "ppc-reservations"},          // ldarx 9, 0, 30, 1
           {{0x7d20f56d}, "ppc-reservations"},          // stbcx. 9, 0, 30
           {{0x7d20f5ad}, "ppc-reservations"},          // sthcx. 9, 0, 30
           {{0x7c80196d}, "ppc-reservations"},          // stqcx. 4, 0, 3
           {{0x7d405a2c}, "ppc-cache-hints"},           // dcbt 0, 11, 10
           {{0x7d0049ec}, "ppc-cache-hints"},           // dcbtst 0, 9, 8
           {{0x7c8048ac}, "ppc-cache-hints"},           // dcbfps 0, 9
           {{0x7c40003c}, "ppc-wait"},                  // wait 2
           {{0x7c241e0c}, "ppc-copy-paste"},            // copy 4, 3
           {{0x7c3b270d}, "ppc-copy-paste"},            // paste. 27, 4
           {{0x7c00068c}, "ppc-copy-paste"},            // cpabort
           {{0x7c00035c}, "ppc-branch-history"},        // clrbhrb
           {{0x7c60025c}, "ppc-branch-history"},        // mfbhrbe 3, 0
           {{0x7d295352}, "ppc-integer"},               // divde 9, 9, 10
           {{0x7d295312}, "ppc-integer"},               // divdeu 9, 9, 10
           {{0x7c6300f4}, "ppc-integer"},               // popcntb 3, 3
           {{0x7d4005e6}, "ppc-integer"},               // darn 10, 0
           {{0x114a49f0}, "ppc-integer"},               // maddhd 10, 10, 9, 7
           {{0x114a49f1}, "ppc-integer"},               // maddhdu 10, 10, 9, 7
           {{0x114a49f3}, "ppc-integer"},               // maddld 10, 10, 9, 7
           {{0xe0c30000}, "ppc-quadwords"},             // lq 6, 0(3)
           {{0xf8830002}, "ppc-quadwords"},             // stq 4, 0(3)
           {{0xfffffec8}, "ppc-quad-float"},            // xsiexpqp 31, 31, 31
           {{0xffffeb48}, "ppc-quad-float"},            // xsmsubqp 31, 31, 29
           {{0x06000000, 0x38640064}, "ppc-prefixed"},  // paddi 3, 4, 100
       }) {
    CAPTURE(fmt::format("{:08x}", t.words.front()));
    CHECK(ppc_class(Kind::be64, t.words) == t.name);
    CHECK(ppc_class(Kind::le64, t.words) == t.name);
    shown.insert(t.name);
  }
  // A record of __bug_table, relative to itself: .text, the file, flags 1 (BUGFLAG_WARNING). Without it the trap ends
  // the path, and Capstone is of the same opinion.
  ppc_test::ImageParts warn;
  const std::uint64_t text = ppc_test::text_address(Kind::be64);
  warn.sections = fmt::format(
      "  - Name: __bug_table\n    Type: SHT_PROGBITS\n    Flags: [ SHF_ALLOC ]\n    Address: {:#x}\n    Content: {}\n",
      text + 0x1000, ppc_test::hex_words(Kind::be64, {0xfffff000, 0, 0x00100001}));
  CHECK(ppc_class(Kind::be64, {0x0fe00000}, warn) == "ppc-trap-comes-back");
  CHECK(ppc_class(Kind::be64, {0x7fe00008}, warn) == "ppc-trap-comes-back");
  CHECK(ppc_class(Kind::be64, {0x0fe00000}) == "agree");
  shown.insert("ppc-trap-comes-back");
  CHECK(shown == names_of(ppc::capstone_spec(true, true).explained));
}

TEST_CASE("cross_check: each class of ARM differences has a word that shows it") {
  struct Case {
    std::vector<std::uint32_t> units;
    std::string_view name;
  };
  std::set<std::string_view> shown;
  for (const Case& t : std::initializer_list<Case>{
           {{0xfd902120}, "arm-coprocessors"},  // ldc2 p1, c2, [r0, #128]
           {{0xfd812120}, "arm-coprocessors"},  // stc2 p1, c2, [r1, #128]
           {{0xeeeb3a10}, "arm-coprocessors"},  // mcr p10, #7, r3, c11, c0, #0
           {{0xeefb3a10}, "arm-coprocessors"},  // mrc p10, #7, r3, c11, c0, #0
           {{0xe8b0a002}, "arm-ldm-pc"},        // ldm r0!, {r1, sp, pc}
           {{0xe8108002}, "arm-ldm-pc"},        // ldmda r0, {r1, pc}
           {{0xe12fff1f}, "arm-bx-pc"},         // bx pc
       }) {
    CAPTURE(fmt::format("{:08x}", t.units.front()));
    CHECK(arm_class(t.units, false) == t.name);
    shown.insert(t.name);
  }
  CHECK(shown == names_of(arm_arch::capstone_spec(false, false).explained));

  shown.clear();
  for (const Case& t : std::initializer_list<Case>{
           {{0xe910, 0x8002}, "thumb-ldm-pc"},  // ldmdb r0, {r1, pc}
           {{0xe890, 0x8002}, "thumb-ldm-pc"},  // ldm.w r0, {r1, pc}
           {{0x4778}, "thumb-bx-pc"},           // bx pc
           {{0xf3c0, 0x8f00}, "thumb-bxj"},     // bxj r0
       }) {
    CAPTURE(fmt::format("{:04x}", t.units.front()));
    CHECK(arm_class(t.units, true) == t.name);
    shown.insert(t.name);
  }
  CHECK(shown == names_of(arm_arch::capstone_spec(true, false).explained));
}

TEST_CASE("cross_check: a difference says what both see") {
  const std::unique_ptr<Image> image = ppc_test::image(Kind::be64, {0x60000000, 0x429f0005, 0x4e800020});
  const CrossReport report = check_all(*image);
  CHECK(report.decoder.starts_with("Capstone 4.0"));
  CHECK(report.instructions == 3);
  CHECK(report.agreed == 2);
  REQUIRE(report.differences.size() == 1);
  const Difference& d = report.differences.front();
  const std::uint64_t address = ppc_test::text_address(Kind::be64) + 4;
  CHECK(d.address == address);
  CHECK(d.kind == DifferenceKind::flow);
  CHECK(words_of(d.ours) == fmt::format("call {:#x}", address + 4));
  CHECK(words_of(d.theirs) == fmt::format("conditional call {:#x}", address + 4));
  CHECK(d.our_text.starts_with("bcl 20, 31,"));
  CHECK(d.their_text == fmt::format("bdnzl {:#x}", address + 4));
}

TEST_CASE("cross_check: what is marked as data is not compared") {
  // nop; a word of data; nop; then a section without marks, and one that is no code
  const test::Bytes file = test::elf_of(R"(--- !ELF
FileHeader: { Class: ELFCLASS32, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_ARM, Flags: [ EF_ARM_EABI_VER5 ] }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_EXECINSTR ], Address: 0x8000, Content: 00F020E301000000EFBEADDE00F020E3 }
  - { Name: .other, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_EXECINSTR ], Address: 0x9000, Content: 00F020E3 }
  - { Name: .data, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_WRITE ], Address: 0xa000, Content: 00F020E3 }
Symbols:
  - { Name: f, Section: .text, Value: 0x8000 }
  - { Name: $a, Section: .text, Value: 0x8000 }
  - { Name: $d, Section: .text, Value: 0x8004 }
  - { Name: $a (1), Section: .text, Value: 0x800c }
)");
  const std::unique_ptr<Image> image = Image::from_bytes("data", file);
  std::string text;
  for (const CodeRange& range : code_ranges(*image)) text += fmt::format("{:#x}-{:#x} ", range.begin, range.end);
  CHECK(text == "0x8000-0x8004 0x800c-0x8010 0x9000-0x9004 ");
  const CrossReport report = check_all(*image);
  CHECK(report.instructions == 3);
  CHECK(report.agreed == 3);
}

TEST_CASE("cross_check: targets that the linker fills in are not compared") {
  const CrossReport report = check_all(*test::sample("good-arm-object"));
  CHECK(report.instructions == 10);  // nine words of .text, one of .entry.text
  CHECK(report.agreed == 10);
}

TEST_CASE("cross_check: an architecture that Capstone does not know is not asked about") {
  CHECK(loongarch64().second_decoder(*ppc_test::image(Kind::be64, {0x60000000}), 0) == nullptr);
}

TEST_CASE("cross_check: doc/cross-check.md holds the classes of the tables, word for word") {
  std::vector<std::string> expected;
  for (const CapstoneSpec* spec :
       {&ppc::capstone_spec(true, true), &arm_arch::capstone_spec(false, false), &arm_arch::capstone_spec(true, false)})
    for (const ExplainedClass& row : spec->explained)
      expected.push_back(fmt::format("| `{}` | {} | {} | {} | {} |", row.name, difference_kind_name(row.kind),
                                     row.right, row.reason, row.manual));
  std::vector<std::string> found;
  std::ifstream doc(TRAPLINE_SOURCE_DIR "/doc/cross-check.md");
  for (std::string line; std::getline(doc, line);)
    if (line.starts_with("| `")) found.push_back(line);
  CHECK(found.size() == expected.size());
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) CHECK(found[i] == expected[i]);
}
