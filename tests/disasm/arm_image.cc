// SPDX-License-Identifier: Apache-2.0
//
// ARM objects: byte orders, mapping symbols, relocations; and what the facts say. Sources: ELF for the ARM architecture
// (IHI 0044), 5.2 (e_flags), 5.5.5 (mapping symbols), 5.6 (relocations); arch/arm/include/uapi/asm/ptrace.h for the
// frame.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "arm_support.h"
#include "disasm/arch/arch.h"
#include "disasm/arch/arm/arm.h"
#include "disasm/decode/decoder.h"

using namespace trapline;
using namespace trapline::arm_test;

namespace {

const Section& code_of(const Image& image) {
  for (const Section& s : image.sections()) {
    if (s.executable) return s;
  }
  FAIL("no code");
  return image.sections()[0];
}

// The object that llvm-mc makes of `source`, or null after a message that it cannot be run.
std::unique_ptr<Image> assemble(const std::string& source, const std::string& triple) {
  namespace fs = std::filesystem;
  const fs::path base = fs::temp_directory_path() / ("trapline-arm-" + std::to_string(::getpid()));
  const std::string in = base.string() + ".s";
  const std::string out = base.string() + ".o";
  std::ofstream(in) << source;
  const std::string command = "llvm-mc-22 --triple=" + triple + " -filetype=obj -o " + out + " " + in + " 2>/dev/null";
  std::unique_ptr<Image> image;
  if (std::system(command.c_str()) == 0) {
    image = Image::open(out);
  } else {
    MESSAGE("skipped: llvm-mc-22 cannot be run");
  }
  std::error_code error;
  fs::remove(in, error);
  fs::remove(out, error);
  return image;
}

}  // namespace

TEST_CASE("arm image: both byte orders of code") {
  const std::array<std::uint32_t, 1> words = {0xe59f3018};  // ldr r3, [pc, #24]
  ObjectOptions be32;
  be32.big_endian = true;
  ObjectOptions be8 = be32;
  be8.flags |= 0x00800000;  // EF_ARM_BE8
  for (const ObjectOptions& options : {ObjectOptions(), be32, be8}) {
    const std::unique_ptr<Image> image = object(words, options);
    CHECK(image->arch().name() == (options.big_endian ? "armeb" : "arm"));
    const Insn insn = Decoder(*image).decode(code_of(*image).address);
    CHECK(insn.word == words[0]);
    CHECK(insn.cls == InsnClass::load);
  }
  ObjectOptions thumb = be32;
  thumb.thumb = true;
  const std::unique_ptr<Image> image = object(std::array<std::uint32_t, 2>{0xf24a, 0x004c}, thumb);
  const Insn movw = Decoder(*image).decode(code_of(*image).address);
  CHECK(movw.size == 4);
  REQUIRE(movw.ops.size() == 1);
  CHECK(movw.ops[0].a.imm == 0xa04c);
}

TEST_CASE("arm image: mapping symbols decide the state; data keeps the state above") {
  const std::unique_ptr<Image> image =
      assemble(".arm\nf:\n bx lr\n .thumb\n.thumb_func\ng:\n bx lr\n nop\n .arm\nh:\n bx lr\n .word 0xe7f001f2\n",
               "armv7a-linux-gnueabi");
  if (image == nullptr) return;
  const Decoder decoder(*image);
  const std::uint64_t start = code_of(*image).address;
  CHECK(decoder.decode(start).size == 4);
  CHECK(decoder.decode(start + 4).size == 2);
  CHECK(decoder.decode(start + 4).flow == Flow::ret);
  CHECK(decoder.decode(start + 8).flow == Flow::ret);
  CHECK(decoder.decode(start + 12).flow == Flow::trap);  // BUG() is data for the assembler
}

