// SPDX-License-Identifier: Apache-2.0
//
// What a configuration does to the findings of an image: tests/image/good-loongarch64, but handle_syscall calls a
// function that nobody knows, and returns without restoring anything.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../disasm/image_samples.h"
#include "analyzer/analyze.h"
#include "analyzer/image_set.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;

FindingsReport::ImagePart lint(const std::string& text) {
  std::string folder = (fs::temp_directory_path() / "trapline-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string file = folder + "/vmlinux";
  std::string yaml = read_text("tests/image/good-loongarch64.yaml");
  const std::string call = "00100054";                               // bl +16
  yaml.replace(yaml.find("'" + call) + 1, call.size(), "8101004c");  // jirl $ra, $t0, 0
  const Bytes bytes = elf_of(yaml);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ImageSet images(file);
  std::vector<FindingsReport::ImagePart> parts = analyze_lint(images, {}, parse_config(text, "f"));
  fs::remove_all(folder);
  REQUIRE(parts.size() == 1);
  return parts.front();
}

// "warning t0 t1 t2", "note ra": the leaks found, one for each, general registers only (status registers have names in
// capitals).
std::vector<std::string> leaks(const std::string& text) {
  std::vector<std::string> list;
  for (const FindingReport& f : lint(text).findings) {
    if (f.rule != "kernel-value-leak") continue;
    std::string line(level_name(f.level));
    for (const auto& [key, values] : f.data) {
      if (key != "registers") continue;
      for (const std::string& reg : values)
        if (reg.front() >= 'a') line += " " + reg;
    }
    list.push_back(line);
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

// LoongArch psABI: ra, a0-a7 and t0-t8 are not preserved by a call; the system-call convention lets t0-t8 change. a0 is
// the result.
constexpr std::string_view kept = "warning ra a1 a2 a3 a4 a5 a6 a7";

TEST_CASE("lint: register policies") {
  CHECK(leaks("") == std::vector<std::string>{std::string(kept), "warning t0 t1 t2 t3 t4 t5 t6 t7 t8"});
  CHECK(leaks("[registers]\nt0 = { level = 'off', reason = 'r' }\n") ==
        std::vector<std::string>{std::string(kept), "warning t1 t2 t3 t4 t5 t6 t7 t8"});
  CHECK(leaks("[arch.arm.registers]\nr0 = { level = 'off', reason = 'r' }\n").size() == 2);
  CHECK(leaks("[arch.loongarch64.registers]\nt0 = { level = 'error', reason = 'r' }\n"
              "ra = { level = 'error', reason = 'r' }\n") ==
        std::vector<std::string>{"error ra t0", "warning a1 a2 a3 a4 a5 a6 a7", "warning t1 t2 t3 t4 t5 t6 t7 t8"});
}

TEST_CASE("lint: levels and suppressions count in the summary") {
  const FindingsReport::ImagePart plain = lint("");
  REQUIRE(plain.summary.warnings == 2);
  CHECK(plain.summary.suppressed == 0);
  CHECK(lint("[rules]\nkernel-value-leak = 'off'\n").summary.warnings == 0);
  const FindingsReport::ImagePart accepted = lint(
      "[[suppress]]\nrule = 'kernel-value-leak'\nregisters = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', "
      "'t8']\nreason = 'known'\n");
  CHECK(accepted.summary.warnings == 1);
  CHECK(accepted.summary.suppressed == 1);
  CHECK(std::count_if(accepted.findings.begin(), accepted.findings.end(),
                      [](const FindingReport& f) { return f.suppressed == "known"; }) == 1);
  CHECK(accepted.findings.size() == plain.findings.size());
}

TEST_CASE("lint: an entry that the configuration adds is looked at") {
  CHECK(lint("").summary.routines == 1);
  CHECK(lint("[[entry]]\nname = 'twice'\nrole = 'vector'\n").summary.routines == 1 + 3);
}

}  // namespace trapline::test
