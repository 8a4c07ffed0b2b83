// SPDX-License-Identifier: Apache-2.0
//
// BTF: the format of the kernel's Documentation/bpf/btf.rst, in sections made here, and the struct pt_regs of a real
// kernel.
#include "disasm/image/btf.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "assemble.h"
#include "disasm/arch/arch.h"

namespace trapline {
namespace {

using test::Target;
using Bytes = std::vector<std::uint8_t>;

// Writes a .BTF section. Type ids are those of the order of calls, from 1.
class Section {
 public:
  explicit Section(bool little_endian) : little_(little_endian) { strings_.push_back(0); }

  std::uint32_t integer(std::uint32_t bytes) { return type("int", 1, 0, bytes, {bytes * 8}); }
  std::uint32_t array(std::uint32_t of, std::uint32_t count) { return type("", 3, 0, 0, {of, of, count}); }
  std::uint32_t alias(std::string_view name, std::uint32_t of) { return type(name, 8, 0, of, {}); }
  struct Member {
    std::string_view name;
    std::uint32_t type, byte;
  };
  std::uint32_t structure(std::string_view name, std::uint32_t bytes, const std::vector<Member>& members,
                          bool is_union = false) {
    std::vector<std::uint32_t> extra;
    for (const Member& m : members) extra.insert(extra.end(), {text(m.name), m.type, m.byte * 8});
    return type(name, is_union ? 5 : 4, static_cast<std::uint32_t>(members.size()), bytes, extra);
  }

  Bytes bytes() const {
    Bytes out;
    auto put = [&](std::uint32_t v, unsigned width) {
      for (unsigned i = 0; i < width; ++i)
        out.push_back(static_cast<std::uint8_t>(v >> (little_ ? 8 * i : 8 * (width - 1 - i))));
    };
    put(0xeb9f, 2), put(1, 1), put(0, 1), put(24, 4);
    const std::uint32_t types = static_cast<std::uint32_t>(words_.size() * 4);
    put(0, 4), put(types, 4), put(types, 4), put(static_cast<std::uint32_t>(strings_.size()), 4);
    for (std::uint32_t w : words_) put(w, 4);
    out.insert(out.end(), strings_.begin(), strings_.end());
    return out;
  }

 private:
  std::uint32_t text(std::string_view s) {
    if (s.empty()) return 0;
    const std::uint32_t at = static_cast<std::uint32_t>(strings_.size());
    strings_.insert(strings_.end(), s.begin(), s.end());
    strings_.push_back(0);
    return at;
  }
  std::uint32_t type(std::string_view name, std::uint32_t kind, std::uint32_t vlen, std::uint32_t size,
                     const std::vector<std::uint32_t>& extra) {
    words_.insert(words_.end(), {text(name), kind << 24 | vlen, size});
    words_.insert(words_.end(), extra.begin(), extra.end());
    return ++types_;
  }

