// SPDX-License-Identifier: Apache-2.0
//
// A real kernel: every instruction of its .text against LLVM's opinion and against the text of llvm-objdump, whose
// mnemonics are classified here anew, from the instruction lists of Power ISA 3.1, appendix F. The folder in
// TRAPLINE_KERNELS holds vmlinux-6.1.176-ppc64el.xz (Debian's kernel for ppc64el as shipped).
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "disasm/arch/arch.h"
#include "powerpc_support.h"

using namespace trapline;
using namespace trapline::ppc_test;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kernel_name = "vmlinux-6.1.176-ppc64el";

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

// Mnemonics as llvm-objdump prints them; everything that is not here neither reads nor writes memory and is no branch.
const std::map<std::string, std::string>& kinds() {
  static const std::map<std::string, std::string> table = [] {
    std::map<std::string, std::string> t;
    const auto add = [&](const char* kind, std::initializer_list<const char*> mnemonics) {
      for (const char* m : mnemonics) t[m] = kind;
    };
    for (const char* form : {"", "u", "x", "ux"}) {
      for (const char* m : {"lbz", "lhz", "lha", "lwz", "ld", "lfs", "lfd"}) t[fmt::format("{}{}", m, form)] = "load";
      for (const char* m : {"stb", "sth", "stw", "std", "stfs", "stfd"}) t[fmt::format("{}{}", m, form)] = "store";
    }
    add("load", {"lwa",     "lwax",    "lwaux",   "lmw",    "lswi",   "lswx",    "lhbrx",  "lwbrx", "ldbrx",
                 "lq",      "lbzcix",  "lhzcix",  "lwzcix", "ldcix",  "lfiwax",  "lfiwzx", "lvebx", "lvehx",
                 "lvewx",   "lvx",     "lvxl",    "lxv",    "lxvx",   "lxsd",    "lxsdx",  "lxssp", "lxsspx",
                 "lxvd2x",  "lxvw4x",  "lxvdsx",  "lxvwsx", "lxvh8x", "lxvb16x", "lxvl",   "lxvll", "lxsiwax",
                 "lxsiwzx", "lxsibzx", "lxsihzx", "lxvp",   "lxvpx",  "copy"});
    add("store",
        {"stmw",    "stswi",   "stswx",   "sthbrx",  "stwbrx",  "stdbrx",  "stq",      "stbcix", "sthcix", "stwcix",
         "stdcix",  "stfiwx",  "stvebx",  "stvehx",  "stvewx",  "stvx",    "stvxl",    "stxv",   "stxvx",  "stxsd",
         "stxsdx",  "stxssp",  "stxsspx", "stxvd2x", "stxvw4x", "stxvh8x", "stxvb16x", "stxvl",  "stxvll", "stxsiwx",
         "stxsibx", "stxsihx", "stxvp",   "stxvpx",  "dcbz",    "dcbzl",   "paste."});
    add("load atomic", {"lbarx", "lharx", "lwarx", "ldarx", "lqarx"});
    add("store atomic", {"stbcx.", "sthcx.", "stwcx.", "stdcx.", "stqcx."});
    add("load store atomic", {"lwat", "ldat", "stwat", "stdat"});
    add("branch", {"b", "ba", "bt", "bf", "bt+", "bt-", "bf+", "bf-", "bdnz", "bdz", "bdnz+", "bdz+", "bdnzt", "bdnzf",
                   "bdzt", "bdzf", "bc", "bctr", "bcctr"});
    add("call", {"bl", "bla", "bcl", "btl", "bfl", "btl+", "bfl+", "btl-", "bfl-", "bctrl", "bcctrl", "blrl"});
    add("return", {"blr", "bclr", "bdnzlr", "bdzlr", "rfid", "hrfid", "rfi"});
    add("barrier", {"sync", "hwsync", "lwsync", "ptesync", "isync", "eieio", "tlbsync", "slbsync", "msgsync"});
    return t;
  }();
  return table;
}

std::string kind_of(const Insn& insn) {
  std::string kind;
  const auto add = [&](std::string_view word) { kind += fmt::format("{}{}", kind.empty() ? "" : " ", word); };
  if (insn.memory.loads) add("load");
  if (insn.memory.stores) add("store");
  if (insn.memory.atomic) add("atomic");
  if (!kind.empty()) return kind;
  switch (insn.cls) {
    case InsnClass::branch:
      return "branch";
    case InsnClass::call:
      return "call";
    case InsnClass::ret:
      return "return";
    case InsnClass::barrier:
      return "barrier";
    default:
      return "other";
  }
}

