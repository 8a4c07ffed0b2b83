// SPDX-License-Identifier: Apache-2.0
//
// A real kernel: every instruction of its .text against LLVM's opinion and against the text of llvm-objdump, whose
// mnemonics are classified here anew, from the list of instructions in the manual. The folder in TRAPLINE_KERNELS holds
// vmlinux-7.2.12-loong64.xz (Debian's debug package of that kernel).
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
#include "loongarch_machine.h"

using namespace trapline;
using namespace trapline::test;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kernel_name = "vmlinux-7.2.12-loong64";

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

using Counts = std::map<std::string, std::uint64_t>;

// Mnemonics as llvm-objdump prints them, aliases included.
const std::map<std::string, std::string>& kinds() {
  static const std::map<std::string, std::string> table = [] {
    std::map<std::string, std::string> t;
    const auto add = [&](const char* kind, std::initializer_list<const char*> mnemonics) {
      for (const char* m : mnemonics) t[m] = kind;
    };
    add("load",
        {"ld.b",    "ld.bu",   "ld.h",  "ld.hu",     "ld.w",      "ld.wu",     "ld.d",      "ldx.b",     "ldx.bu",
         "ldx.h",   "ldx.hu",  "ldx.w", "ldx.wu",    "ldx.d",     "ldptr.w",   "ldptr.d",   "ll.w",      "ll.d",
         "llacq.w", "llacq.d", "fld.s", "fld.d",     "fldx.s",    "fldx.d",    "vld",       "vldx",      "xvld",
         "xvldx",   "lddir",   "ldpte", "vldrepl.b", "vldrepl.h", "vldrepl.w", "vldrepl.d", "xvldrepl.d"});
    add("store", {"st.b",    "st.h", "st.w", "st.d", "stx.b",   "stx.h",    "stx.w",    "stx.d",    "stptr.w",
                  "stptr.d", "sc.w", "sc.d", "sc.q", "screl.w", "screl.d",  "fst.s",    "fst.d",    "fstx.s",
                  "fstx.d",  "vst",  "vstx", "xvst", "xvstx",   "vstelm.b", "vstelm.h", "vstelm.w", "vstelm.d"});
    for (const char* op : {"swap", "add", "and", "or", "xor", "max", "min", "cas"}) {
      for (const char* order : {"", "_db"}) {
        for (const char* width : {"b", "h", "w", "d", "wu", "du"})
          t[fmt::format("am{}{}.{}", op, order, width)] = "rmw";
      }
    }
    add("branch", {"b",    "beq",  "bne",  "blt", "bge", "bltu", "bgeu", "beqz",  "bnez",  "bltz",
                   "bgez", "blez", "bgtz", "bgt", "ble", "bgtu", "bleu", "bceqz", "bcnez", "jr"});
    add("call", {"bl"});
    add("return", {"ret", "ertn"});
    add("barrier", {"dbar", "ibar"});
    add("nop", {"nop"});
    add("system",
        {"csrrd",     "csrwr",     "csrxchg",   "gcsrrd",    "gcsrwr",    "gcsrxchg",  "iocsrrd.b", "iocsrrd.h",
         "iocsrrd.w", "iocsrrd.d", "iocsrwr.b", "iocsrwr.h", "iocsrwr.w", "iocsrwr.d", "cacop",     "tlbclr",
         "tlbflush",  "gtlbflush", "tlbsrch",   "tlbrd",     "tlbwr",     "tlbfill",   "invtlb",    "idle",
         "break",     "syscall",   "hvcl",      "dbcl",      "ud"});
    return t;
  }();
  return table;
}

std::string kind_of_line(const std::string& line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos) return {};
  const std::size_t end = line.find_first_of(" \t\n", start);
  const std::string mnemonic = line.substr(start, end - start);
  // jirl without an alias: a call unless the link goes to register 0. The text is "jirl\t$ra, $t0, 0".
  if (mnemonic == "jirl") return line.find("$zero,", end) == line.find('$', end) ? "branch" : "call";
  const auto found = kinds().find(mnemonic);
  return found == kinds().end() ? "other" : found->second;
}

// Instructions of each kind in the text of llvm-objdump; empty when it cannot be run.
Counts count_objdump(const fs::path& kernel) {
  Counts counts;
  const std::string command = fmt::format(
      "llvm-objdump-22 -d --section=.text --no-show-raw-insn --no-leading-addr '{}' 2>/dev/null", kernel.string());
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return counts;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    const std::string line = buffer.data();
    // Instructions are indented; headings, labels and "..." are not, or hold no mnemonic.
    if (line.empty() || (line[0] != ' ' && line[0] != '\t') || line.find("...") != std::string::npos) continue;
    if (line.find("<unknown>") != std::string::npos) continue;
    const std::string kind = kind_of_line(line);
    if (!kind.empty()) ++counts[kind];
  }
  return ::pclose(pipe) == 0 ? counts : Counts();
}