  bool little_;
  std::uint32_t types_ = 0;
  std::vector<std::uint32_t> words_;
  Bytes strings_;
};

// PowerPC's way: a struct for user space and one with names of its own lie over each other.
Bytes nested(bool little_endian) {
  Section s(little_endian);
  const std::uint32_t word = s.alias("u64", s.integer(8));  // 2
  const std::uint32_t regs = s.array(word, 32);             // 3
  const std::uint32_t inner =
      s.structure("user_pt_regs", 272, {{"gpr", regs, 0}, {"nip", word, 256}, {"msr", word, 264}});
  const std::uint32_t both = s.structure("", 272, {{"user_regs", inner, 0}}, true);
  s.structure("pt_regs", 288, {{"", both, 8}, {"last", word, 280}});
  return s.bytes();
}

// Every byte of the section as assembly text, behind a routine.
std::string object_with(const Bytes& section) {
  std::string text = ".globl f\nf: nop\n.section .BTF,\"a\"\n";
  for (std::uint8_t b : section) text += fmt::format(".byte {}\n", b);
  return text;
}

const BtfMember* member(const BtfStruct& type, std::string_view name) {
  for (const BtfMember& m : type.members)
    if (m.name == name) return &m;
  return nullptr;
}

TEST_CASE("embedded structs and unions are flattened, in either byte order") {
  for (bool little : {true, false}) {
    const Bytes bytes = nested(little);
    const BtfResult r = read_btf_struct(bytes, little, "pt_regs");
    CHECK(r.problem.empty());
    REQUIRE(r.found);
    CHECK(r.found->size == 288);
    const BtfMember* gpr = member(*r.found, "gpr");
    REQUIRE(gpr != nullptr);
    CHECK(gpr->offset == 8);
    CHECK(gpr->width == 8);
    CHECK(gpr->count == 32);
    REQUIRE(member(*r.found, "msr") != nullptr);
    CHECK(member(*r.found, "msr")->offset == 272);
    CHECK(member(*r.found, "last")->offset == 280);
    CHECK_FALSE(read_btf_struct(bytes, little, "no_such").found);
    CHECK_FALSE(read_btf_struct(bytes, !little, "pt_regs").problem.empty());
  }
}

TEST_CASE("types that name each other in a circle end") {
  Section s(true);
  s.alias("a", 2);
  s.alias("b", 1);
  s.structure("pt_regs", 16, {{"x", 1, 0}, {"self", 3, 8}});
  const Bytes bytes = s.bytes();
  const BtfResult r = read_btf_struct(bytes, true, "pt_regs");
  REQUIRE(r.found);
  CHECK(member(*r.found, "x") == nullptr);
}

TEST_CASE("a struct that holds itself many times ends soon") {
  Section s(true);
  const std::vector<Section::Member> itself(8, {"self", 1, 0});
  s.structure("pt_regs", 8, itself);
  const Bytes bytes = s.bytes();
  const BtfResult r = read_btf_struct(bytes, true, "pt_regs");
  REQUIRE(r.found);
  CHECK(r.found->members.empty());
}

TEST_CASE("members that do not fit into the struct are a problem") {
  for (std::uint32_t at : {9u, 16u, 1u << 24}) {
    Section s(true);
    const std::uint32_t word = s.integer(8);
    s.structure("pt_regs", 16, {{"x", word, at}});
    const Bytes bytes = s.bytes();
    CHECK_FALSE(read_btf_struct(bytes, true, "pt_regs").found);
    CHECK_FALSE(read_btf_struct(bytes, true, "pt_regs").problem.empty());
  }
  Section s(true);
  const std::uint32_t empty = s.integer(0);
  s.structure("pt_regs", 16, {{"x", empty, 0}});
  const Bytes bytes = s.bytes();
  CHECK_FALSE(read_btf_struct(bytes, true, "pt_regs").found);
}

TEST_CASE("a struct without the known registers is not taken for pt_regs") {
  Section s(true);
  const std::uint32_t word = s.integer(8), registers = s.array(word, 31);  // one too few
  s.structure("pt_regs", 8 * 33, {{"regs", registers, 0}, {"csr_era", word, 248}, {"csr_prmd", word, 256}});
  const auto image = test::assemble(Target::loongarch64, object_with(s.bytes()));
  CHECK_FALSE(facts_of(*image).frames.front().from_image);
}

TEST_CASE("a section that is cut anywhere is a problem, or holds less") {
  const Bytes whole = nested(true);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const BtfResult r = read_btf_struct(std::span(whole).first(n), true, "pt_regs");
    CHECK_FALSE(r.problem.empty());
    CHECK_FALSE(r.found);
  }
}

TEST_CASE("changed bytes never do harm") {
  std::mt19937 random(1);
  const Bytes whole = nested(true);
  std::size_t problems = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = whole;
    for (unsigned k = random() % 4 + 1; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    const BtfResult r = read_btf_struct(bytes, true, "pt_regs");
    if (!r.problem.empty()) ++problems;
    if (r.found) CHECK(r.found->members.size() <= 4200);
  }
  CHECK(problems > 0);
}

TEST_CASE("an image's own BTF says where the slots are") {
  struct Case {
    Target target;
    bool little;
    std::uint32_t width, count;
    std::string_view array, slot;
    std::uint32_t element;
  };
  for (const Case& c : {Case{Target::loongarch64, true, 8, 32, "regs", "PT_R12", 12},
                        Case{Target::arm, true, 4, 18, "uregs", "S_SP", 13},
                        Case{Target::powerpc64le, true, 8, 32, "gpr", "PT_R14", 14},
                        Case{Target::powerpc, false, 4, 32, "gpr", "PT_R14", 14}}) {
    INFO(c.slot);
    Section s(c.little);
    const std::uint32_t word = s.integer(c.width), registers = s.array(word, c.count);
    // One word more in front than any kernel has. Behind the registers: the other names of all these architectures.
    std::vector<Section::Member> members = {{"added", word, 0}, {c.array, registers, c.width}};
    std::uint32_t end = c.width * (c.count + 1);
    for (std::string_view name : {"csr_era", "csr_prmd", "nip", "msr", "ctr", "link", "xer", "ccr"}) {
      members.push_back({name, word, end});
      end += c.width;
    }
    s.structure("pt_regs", end, members);
    const auto image = test::assemble(c.target, object_with(s.bytes()));
    CHECK(layout_problem(*image).empty());
    const FrameLayout& layout = facts_of(*image).frames.front();
    CHECK(layout.from_image);
    CHECK(layout.size == end);
    const auto slot = std::find_if(layout.slots.begin(), layout.slots.end(),
                                   [&](const Slot& candidate) { return candidate.name == c.slot; });
    REQUIRE(slot != layout.slots.end());
    CHECK(slot->offset == c.width * (c.element + 1));
    CHECK(slot->width == c.width);
    const auto plain = test::assemble(c.target, ".globl f\nf: nop\n");
    CHECK_FALSE(facts_of(*plain).frames.front().from_image);
  }
}

TEST_CASE("malformed BTF is said to be, and the architecture's table holds") {
  Bytes bytes = nested(true);
  bytes.resize(bytes.size() / 2);
  const auto image = test::assemble(Target::loongarch64, object_with(bytes));
  CHECK_FALSE(facts_of(*image).frames.front().from_image);
  CHECK_FALSE(layout_problem(*image).empty());
}

// arch/arm64/include/asm/ptrace.h of Linux 6.1: x0-x30 at 0, sp at 248, pc at 256, pstate at 264, orig_x0 at 272,
// syscallno (32 bits) at 280; 336 bytes.
TEST_CASE("struct pt_regs of a real arm64 kernel") {
  namespace fs = std::filesystem;
  const char* const folder = std::getenv("TRAPLINE_KERNELS");
  const fs::path packed = fs::path(folder == nullptr ? "" : folder) / "vmlinux-6.1.176-arm64.xz";
  std::error_code error;
  if (folder == nullptr || !fs::exists(packed, error)) {
    MESSAGE("skipped: TRAPLINE_KERNELS names no folder with vmlinux-6.1.176-arm64.xz");
    return;
  }
  const fs::path fresh = fs::temp_directory_path() / fmt::format("trapline-test-arm64.{}", ::getpid());
  REQUIRE(std::system(fmt::format("xz -dc '{}' > '{}'", packed.string(), fresh.string()).c_str()) == 0);
  auto file = llvm::MemoryBuffer::getFile(fresh.string());
  fs::remove(fresh, error);
  REQUIRE(file);
  auto object = llvm::object::ObjectFile::createELFObjectFile((*file)->getMemBufferRef());
  REQUIRE(static_cast<bool>(object));
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    auto name = section.getName();
    REQUIRE(static_cast<bool>(name));
    if (*name != ".BTF") continue;
    auto contents = section.getContents();
    REQUIRE(static_cast<bool>(contents));
    const std::span<const std::uint8_t> bytes(contents->bytes_begin(), contents->bytes_end());
    const BtfResult r = read_btf_struct(bytes, true, "pt_regs");
    CHECK(r.problem.empty());
    REQUIRE(r.found);
    CHECK(r.found->size == 336);
    struct Expected {
      std::string_view name;
      std::uint32_t offset, width, count;
    };
    for (const Expected& e :
         {Expected{"regs", 0, 8, 31}, Expected{"sp", 248, 8, 1}, Expected{"pc", 256, 8, 1},
          Expected{"pstate", 264, 8, 1}, Expected{"orig_x0", 272, 8, 1}, Expected{"syscallno", 280, 4, 1}}) {
      INFO(e.name);
      const BtfMember* m = member(*r.found, e.name);
      REQUIRE(m != nullptr);
      CHECK(m->offset == e.offset);
      CHECK(m->width == e.width);
      CHECK(m->count == e.count);
    }
    return;
  }
  FAIL("the kernel has no .BTF section");
}

}  // namespace
}  // namespace trapline
