// SPDX-License-Identifier: Apache-2.0
//
// Headers written here, in the shapes that kernels have. What they mean follows from the C standard (6.10, 6.5).
#include "analyzer/kernel_headers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "../folder.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;
using Value = KernelHeaders::Value;

// A kernel source of these headers, by path.
class Source {
 public:
  Source(std::initializer_list<std::pair<std::string, std::string>> headers) {
    for (const auto& [name, text] : headers) {
      fs::create_directories(fs::path(folder_.file(name)).parent_path());
      folder_.file(name, {text.begin(), text.end()});
    }
  }
  explicit Source(const std::string& text) : Source({{"arch/arm/include/asm/thread_info.h", text}}) {}
  KernelHeaders read() const { return {folder_.path(), "arm", "asm/thread_info.h"}; }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  Folder folder_;
};

std::optional<std::uint64_t> exact(const std::string& text, const std::string& name) {
  const KernelHeaders headers = Source(text).read();
  REQUIRE(headers.found());
  const Value v = headers.value(name);
  return v.is_exact() ? std::optional(v.set) : std::nullopt;
}

std::optional<std::uint64_t> number(const std::string& expression) { return exact("#define X " + expression, "X"); }

}  // namespace

TEST_CASE("kernel headers: expressions") {
  CHECK(number("12") == 12);
  CHECK(number("0x1F") == 31);
  CHECK(number("010") == 8);
  CHECK(number("7UL") == 7);
  CHECK(number("(1 << 4) | (1UL<<0)") == 17);
  CHECK(number("1 << 2 + 1") == 8);     // + binds tighter
  CHECK(number("1 | 2 & 3 ^ 1") == 3);  // & before ^ before |
  CHECK(number("~0x0fULL & 0xff") == 0xf0);
  CHECK(number("BIT(3) | _BITUL(1)") == 10);
  CHECK(number("_AC(5, UL)") == 5);
  CHECK(number("1 ? 2 : 3") == 2);
  CHECK(number("(2 > 1) && !(3 <= 2)") == 1);
  CHECK(number("3 == 3") == 1);
  for (const char* bad :
       {"", "(1", "1)", "1 +", "sizeof(long)", "\"text\"", "0x", "1 2", "@", "12ab", "1 << 64", "5 / 0"})
    CHECK_MESSAGE(number(bad) == std::nullopt, bad);
}

TEST_CASE("kernel headers: names, lines and comments") {
  const std::string text =
      "/* #define TIF_A 9 */\n"
      "#define TIF_A 1 /* one */\n"
      "  #  define TIF_B 2 // two\n"
      "#define _TIF_A (1 << TIF_A)\n"
      "#define _TIF_B BIT(TIF_B)\r\n"
      "#define MASK (_TIF_A | \\\n"
      "              _TIF_B)\n"
      "#define TIF_C \"/*\"\n"
      "#define TIF_D 4\n"
      "#undef TIF_D\n"
      "#define TIF_E(x) 5\n";
  CHECK(exact(text, "MASK") == 6);
  const KernelHeaders headers = Source(text).read();
  CHECK(headers.names("TIF_") == std::vector<std::string>{"TIF_A", "TIF_B", "TIF_C"});
  CHECK(headers.value("TIF_C").is_unknown());
  CHECK(headers.value("nowhere").is_unknown());
}

TEST_CASE("kernel headers: a condition that is decided takes one side, any other takes both") {
  const std::string text =
      "#ifndef __GUARD\n#define __GUARD\n#ifdef __KERNEL__\n"
      "#define HAVE_LAZY\n"
      "#ifdef HAVE_LAZY\n#define TIF_A 1\n#else\n#define TIF_A 2\n#endif\n"
      "#ifdef CONFIG_X\n#define TIF_B 3\n#else\n#define TIF_B 4\n#endif\n"
      "#if defined(CONFIG_Y) && 0\n#define TIF_C 5\n#elif 1\n#define TIF_C 6\n#endif\n"
      "#ifndef __ASSEMBLY__\n#define TIF_D 7\n#endif\n"
      "#if IS_ENABLED(CONFIG_Z)\n#define TIF_E 8\n#define M_E BIT(TIF_E)\n#else\n#define M_E 0\n#endif\n"
      "#define TIF_F 9\n"
      "#define MASK (M_E | BIT(TIF_F))\n"
      "#endif\n#endif\n";
  const KernelHeaders headers = Source(text).read();
  CHECK(exact(text, "TIF_A") == 1);
  CHECK(headers.is_certain("TIF_A"));
  CHECK_FALSE(headers.value("TIF_B").is_exact());
  CHECK(headers.alternatives("TIF_B") == std::vector<std::uint64_t>{3, 4});
  CHECK(exact(text, "TIF_C") == 6);
  CHECK(headers.is_certain("TIF_C"));
  CHECK_FALSE(headers.is_defined("TIF_D"));
  CHECK(exact(text, "TIF_E") == 8);
  CHECK_FALSE(headers.is_certain("TIF_E"));
  CHECK(headers.value("MASK").set == 0x200);
  CHECK(headers.value("MASK").may == 0x300);
  CHECK(headers.problems().empty());
}