std::string kind_of(const Insn& insn) {
  switch (insn.cls) {
    case InsnClass::load:
      return "load";
    case InsnClass::store:
      return "store";
    case InsnClass::load_store:
      return "rmw";
    case InsnClass::branch:
      return "branch";
    case InsnClass::call:
      return "call";
    case InsnClass::ret:
      return "return";
    case InsnClass::system:
      return "system";
    case InsnClass::barrier:
      return "barrier";
    case InsnClass::nop:
      return "nop";
    case InsnClass::other:
      return "other";
    case InsnClass::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

TEST_CASE("loongarch kernel: every instruction agrees with LLVM and with objdump's text") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Section* const text = image->section_named(".text");
  REQUIRE(text != nullptr);
  const Decoder decoder(*image);
  Counts counts;
  std::set<std::string> disagreements;
  for (std::uint64_t at = text->address; at + 4 <= text->address + text->bytes.size(); at += 4) {
    const Decoded decoded = decoder.raw(at);
    if (!decoded.valid) continue;
    const Insn insn = decoder.decode(at);
    ++counts[kind_of(insn)];
    if (insn.flow == Flow::unknown) disagreements.insert(fmt::format("{} is not lifted", decoded.opcode));
    if (decoded.may_affect_flow && insn.flow == Flow::next)
      disagreements.insert(fmt::format("{} affects control flow for LLVM", decoded.opcode));
    if (decoded.target && decoded.target != insn.target)
      disagreements.insert(fmt::format("{} at {:#x} has another target for LLVM", decoded.opcode, at));
    // A register that LLVM says is written is written by a micro-operation.
    for (const std::string_view def : decoded.defs) {
      if (def.size() < 2 || def[0] != 'R' || def[1] < '0' || def[1] > '9') continue;
      const auto number = static_cast<std::uint16_t>(std::stoi(std::string(def.substr(1))));
      bool written = number == 0;
      for (const MicroOp& op : insn.ops)
        written = written || (op.dst.kind == Operand::Kind::place && op.dst.index == number);
      if (!written) disagreements.insert(fmt::format("{} does not write {}", decoder.text(at), def));
    }
    if (disagreements.size() > 20) break;
  }
  for (const std::string& disagreement : disagreements) FAIL_CHECK(disagreement);

  const Counts expected = count_objdump(kernel);
  if (expected.empty()) {
    MESSAGE("skipped: llvm-objdump-22 cannot be run, its text was not compared");
    return;
  }
  CHECK(expected.at("load") > 100000);
  for (const auto& [kind, count] : expected) {
    CAPTURE(kind);
    CHECK(counts[kind] == count);
  }
  CHECK(counts.size() == expected.size());
}

TEST_CASE("loongarch kernel: .la_abs makes the stubs reach their handlers") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  const auto address = [&](std::string_view name) {
    const Symbol* const symbol = image->find_symbol(name);
    REQUIRE(symbol != nullptr);
    return symbol->address;
  };
  const auto goes_to = [&](std::string_view from, std::uint64_t offset) -> Machine::Value {
    Machine machine;
    Insn insn;
    for (std::uint64_t at = address(from) + offset;
         insn.flow != Flow::indirect_jump && insn.flow != Flow::indirect_call; at += 4) {
      insn = decoder.decode(at);
      REQUIRE(insn.size == 4);
      machine.run(insn);
    }
    return machine.value(insn.jump_to);
  };
  // Offsets of the first lu12i.w of the sequence before the jump, read in llvm-objdump's text.
  CHECK(goes_to("handle_sys", 0) == address("handle_syscall"));
  CHECK(goes_to("handle_tlb_load_ptw", 8) == address("tlb_do_page_fault_0"));
  CHECK(goes_to("handle_tlb_store_ptw", 8) == address("tlb_do_page_fault_1"));
  CHECK(goes_to("handle_vint", 0x144) == address("do_vint"));
  CHECK(goes_to("handle_ade", 0x128) == address("do_ade"));
}

// Every row of the table that is not for older kernels names a symbol; one that is, is void here.
TEST_CASE("loongarch kernel: the entry table names what there is") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  for (const EntryRow& row : image->arch().facts().entries) {
    CAPTURE(row.pattern);
    if (row.pattern.find('*') != std::string_view::npos) continue;
    CHECK(image->find_symbol(row.pattern) != nullptr);
    if (!row.unless.empty()) CHECK(image->find_symbol(row.unless) != nullptr);
  }
}

// The numbers come from a script of 12 lines over the bytes of __bug_table: 8,956 records of 12 bytes, each naming a
// word 0x002a0001 in .text, .init.text or .exit.text; 7,529 have bit 0 of the last halfword set.
TEST_CASE("loongarch kernel: breaks that come back are those whose record says WARN") {
  const fs::path kernel = unpacked_kernel();
  if (kernel.empty()) return;
  const std::unique_ptr<Image> image = Image::open(kernel.string());
  const Decoder decoder(*image);
  unsigned back = 0, ends = 0;
  for (const Section& section : image->sections()) {
    if (!section.executable) continue;
    for (std::uint64_t at = section.address; at + 4 <= section.address + section.bytes.size(); at += 4) {
      if (image->read(at, 4) != 0x002a0001) continue;
      const Flow flow = decoder.decode(at).flow;
      if (flow == Flow::next) ++back;
      if (flow == Flow::trap) ++ends;
    }
  }
  CHECK(back == 7529);
  CHECK(ends == 1427);
}
