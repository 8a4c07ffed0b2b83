// SPDX-License-Identifier: Apache-2.0
//
// A real kernel: every ARM-state instruction of its .text against LLVM's opinion and against the text of llvm-objdump,
// whose mnemonics are classified here anew, from the instruction lists of the ARM ARM (DDI 0406), A4. The folder in
// TRAPLINE_KERNELS holds vmlinux-6.1.176-armhf.xz (Debian's debug package of that kernel).
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "arm_support.h"
#include "disasm/arch/arch.h"
#include "disasm/decode/decoder.h"

using namespace trapline;
using namespace trapline::arm_test;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kernel_name = "vmlinux-6.1.176-armhf";

// The unpacked kernel, or an empty path after a message that says why there is none.
fs::path unpacked_kernel() {
  const char* const folder = std::getenv("TRAPLINE_KERNELS");
  if (folder == nullptr) {
    MESSAGE("skipped: TRAPLINE_KERNELS does not name a folder of kernels");
    return {};
  }
  const fs::path packed = fs::path(folder) / fmt::format("{}.xz", kernel_name);
  std::error_code error;
  if (!fs::exists(packed, error)) {
    MESSAGE("skipped: there is no " << packed.string());
    return {};
  }
  const fs::path unpacked = fs::temp_directory_path() / fmt::format("trapline-test-{}", kernel_name);
  if (fs::exists(unpacked, error) && fs::last_write_time(unpacked) >= fs::last_write_time(packed)) return unpacked;
  // Made beside its place and moved there: another test may be looking.
  const fs::path fresh = fmt::format("{}.{}", unpacked.string(), ::getpid());
  if (std::system(fmt::format("xz -dc '{}' > '{}'", packed.string(), fresh.string()).c_str()) != 0) {
    MESSAGE("skipped: xz cannot unpack " << packed.string());
    fs::remove(fresh, error);
    return {};
  }
  fs::rename(fresh, unpacked);
  return unpacked;
}

// Does a mapping symbol say that the word at `address` is an ARM-state instruction?
bool is_arm_code(const Image& image, const Section& section, std::uint64_t address) {
  const std::span<const Symbol> marks = image.mapping_symbols();
  const auto above = std::upper_bound(marks.begin(), marks.end(), address,
                                      [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  return above != marks.begin() && std::prev(above)->address >= section.address &&
         std::prev(above)->name.starts_with("$a");
}

// "load", "store" or "" for a mnemonic of llvm-objdump. A condition and a width may follow the stems.
std::string memory_kind(const std::string& mnemonic) {
  const auto starts = [&](std::initializer_list<const char*> stems) {
    return std::any_of(stems.begin(), stems.end(), [&](const char* s) { return mnemonic.starts_with(s); });
  };
  if (starts({"ldr", "ldm", "pop", "vldm", "vldr", "vpop", "vld1", "vld2", "vld3", "vld4", "ldc", "rfe", "lda"}))
    return "load";
  if (starts({"str", "stm", "push", "vstm", "vstr", "vpush", "vst1", "vst2", "vst3", "vst4", "stc", "srs", "stl"}))
    return "store";
  return {};
}

using Counts = std::map<std::string, std::uint64_t>;

// Loads and stores in the text of llvm-objdump; empty when it cannot be run.
Counts count_objdump(const fs::path& kernel) {
  Counts counts;
  const std::string command = fmt::format(
      "llvm-objdump-22 -d --section=.text --no-show-raw-insn --no-leading-addr --triple=armv8a "
      "--mattr=+virtualization,+trustzone,+mp '{}' 2>/dev/null",
      kernel.string());
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return counts;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    const std::string line = buffer.data();
    if (line.empty() || (line[0] != ' ' && line[0] != '\t')) continue;
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos) continue;
    const std::string mnemonic = line.substr(start, line.find_first_of(" \t\n", start) - start);
    const std::string kind = memory_kind(mnemonic);
    if (!kind.empty()) ++counts[kind];
  }
  return ::pclose(pipe) == 0 ? counts : Counts();
}

bool writes(const Insn& insn, Place place) {
  return std::any_of(insn.ops.begin(), insn.ops.end(),
                     [&](const MicroOp& m) { return m.dst.kind == Operand::Kind::place && m.dst.index == place; });
}