bool is_memory_class(const Insn& insn) {
  return insn.cls == InsnClass::load || insn.cls == InsnClass::store || insn.cls == InsnClass::load_store;
}

std::uint64_t address_of(const Image& image, std::string_view name) {
  const Symbol* const symbol = image.find_symbol(name);
  REQUIRE(symbol != nullptr);
  return symbol->address;
}

}  // namespace

TEST_CASE("powerpc kernel: every instruction agrees with LLVM's flow, targets and written registers") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  std::set<std::string> disagreements;
  std::uint64_t decoded_count = 0;
  for (std::string_view name : {".head.text", ".text"}) {
    const Section* const text = image->section_named(name);
    REQUIRE(text != nullptr);
    for (std::uint64_t at = text->address; at + 4 <= text->address + text->bytes.size(); at += 4) {
      const Decoded decoded = decoder.raw(at);
      if (!decoded.valid) continue;
      ++decoded_count;
      const Insn insn = decoder.decode(at);
      if (insn.flow == Flow::unknown) disagreements.insert(fmt::format("{} is not lifted", decoded.opcode));
      if (decoded.may_affect_flow && insn.flow == Flow::next)
        disagreements.insert(fmt::format("{} affects control flow for LLVM", decoded.opcode));
      if (decoded.target && decoded.target != insn.target)
        disagreements.insert(fmt::format("{} at {:#x} has another target for LLVM", decoded.opcode, at));
      if ((insn.memory.loads || insn.memory.stores) != is_memory_class(insn))
        disagreements.insert(fmt::format("{} has memory traffic and another class", decoded.opcode));
      // A general register that LLVM says is written is written by a micro-operation.
      for (const std::string_view def : decoded.defs) {
        if (def.size() < 2 || (def[0] != 'R' && def[0] != 'X') || def[1] < '0' || def[1] > '9') continue;
        const auto number = static_cast<std::uint16_t>(std::stoi(std::string(def.substr(1))));
        bool written = false;
        for (const MicroOp& op : insn.ops)
          written = written || (op.dst.kind == Operand::Kind::place && op.dst.index == number);
        // A move to itself (nops, priority hints, `mr 4,4`) needs none.
        if (!written && !insn.ops.empty())
          disagreements.insert(fmt::format("{} does not write {}", decoder.text(at), def));
      }
      if (disagreements.size() > 20) break;
    }
  }
  for (const std::string& disagreement : disagreements) FAIL_CHECK(disagreement);
  CHECK(decoded_count > 3500000);
}

TEST_CASE("powerpc kernel: loads, stores, branches and barriers agree with the text of llvm-objdump") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::string command = fmt::format(
      "llvm-objdump-22 -d --mcpu=pwr10 --no-show-raw-insn --section=.head.text --section=.text '{}' 2>/dev/null",
      kernel.string());
  FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  std::map<std::string, std::uint64_t> counts;
  std::set<std::string> disagreements;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    const std::string line = buffer.data();  // "c000000000000c08:      \tstd 10, 136(13)"
    const std::size_t colon = line.find(": ");
    if (colon != 16) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    if (start == std::string::npos || line[start] == '<' || line[start] == '.') continue;
    const std::string mnemonic = line.substr(start, line.find_first_of(" \t\n", start) - start);
    const std::uint64_t at = std::stoull(line.substr(0, 16), nullptr, 16);
    const auto found = kinds().find(mnemonic);
    if (line.find("ori 31, 31, 0", start) != std::string::npos)
      continue;  // the speculation barrier has no name of its own
    const std::string expected = found == kinds().end() ? "other" : found->second;
    ++counts[expected];
    const std::string got = kind_of(decoder.decode(at));
    if (got != expected && disagreements.size() < 20)
      disagreements.insert(fmt::format("{} is {} by the manual and {} here", mnemonic, expected, got));
  }
  if (::pclose(pipe) != 0) {
    MESSAGE("skipped: llvm-objdump-22 cannot be run, its text was not compared");
    return;
  }
  for (const std::string& disagreement : disagreements) FAIL_CHECK(disagreement);
  CHECK(counts["load"] > 500000);
  CHECK(counts["store atomic"] > 5000);
}

