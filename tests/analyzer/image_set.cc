// SPDX-License-Identifier: Apache-2.0
//
// A kernel with a vDSO in its read-only data: good-vdso-loongarch64 inside good-loongarch64 (tests/image).
#include "analyzer/image_set.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "../disasm/image_samples.h"
#include "../folder.h"
#include "analyzer/analyze.h"
#include "disasm/error.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;

Bytes kernel_with(Bytes vdso) {
  std::string hex;
  for (const std::uint8_t byte : vdso) hex += fmt::format("{:02x}", byte);
  std::string yaml = read_text("tests/image/good-loongarch64.yaml");
  yaml.insert(
      yaml.find("Symbols:\n"),
      fmt::format("  - {{ Name: .rodata, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC ], Address: 0x9000000000800000, "
                  "Content: '{}' }}\n",
                  hex));
  return elf_of(yaml + fmt::format("  - {{ Name: vdso_start, Section: .rodata, Value: 0x9000000000800000 }}\n"
                                   "  - {{ Name: vdso_end, Section: .rodata, Value: {:#x} }}\n",
                                   0x9000000000800000 + vdso.size()));
}

Bytes kernel() { return kernel_with(sample_bytes("good-vdso-loongarch64")); }

// "vmlinux: handle_syscall; vmlinux!vdso64: __vdso_getcpu", or the error.
std::string selected(const std::string& path, const std::vector<std::string>& wanted) {
  std::string text;
  try {
    ImageSet images(path);
    for (const Selection& selection : select_entries(images, wanted)) {
      if (!text.empty()) text += "; ";
      text += fs::path(selection.image->path()).filename().string() + ":";
      for (const Entry& e : selection.entries) text += " " + e.report.name;
    }
  } catch (const Error& error) {
    text = error.what();
    text.erase(0, text.find(path) == 0 ? fs::path(path).parent_path().string().size() + 1 : 0);
  }
  return text;
}

}  // namespace

TEST_CASE("image set: the kernel and its vDSO without --entry, and whoever has the name with it") {
  const Folder folder;
  const std::string path = folder.file("vmlinux", kernel());
  const std::string exports = "vmlinux!vdso64: __vdso_gettimeofday __vdso_rt_sigreturn __vdso_getcpu";
  CHECK(selected(path, {}) == "vmlinux: handle_syscall; " + exports);
  CHECK(selected(path, {"handle_syscall"}) == "vmlinux: handle_syscall");
  CHECK(selected(path, {"__vdso_getcpu"}) == "vmlinux!vdso64: __vdso_getcpu");
  CHECK(selected(path, {"gettimeofday"}) == "vmlinux!vdso64: __vdso_gettimeofday");
  CHECK(selected(path, {"__vdso_getcpu@LINUX_6.11"}) == "vmlinux!vdso64: __vdso_getcpu");
  CHECK(selected(path, {"__vdso_getcpu", "handle_syscall"}) ==
        "vmlinux: handle_syscall; vmlinux!vdso64: __vdso_getcpu");
  CHECK(selected(path, {"handle_sys*", "__vdso_get*"}) ==
        "vmlinux: handle_syscall; vmlinux!vdso64: __vdso_gettimeofday __vdso_getcpu");
  // A glob means all images: the three symbols of one name in the kernel, the routines of the vDSO.
  CHECK(selected(path, {"*t*c*"}) == "vmlinux: twice twice twice; vmlinux!vdso64: __vdso_getcpu");
}

TEST_CASE("image set: a name that no image has is unknown, and the nearest name may be a vDSO's") {
  const Folder folder;
  const std::string path = folder.file("vmlinux", kernel());
  CHECK(selected(path, {"__vdso_getcp"}) == "vmlinux: no function named __vdso_getcp; did you mean __vdso_getcpu?");
  CHECK(selected(path, {"handle_syscall", "nothing_like_it"}) ==
        "vmlinux: no function named nothing_like_it; 'trapline entries' lists the entry routines");
}