// What of LLVM's view the lifted instruction contradicts; empty when nothing.
std::string disagreement(const Image& image, const Decoded& decoded, const Insn& insn) {
  if (insn.flow == Flow::unknown) return fmt::format("{} is not lifted", decoded.opcode);
  if (const std::string flow = check_flow(decoded, insn); !flow.empty()) return flow;
  const bool both = insn.cls == InsnClass::load_store;
  if (insn.memory.loads != (both || insn.cls == InsnClass::load)) return fmt::format("{} reads?", decoded.opcode);
  if (insn.memory.stores != (both || insn.cls == InsnClass::store)) return fmt::format("{} writes?", decoded.opcode);
  if (insn.cls == InsnClass::nop) return {};  // mov r0, r0
  // LLVM lists the CPSR for every adc, msr and exception return; comparisons are the sure ones.
  const bool compares = decoded.opcode.starts_with("CM") || decoded.opcode.starts_with("T");
  // A register that LLVM says is written is written by a micro-operation, in the bank of the mode.
  const arm_arch::Mode mode = arm_arch::mode_at(image, insn.address);
  for (const std::string_view def : decoded.defs) {
    Place place = no_place;
    if (def == "SP") place = arm_arch::banked(13, mode);
    if (def == "LR") place = arm_arch::banked(14, mode);
    if (def == "CPSR" && compares) place = arm_arch::flags;
    if (def.starts_with("R") && def.size() <= 3)
      place = arm_arch::banked(static_cast<unsigned>(std::atoi(std::string(def.substr(1)).c_str())), mode);
    if (place != no_place && !writes(insn, place)) return fmt::format("{} does not write {}", decoded.opcode, def);
  }
  return {};
}

}  // namespace

TEST_CASE("arm kernel: every instruction agrees with LLVM and with objdump's text") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Section* const text = image->section_named(".text");
  REQUIRE(text != nullptr);
  const Decoder decoder(*image);
  Counts counts;
  std::set<std::string> disagreements;
  for (std::uint64_t at = text->address; at + 4 <= text->address + text->bytes.size(); at += 4) {
    if (!is_arm_code(*image, *text, at)) continue;
    const Decoded decoded = decoder.raw(at);
    if (!decoded.valid) continue;
    const Insn insn = image->arch().lift(*image, decoded);
    if (insn.cls == InsnClass::load) ++counts["load"];
    if (insn.cls == InsnClass::store) ++counts["store"];
    const std::string found = disagreement(*image, decoded, insn);
    if (!found.empty()) disagreements.insert(found);
    if (disagreements.size() > 20) break;
  }
  for (const std::string& found : disagreements) FAIL_CHECK(found);

  const Counts expected = count_objdump(kernel);
  if (expected.empty()) {
    MESSAGE("skipped: llvm-objdump-22 cannot be run, its text was not compared");
    return;
  }
  CHECK(expected.at("load") > 400000);
  CHECK(counts["load"] == expected.at("load"));
  CHECK(counts["store"] == expected.at("store"));
}

TEST_CASE("arm kernel: vector pages, stubs and exits") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  const auto address_of = [&](std::string_view name) {
    const Symbol* const symbol = image->find_symbol(name);
    REQUIRE(symbol != nullptr);
    return symbol->address;
  };
  // By hand from llvm-objdump: the system-call vector of each page loads from the first words of .stubs, which hold
  // the addresses of vector_swi and its two variants; the interrupt vector branches to the stub.
  struct Page {
    const char* section;
    const char* swi;
    const char* irq;
  };
  for (const Page& page : {Page{".vectors", "vector_swi", "vector_irq"},
                           Page{".vectors.bhb.loop8", "vector_bhb_loop8_swi", "vector_bhb_loop8_irq"},
                           Page{".vectors.bhb.bpiall", "vector_bhb_bpiall_swi", "vector_bhb_bpiall_irq"}}) {
    const Section* const section = image->section_named(page.section);
    REQUIRE(section != nullptr);
    const Insn load = decoder.decode(section->address + 8);
    CHECK(load.flow == Flow::indirect_jump);
    REQUIRE(load.ops.size() == 1);
    CHECK(image->read(load.ops[0].a.imm, 4) == address_of(page.swi));
    CHECK(decoder.decode(section->address + 24).target == address_of(page.irq));
  }
  for (const char* const stub : {"vector_irq", "vector_dabt", "vector_pabt", "vector_fiq"})
    CHECK(decoder.decode(address_of(stub) + 0x28).returns_by == ReturnsBy::kernel_entry);
  CHECK(decoder.decode(address_of("vector_und") + 0x24).returns_by == ReturnsBy::kernel_entry);
  const Insn exit = decoder.decode(address_of("no_work_pending") + 0x40);  // movs pc, lr
  CHECK(exit.returns_by == ReturnsBy::status);
  CHECK(exit.status == arm_arch::spsr);
  const Insn bug = decoder.decode(address_of("no_work_pending") + 0x44);
  CHECK(bug.flow == Flow::trap);
  const Insn fiq = decoder.decode(address_of("__fiq_svc") + 0x7c);  // ldm r8, {pc}^ in FIQ mode
  CHECK(fiq.flow == Flow::exception_return);
  CHECK(fiq.status == arm_arch::spsr_fiq);
}