TEST_CASE("arm image: relocated branches and addresses") {
  const std::unique_ptr<Image> image = assemble(
      ".syntax unified\n.arm\nf:\n bl away\n b away+8\n movw r0, #:lower16:away\n movt r0, #:upper16:away\n blne away\n"
      ".thumb\n.thumb_func\ng:\n bl away\n b.w away\n movw r0, #:lower16:away\n movt r0, #:upper16:away\n",
      "armv7a-linux-gnueabi");
  if (image == nullptr) return;
  const Symbol* const away = image->find_symbol("away");
  REQUIRE(away != nullptr);
  const Decoder decoder(*image);
  const std::uint64_t start = code_of(*image).address;
  CHECK(decoder.decode(start).target == away->address);
  CHECK(decoder.decode(start + 4).target == away->address + 8);
  CHECK(decoder.decode(start + 16).target == away->address);
  CHECK(decoder.decode(start + 20).target == away->address);
  CHECK(decoder.decode(start + 24).target == away->address);
  for (const std::uint64_t pair : {start + 8, start + 28}) {
    Machine m;
    m.run(decoder.decode(pair));
    m.run(decoder.decode(pair + 4));
    CHECK(m.places[arm_arch::r0] == away->address);
  }
}

TEST_CASE("arm text of words that LLVM's ARMv8 does not decode") {
  // Words and text from llvm-mc-22 --triple=armv7a -show-encoding.
  struct Row {
    std::uint32_t word;
    std::string_view text;
  };
  for (const Row& row : {
           Row{0xee112110, "mrc p1, #0, r2, c1, c0, #0"},
           Row{0x1e012110, "mcrne p1, #0, r2, c1, c0, #0"},
           Row{0xedc10100, "stcl p1, c0, [r1]"},
           Row{0xfd812120, "stc2 p1, c2, [r1, #128]"},
           Row{0xecb10102, "ldc p1, c0, [r1], #8"},
           Row{0xe1020091, "swp r0, r1, [r2]"},
           Row{0xee212143, "cdp p1, #2, c2, c1, c3, #2"},
       }) {
    const std::unique_ptr<Image> image = object(std::array{row.word});
    const Decoder decoder(*image);
    const std::uint64_t start = code_of(*image).address;
    CHECK_FALSE(decoder.raw(start).valid);
    CHECK(decoder.text(start) == row.text);
  }
}

TEST_CASE("arm facts: places, frame, entries") {
  const Facts& facts = arm().facts();
  REQUIRE(facts.places.size() == arm_arch::place_count);
  CHECK(facts.places[arm_arch::sp_usr].name == "sp_usr");
  CHECK(facts.places[arm_arch::spsr].name == "spsr");
  CHECK(facts.places[arm_arch::ttbcr].name == "TTBCR");
  CHECK(facts.places[arm_arch::tpidrprw].name == "TPIDRPRW");
  CHECK(facts.places[arm_arch::spsr_hyp].name == "spsr_hyp");
  // AAPCS: r0 to r3, r12 and lr may change.
  for (Place p = arm_arch::r0; p <= arm_arch::lr; ++p)
    CHECK(facts.places[p].call_clobbered == (p <= 3 || p == 12 || p == 14));
  const FrameLayout& frame = facts.frames[0];
  CHECK(frame.size == 72);
  REQUIRE(frame.slots.size() == 18);
  CHECK(frame.slots[13].place == arm_arch::sp_usr);
  CHECK(frame.slots[15].offset == 60);
  CHECK(frame.slots[16].place == arm_arch::spsr);
  CHECK(frame.slots[17].name == "S_OLD_R0");
  // PSR modes: 0x10 is user, 0x13 SVC, 0x1f system.
  const auto user = [&](std::uint64_t status) { return (status & facts.privilege_mask) == facts.privilege_user; };
  CHECK(user(0x60000010));
  CHECK_FALSE(user(0x60000013));
  CHECK_FALSE(user(0x1f));
  for (const EntryRow& row : facts.entries) CHECK(row.contract < facts.contracts.size());
  for (const Contract& contract : facts.contracts) CHECK(contract.frame < facts.frames.size());
}