TEST_CASE("image set: a vDSO is looked for only when the kernel has not all that is wanted") {
  const Folder folder;
  Bytes vdso = sample_bytes("good-vdso-loongarch64");
  vdso[0x3c] = 0xff;  // e_shnum
  const std::string path = folder.file("vmlinux", kernel_with(vdso));
  CHECK(selected(path, {"handle_syscall"}) == "vmlinux: handle_syscall");
  const std::string damaged = "vmlinux!vdso64: 255 section headers at offset";
  CHECK(selected(path, {}).starts_with(damaged));
  CHECK(selected(path, {"__vdso_getcpu"}).starts_with(damaged));
}

TEST_CASE("image set: an embedded vDSO can be named as an image") {
  const Folder folder;
  const std::string path = folder.file("vmlinux", kernel());
  CHECK(selected(path + "!vdso64", {"__vdso_getcpu"}) == "vmlinux!vdso64: __vdso_getcpu");
  CHECK(selected(path + "!vdso64", {"handle_syscall"}).starts_with("vmlinux!vdso64: no function named handle_syscall"));
  CHECK(selected(path + "!vdso32", {}) == path + ": holds no vDSO 'vdso32'; those in it are: vdso64");
  const std::string plain = folder.file("plain", sample_bytes("good-loongarch64"));
  CHECK(selected(plain + "!vdso64", {}) == plain + ": holds no vDSO 'vdso64'; there is none in it");
  // A file may have such a name.
  CHECK(selected(folder.file("a!b", sample_bytes("good-loongarch64")), {}) == "a!b: handle_syscall");
}

TEST_CASE("image set: one routine for cfg") {
  const Folder folder;
  ImageSet images(folder.file("vmlinux", kernel()));
  AnalyzeOptions options;
  options.entries = {"__vdso_rt_sigreturn"};
  const CfgReport report = analyze_cfg(images, options);
  CHECK(report.name == "__vdso_rt_sigreturn");
  CHECK(report.role == Role::vdso);
  CHECK(report.head.path == images.main().path() + "!vdso64");
  REQUIRE(report.blocks.size() == 1);
  CHECK(report.blocks[0].end == "no-return");
  options.entries = {"__vdso_rt_sigreturn", "handle_syscall"};
  CHECK_THROWS_WITH_AS((void)analyze_cfg(images, options),
                       fmt::format("{0}: cfg draws one routine, and --entry names 2: handle_syscall of {0}, "
                                   "__vdso_rt_sigreturn of {0}!vdso64",
                                   images.main().path())
                           .c_str(),
                       Error);
}

TEST_CASE("image set: paths of a vDSO's exports, by the function ABI") {
  const Folder folder;
  ImageSet images(folder.file("vmlinux", kernel()));
  const std::vector<PathsReport::ImagePart> parts = analyze_paths(images, {});
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].head.kind == "vdso");
  CHECK(parts[1].head.build_id == "00112233445566778899aabbccddeeff01234567");
  REQUIRE(parts[1].routines.size() == 3);
  const RoutineReport& time = parts[1].routines[0];
  CHECK(time.name == "__vdso_gettimeofday");
  CHECK(time.version == "LINUX_5.10");
  CHECK(time.aliases == std::vector<std::string>{"gettimeofday"});
  CHECK(time.role == Role::vdso);
  // beqz $a0, 8; st.d $zero, $a0, 0; move $a0, $zero; ret
  REQUIRE(time.paths.size() == 2);
  CHECK(time.paths[0].cost.instructions == 3);
  CHECK(time.paths[0].cost.stores == 0);
  CHECK(time.paths[1].cost.instructions == 4);
  CHECK(time.paths[1].cost.stores == 1);
  for (const PathReport& path : time.paths) CHECK(path.end == PathEnd::ret);
}

}  // namespace trapline::test