// The words that GNU objdump -M power10 decodes in .head.text and .text and LLVM does not: 54 tlbiel, 14 slbia, 6
// msgsnd, 4 msgclr, 4 msgsndp, 1 msgclrp, 3 rfscv (and 27 words of data that read as vector and decimal instructions).
TEST_CASE("powerpc kernel: words that only GNU objdump knows") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  std::map<std::string, unsigned> counts;
  for (const Section& section : image->sections()) {
    if (!section.executable) continue;
    for (std::uint64_t at = section.address; at + 4 <= section.address + section.bytes.size(); at += 4) {
      if (decoder.raw(at).valid) continue;
      const std::string text = decoder.text(at);
      if (text != "<unknown>") ++counts[text.substr(0, text.find(' '))];
    }
  }
  CHECK(counts ==
        std::map<std::string, unsigned>{
            {"tlbiel", 54}, {"slbia", 14}, {"msgsnd", 6}, {"msgclr", 4}, {"msgsndp", 4}, {"msgclrp", 1}, {"rfscv", 3}});
}

// Read in llvm-objdump's text: the ori before each mtctr, bctr.
TEST_CASE("powerpc kernel: vectors reach their handlers") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  const auto goes_to = [&](std::string_view from) -> Machine::Value {
    Machine machine(Kind::le64);
    Insn insn;
    // Straight ahead: conditional branches (to KVM) are not taken, traps and calls do not occur.
    for (std::uint64_t at = address_of(*image, from); insn.flow != Flow::indirect_jump;) {
      insn = decoder.decode(at);
      REQUIRE(insn.size != 0);
      for (std::string_view r : {"r1", "r13"}) machine.set(r, 0x1000);
      if (insn.flow == Flow::next) machine.run(insn);
      at = insn.flow == Flow::jump && !insn.when ? *insn.target : at + insn.size;
      if (insn.flow == Flow::indirect_jump) return machine["ctr"];
    }
    return {};
  };
  CHECK(goes_to("exc_virt_0x4300_data_access") == address_of(*image, "data_access_common_virt"));
  CHECK(goes_to("exc_real_0x300_data_access") == address_of(*image, "data_access_common_real"));
  CHECK(goes_to("exc_virt_0x4380_data_access_slb") == address_of(*image, "data_access_slb_common_virt"));
  CHECK(goes_to("exc_real_0x500_hardware_interrupt") == address_of(*image, "hardware_interrupt_common_real"));
  CHECK(goes_to("exc_virt_0x3000_system_call_vectored") == address_of(*image, "system_call_vectored_common"));
}

// Every row of the table that holds for 6.1 on Book3S names a symbol.
TEST_CASE("powerpc kernel: the entry table names what there is") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  std::set<std::string_view> missing;
  for (const EntryRow& row : image->arch().facts().entries)
    if (row.pattern.find('*') == std::string_view::npos && row.versions.empty() &&
        image->find_symbol(row.pattern) == nullptr)
      missing.insert(row.pattern);
  // Embedded; interrupts that only have a vector, or only a handler taken with translation off.
  for (std::string_view name : {"exc_system_call_book3e"}) missing.erase(name);
  for (std::string_view name : missing) CHECK(name.find("_common") != std::string_view::npos);
  for (std::string_view name : {"data_access_common_virt", "data_access_common_real", "system_reset_common",
                                "machine_check_early_common", "hardware_interrupt_common_virt", "soft_nmi_common"})
    CHECK(missing.count(name) == 0);
  CHECK(image->arch().variant_note(*image) ==
        "as linked, 1174 feature sections not resolved");  // 50160 / 48 + 6192 / 48
  // The first addi rX,r1,N of interrupt_return_srr_user is addi 3,1,112.
  CHECK(image->arch().facts_for(*image).contracts[0].frame_offset == 112);
  const Symbol* const callee = image->find_symbol("system_call_exception");  // st_other 0x60
  REQUIRE(callee != nullptr);
  CHECK(image->arch().code_address(*image, *callee) == callee->address + 8);
}

// Counted by a script over the bytes of __bug_table (7,139 records of 12 bytes): of the words 0x0fe00000 and 0x7fe00008
// in the four text sections, 3,151 have a record with bit 0 of the flags set, 253 + 2 one without, 4 have none.
TEST_CASE("powerpc kernel: traps that come back are those whose record says WARN") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  unsigned back = 0, ends = 0;
  for (const Section& section : image->sections()) {
    if (!section.executable) continue;
    for (std::uint64_t at = section.address; at + 4 <= section.address + section.bytes.size(); at += 4) {
      const std::optional<std::uint64_t> word = image->read(at, 4);
      if (word != 0x0fe00000 && word != 0x7fe00008) continue;
      const Flow flow = decoder.decode(at).flow;
      if (flow == Flow::next) ++back;
      if (flow == Flow::trap) ++ends;
    }
  }
  CHECK(back == 3151);
  CHECK(ends == 259);
}