TEST_CASE("kernel headers: those that number flags are followed, others are not") {
  const Source source{
      {"arch/arm/include/asm/thread_info.h",
       "#include <linux/missing.h>\n#include <asm/other.h>\n#define HAVE_IT\n#include <asm-generic/thread_info_tif.h>\n"
       "#include <asm/thread_info_gone.h>\n#include \"asm/thread_info.h\"\n#include <asm/../asm/thread_info_up.h>\n"},
      {"arch/arm/include/asm/other.h", "#define TIF_OTHER 1\n"},
      {"arch/arm/include/asm/thread_info_up.h", "#define TIF_UP 1\n"},
      {"include/asm-generic/thread_info_tif.h", "#ifdef HAVE_IT\n#define TIF_GENERIC 2\n#endif\n"}};
  const KernelHeaders headers = source.read();
  CHECK(headers.names("TIF_") == std::vector<std::string>{"TIF_GENERIC"});
  CHECK(headers.is_certain("TIF_GENERIC"));
  CHECK(headers.problems().empty());
}

TEST_CASE("kernel headers: a source without the header gives nothing, and no complaint") {
  const KernelHeaders headers = Source({{"README", "nothing"}}).read();
  CHECK_FALSE(headers.found());
  CHECK(headers.problems().empty());
}

TEST_CASE("kernel headers: macros that contain themselves or grow without end are unknown") {
  CHECK(exact("#define A B\n#define B A\n", "A") == std::nullopt);
  CHECK(exact("#define A (A | 1)\n", "A") == std::nullopt);
  std::string doubling = "#define M0 1\n";  // 2^200 terms when written out
  for (int i = 1; i <= 200; ++i) doubling += fmt::format("#define M{} (M{} | M{})\n", i, i - 1, i - 1);
  CHECK(exact(doubling, "M200") == std::nullopt);
  CHECK(exact("#define A " + std::string(100'000, '(') + "1\n", "A") == std::nullopt);
  CHECK(exact("#define A " + std::string(100'000, '~') + "1\n", "A") == std::nullopt);
  std::string chain = "#define A 1";
  for (int i = 0; i < 50'000; ++i) chain += " ? 1 : 0";
  CHECK(exact(chain + "\n", "A") == std::nullopt);
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += "#if CONFIG_A\n";
  const KernelHeaders headers = Source(deep + "#define A 1\n").read();
  CHECK_FALSE(headers.is_certain("A"));
  CHECK(headers.problems().size() == 1);  // it ends within an #if
}

TEST_CASE("kernel headers: garbage is ignored") {
  std::string noise;
  std::uint32_t x = 1;
  for (int i = 0; i < 200'000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  const std::string stray = "\n#endif\n#else\n#elif\n#define\n#undef\n#include\n";
  CHECK(Source(noise + stray).read().found());
  CHECK(exact(stray + "#define TIF_A 1\n", "TIF_A") == 1);
}

TEST_CASE("kernel headers: what cannot be read is named") {
  const std::string header = "arch/arm/include/asm/thread_info.h";
  const Source folder{{header + "/file", ""}};
  CHECK_FALSE(folder.read().found());
  CHECK(folder.read().problems() == std::vector<std::string>{header + " is no file; ignored"});

  const Source large(std::string((1 << 20) + 1, '\n'));
  CHECK_FALSE(large.read().found());
  CHECK(large.read().problems() == std::vector<std::string>{header + " is larger than 1048576 bytes; ignored"});

  // A pipe that nobody writes to would be waited for.
  const Source pipe{{"arch/arm/include/asm/other.h", ""}};
  REQUIRE(mkfifo(pipe.file(header).c_str(), 0600) == 0);
  CHECK(pipe.read().problems() == std::vector<std::string>{header + " is no file; ignored"});

  const Source closed("#define TIF_A 1\n");
  REQUIRE(chmod(closed.file(header).c_str(), 0) == 0);
  if (geteuid() != 0) CHECK(closed.read().problems() == std::vector<std::string>{header + " cannot be read; ignored"});

  const Source loop{{"arch/arm/include/asm/other.h", ""}};
  REQUIRE(symlink("thread_info.h", loop.file(header).c_str()) == 0);
  CHECK_FALSE(loop.read().found());
  CHECK(loop.read().problems().size() == 1);
}

}  // namespace trapline::test
