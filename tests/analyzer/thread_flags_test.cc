// SPDX-License-Identifier: Apache-2.0
//
// Which source gives the numbers of the thread flags, and the instructions that a finding proposes. Numbers of ARM:
// arch/arm/include/asm/thread_info.h before and after commit 191f8453fc99. What is an immediate, the assembler says.
#include "analyzer/thread_flags.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "../cfg/assemble.h"
#include "../folder.h"
#include "disasm/arch/arm/arm.h"
#include "disasm/arch/loongarch/loongarch.h"
#include "disasm/arch/powerpc/powerpc.h"
#include "disasm/error.h"

namespace trapline::test {
namespace {

constexpr std::string_view header = "arch/arm/include/asm/thread_info.h";

std::unique_ptr<Image> kernel(const std::string& banner) {
  std::string text = "ret_to_user:\nnop\n";
  if (!banner.empty()) text += ".section .rodata\n.globl linux_banner\nlinux_banner: .asciz \"" + banner + "\"\n";
  return assemble(Target::arm, text);
}

// A kernel source with that thread_info.h.
struct Source {
  Folder folder;
  explicit Source(std::string_view text) {
    std::filesystem::create_directories(folder.file("arch/arm/include/asm"));
    folder.file(std::string(header), {text.begin(), text.end()});
  }
};

ThreadFlagSearch search(const Image& image, const std::optional<std::string>& source = {},
                        const std::string& config = "") {
  return find_thread_flags(image, source, parse_config(config, "f.toml"));
}

std::string complaint(const std::string& source) {
  try {
    search(*kernel(""), source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view good =
    "#define TIF_ONE 1\n#define TIF_TWO 2\n#define TIF_TRACE 9\n"
    "#define _TIF_WORK_MASK (BIT(TIF_ONE) | BIT(TIF_TWO))\n#define _TIF_SYSCALL_WORK BIT(TIF_TRACE)\n";
constexpr const char* config = "[arch.arm.thread-flags]\nbits = { TIF_C = 3 }\nwork = [\"TIF_C\"]\n";
constexpr const char* banner = "Linux version 6.12.5 (here) #1 SMP";

// The text of a proposal with registers in it, a line an instruction.
std::string filled(std::string text, std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [from, to] : names)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  std::replace(text.begin(), text.end(), ';', '\n');
  return text + "\n";
}

}  // namespace

TEST_CASE("thread flags: a kernel source comes first, then the configuration, then the table") {
  const std::unique_ptr<Image> image = kernel(banner);
  const Source source(good);
  ThreadFlagSearch found = search(*image, source.folder.path(), config);
  REQUIRE(found.found);
  CHECK(found.found->work == 0x6);
  CHECK(found.found->syscall_work == 0x200);
  CHECK(found.found->defined() == 0x206);
  CHECK(found.found->source == std::string(header) + " (--kernel-src)");
  CHECK(found.remarks.empty());

  found = search(*image, {}, config);
  REQUIRE(found.found);
  CHECK(found.found->work == 0x8);
  CHECK(found.found->source == "f.toml:1");

  found = search(*image);
  REQUIRE(found.found);
  CHECK(found.found->work == 0x1f);
  CHECK(found.found->syscall_work == 0xf00000);

  CHECK_FALSE(search(*kernel("")).found);
}

TEST_CASE("thread flags: the table goes by the version that the banner tells") {
  const auto work = [](const std::string& version) -> std::uint64_t {
    const ThreadFlagSearch found = search(*kernel("Linux version " + version));
    return found.found ? found.found->work : 0;
  };
  constexpr std::uint64_t first = 0x10f, renumbered = 0x1f;  // TIF_NOTIFY_SIGNAL is 8, then 4
  CHECK(work("5.10.0 (x)") == 0);
  CHECK(work("5.11.0 (x)") == first);
  CHECK(work("5.15.85 (x)") == first);
  CHECK(work("5.15.90 (x)") == renumbered);
  CHECK(work("5.19.17 (x)") == first);
  CHECK(work("6.1.0 (x)") == first);
  CHECK(work("6.1.4 (x)") == 0);  // around the backport nobody has looked
  CHECK(work("6.1.0-50-armmp (a@b) (gcc 12.2.0) # SMP Debian 6.1.176-1 (2026-07-02)") == renumbered);
  CHECK(work("6.1.0-custom (a@b) (gcc 12.2.0) #1 SMP") == 0);
  CHECK(work("6.2.0 (x)") == renumbered);
  CHECK(work("6.12.117+deb13-armmp (x)") == renumbered);
  CHECK(work("6.13.0 (x)") == 0);
  CHECK(work("nonsense") == 0);
}

TEST_CASE("thread flags: a source that is no folder is an error") {
  CHECK(complaint("/nowhere/at/all") ==
        "/nowhere/at/all: there is no such folder; --kernel-src takes the root of a kernel source");
  const Folder folder;
  const std::string file = folder.file("file", {});
  CHECK(complaint(file) == file + ": is no folder; --kernel-src takes the root of a kernel source");
  CHECK(complaint(folder.path()) == "");  // it just does not help
}

TEST_CASE("thread flags: a header that does not help leaves the word to the next source, with a reason") {
  const std::unique_ptr<Image> image = kernel(banner);
  for (const char* text :
       {"", "#define TIF_ONE 1\n", "#define TIF_ONE 1\n#define _TIF_WORK_MASK work(TIF_ONE)\n",
        "#define TIF_ONE 1\n#define _TIF_WORK_MASK _TIF_WORK_MASK\n", "#define _TIF_WORK_MASK 3\n"}) {
    const Source source(text);
    const ThreadFlagSearch found = search(*image, source.folder.path());
    REQUIRE(found.found);
    CHECK(found.found->work == 0x1f);
    CHECK(found.remarks ==
          std::vector<std::string>{"--kernel-src: " + std::string(header) + " does not say what _TIF_WORK_MASK is"});
  }
}

TEST_CASE("thread flags: what depends on the kernel's configuration is uncertain") {
  const Source source(
      "#define TIF_ONE 1\n"
      "#ifdef CONFIG_A\n#define TIF_TWO 2\n#define _TIF_TWO BIT(TIF_TWO)\n#else\n#define _TIF_TWO 0\n#endif\n"
      "#ifdef CONFIG_B\n#define TIF_TRACE 9\n#else\n#define TIF_TRACE 10\n#endif\n"
      "#define TIF_FAR 40\n"
      "#define _TIF_WORK_MASK (BIT(TIF_ONE) | _TIF_TWO)\n");
  const ThreadFlagSearch found = search(*kernel(""), source.folder.path());
  REQUIRE(found.found);
  CHECK(found.found->work == 0x2);
  CHECK(found.found->uncertain == 0x604);
  CHECK(found.found->defined() == 0x2);
  CHECK(found.found->syscall_work == 0);
}

TEST_CASE("thread flags: a configuration without work is named, and not used") {
  const ThreadFlagSearch found = search(*kernel(""), {}, "[arch.arm.thread-flags]\nbits = { TIF_C = 3 }\n");
  CHECK_FALSE(found.found);
  CHECK(found.remarks ==
        std::vector<std::string>{"f.toml:1: thread-flags has no 'work'; say which flags are work on every exit"});
}

TEST_CASE("thread flags: ARM tests eight bits at even places, shifts, or tests twice") {
  CHECK(arm().flags_test(0x1f, 0xf0001f) == "tst rN, #0x1f");
  CHECK(arm().flags_test(0xf00000, 0xf0001f) == "tst rN, #0xf00000");
  CHECK(arm().flags_test(0xc000003f, ~0ull) == "tst rN, #0xc000003f");  // rotated around the end
  // Bits 0-3 and 8, with 4-7 used: no immediate and no shift.
  CHECK(arm().flags_test(0x10f, 0x1ff) == "tst rN, #0xf; tsteq rN, #0x100");
  CHECK(arm().flags_test(0x10f, 0x10f) == "movs rN, rN, lsl #23");          // bits 0-8, the fewest
  CHECK(arm().flags_test(0x1ff0000, 0x1ff000f) == "movs rN, rN, lsr #16");  // bits 16-31
  CHECK(arm().flags_test(0x10101, ~0ull) == "ldr rM, =0x10101; tst rN, rM");
  for (std::uint64_t wanted : {0x1full, 0x10full, 0xf0001full, 0xc000003full, 0x10101ull, 0x80000001ull, 0x102ull})
    assemble(Target::arm,
             ".syntax unified\n" + filled(arm().flags_test(wanted, ~0ull), {{"rN", "r1"}, {"rM", "r2"}}) + ".ltorg\n");
}

TEST_CASE("thread flags: tests of PowerPC and LoongArch can be assembled") {
  CHECK(powerpc64le().flags_test(0x6066, 0xffff) == "andi. r0, rN, 0x6066");
  CHECK(powerpc64le().flags_test(0x30000, 0xfffff) == "andis. r0, rN, 0x3");
  CHECK(loongarch64().flags_test(0x9e, 0xffff) == "andi $tM, $tN, 0x9e; bnez $tM");
  CHECK(loongarch64().flags_test(0x30000, 0x3ffff) == "bstrpick.d $tM, $tN, 17, 16; bnez $tM");
  for (std::uint64_t wanted : {0x6066ull, 0x30000ull, 0x18001ull, 0x80000000ull}) {
    assemble(Target::powerpc64le,
             filled(powerpc64le().flags_test(wanted, ~0ull), {{"rN", "4"}, {"rM", "5"}, {"r0", "0"}}));
    assemble(Target::loongarch64, filled(loongarch64().flags_test(wanted, ~0ull),
                                         {{"bnez $tM", "bnez $t1, 0"}, {"$tM", "$t1"}, {"$tN", "$t0"}}));
  }
}

}  // namespace trapline::test
