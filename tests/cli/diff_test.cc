// SPDX-License-Identifier: Apache-2.0
//
// Comparisons filled by hand: what the formats print of them was laid out by hand.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/format/formats.h"
#include "cli/options.h"
#include "disasm/error.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

Cost cost(std::uint64_t instructions, std::uint64_t loads, std::uint64_t stores) {
  return sample_path("", PathEnd::exception_return, ReturnTo::user, instructions, loads, stores).cost;
}

PathDiff path(const std::string& before, std::optional<Cost> old_cost, const std::string& after,
              std::optional<Cost> new_cost) {
  PathDiff d;
  d.status = !old_cost ? DiffStatus::added : !new_cost ? DiffStatus::removed : DiffStatus::changed;
  d.old_label = before;
  d.new_label = after;
  if (old_cost) d.old_id = "f:n";
  if (new_cost) d.new_id = "f:nt";
  d.end = PathEnd::exception_return;
  d.to = ReturnTo::user;
  d.old_cost = std::move(old_cost);
  d.new_cost = std::move(new_cost);
  return d;
}

DiffReport sample_diff() {
  DiffReport report;
  report.main.before = sample_head();
  report.main.after = sample_head();
  report.main.before->path = "old";
  report.main.after->path = "new";
  RoutineDiff routine;
  routine.name = "handle_syscall";
  routine.role = Role::syscall_entry;
  routine.status = DiffStatus::changed;
  routine.paths = {path("user full", cost(88, 35, 29), "user full", cost(92, 36, 30)),
                   path("user full", cost(88, 35, 29), "user partial", cost(83, 27, 30)),
                   path("", std::nullopt, "kernel full", cost(9, 1, 0)), path("trap", cost(7, 0, 2), "", std::nullopt)};
  routine.paths[1].relation = PathDiff::Relation::split;
  RoutineDiff same;
  same.name = "ret_from_fork";
  same.paths = {path("user full", cost(5, 1, 1), "user full", cost(5, 1, 1))};
  same.paths.front().status = DiffStatus::same;
  report.main.routines = {routine, same};
  report.main.findings.unchanged = 4;
  return report;
}

TEST_CASE("diff_text_has_the_shape_of_bloat_o_meter") {
  const std::string text = diff_text(sample_diff(), {});
  CHECK(text ==
        "--- old: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "+++ new: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "routines: add/remove: 0/0 changed: 1 same: 1\n"
        "paths: add/remove: 1/1 grow/shrink: 1/1 other: 0 same: 1\n"
        "findings: fixed: 0 new: 0 unchanged: 4\n"
        "\n"
        "                             insns        loads       stores\n"
        "  path                    old new +/-  old new +/-  old new +/-\n"
        "\n"
        "handle_syscall (syscall-entry)\n"
        "  user full                88  92  +4   35  36  +1   29  30  +1\n"
        "  user partial, was full   88  83  -5   35  27  -8   29  30  +1\n"
        "  kernel full               -   9  +9    -   1  +1    -   0   0\n"
        "  trap                      7   -  -7    0   -   0    2   -  -2\n");
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("diff_text_folds_paths_that_look_the_same") {
  DiffReport report = sample_diff();
  std::vector<PathDiff>& paths = report.main.routines[0].paths;
  paths = {paths[0], paths[0], paths[1]};
  paths[0].old_label = paths[0].new_label = "user full #1";
  paths[1].old_label = paths[1].new_label = "user full #2";
  const std::vector<std::string> lines = lines_of(diff_text(report, {}));
  REQUIRE(lines.size() == 12);
  CHECK(lines[7] == "  path                    paths  old new +/-  old new +/-  old new +/-");
  CHECK(lines[10] == "  user full                   2   88  92  +4   35  36  +1   29  30  +1");
  TextOptions all;
  all.all = true;
  CHECK(diff_text(report, all).find("user full #2") != std::string::npos);
}

TEST_CASE("diff_text_counts_paths_of_the_same_cost") {
  DiffReport report = sample_diff();
  std::vector<PathDiff>& paths = report.main.routines[0].paths;
  paths = {paths[0]};
  paths[0].old_cost = paths[0].new_cost;
  CHECK(diff_text(report, {}).ends_with("\n\nother instructions, at the same cost: handle_syscall (1 path)\n"));
}

TEST_CASE("diff_text_listing") {
  DiffReport report = sample_diff();
  std::vector<PathDiff>& paths = report.main.routines[0].paths;
  paths = {paths[0]};
  const auto line = [](DiffLine::Side side, const std::string& text, const std::string& note = "") {
    return DiffLine{side, {0x20, "handle_syscall+0x20", text, note}};
  };
  using Side = DiffLine::Side;
  paths[0].listing = {line(Side::both, "csrrd $t0, 48"),
                      line(Side::both, "move $a0, $sp"),
                      line(Side::old_only, "ld.d $t0, $sp, 96", "t0 <- PT_R12"),
                      line(Side::new_only, "st.d $a7, $tp, 40"),
                      line(Side::both, "bl do_syscall", "calls do_syscall"),
                      line(Side::both, "ertn")};
  TextOptions options;
  options.listing = true;
  const std::string text = diff_text(report, options);
  CHECK(
      text.ends_with("\n"
                     "\n"
                     "  user full:\n"
                     "    ...\n"
                     "    move $a0, $sp\n"
                     "  - ld.d $t0, $sp, 96  ; t0 <- PT_R12\n"
                     "  + st.d $a7, $tp, 40\n"
                     "    bl do_syscall      ; calls do_syscall\n"));
  CHECK(diff_markdown(report, options).find("    - ld.d $t0, $sp, 96  ; t0 <- PT_R12\n") != std::string::npos);
}

TEST_CASE("diff_text_routines_of_one_build_and_findings") {
  DiffReport report = sample_diff();
  RoutineDiff gone = report.main.routines[0];
  gone.name = "handle_old";
  gone.status = DiffStatus::removed;
  gone.paths = {path("trap", cost(7, 0, 2), "", std::nullopt), path("trap", cost(9, 0, 2), "", std::nullopt)};
  report.main.routines = {gone};
  const FindingReport finding = sample_findings().images[0].findings[0];
  report.main.findings.fixed = {finding};
  report.main.findings.fresh = {finding};
  const std::string text = diff_text(report, {});
  CHECK(text.find("handle_old (syscall-entry), removed: 2 paths, 7..9 insns\n") != std::string::npos);
  CHECK(text.find("\nfixed: ") != std::string::npos);
  CHECK(text.find("\nnew:\nnew: warning: trapline: ") != std::string::npos);
  CHECK(text.find("insns        loads") == std::string::npos);  // no table without a row
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("diff_json_as_interface_md_has_it") {
  const std::string text = diff_json(sample_diff());
  CHECK(text == diff_json(sample_diff()));
  const nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json["schema"] == "trapline/diff/1");
  CHECK(json["old"]["path"] == "old");
  CHECK(json["new"]["path"] == "new");
  REQUIRE(json["routines"].size() == 2);
  CHECK(json["routines"][0]["status"] == "changed");
  CHECK(json["routines"][1]["status"] == "same");
  const nlohmann::json& paths = json["routines"][0]["paths"];
  CHECK(paths[1]["relation"] == "split");
  CHECK(paths[1]["old_id"] == "f:n");
  CHECK(paths[1]["new_id"] == "f:nt");
  CHECK(paths[1]["label"] == "user partial");
  CHECK(paths[1]["old_label"] == "user full");
  CHECK(paths[1]["old"]["loads"] == 35);
  CHECK(paths[1]["new"]["loads"] == 27);
  CHECK(paths[1]["delta"]["loads"] == -8);
  CHECK(paths[1]["delta"]["stores"] == 1);
  CHECK(paths[1]["listing"].is_null());
  CHECK(paths[2]["status"] == "added");
  CHECK(paths[2]["old"].is_null());
  CHECK(paths[2]["old_id"].is_null());
  CHECK(paths[2]["delta"]["instructions"] == 9);
  CHECK(paths[3]["status"] == "removed");
  CHECK(paths[3]["label"] == "trap");
  CHECK(paths[3]["new"].is_null());
  CHECK(json["findings"]["unchanged"] == 4);
  CHECK(json["findings"]["new"].empty());
  CHECK(json["embedded"].empty());
}

TEST_CASE("diff_json_image_of_one_build") {
  DiffReport report = sample_diff();
  ImageDiff vdso;
  vdso.after = sample_head();
  report.embedded = {vdso};
  const nlohmann::json json = nlohmann::json::parse(diff_json(report));
  REQUIRE(json["embedded"].size() == 1);
  CHECK(json["embedded"][0]["old"].is_null());
  CHECK(json["embedded"][0]["new"]["path"] == sample_head().path);
  CHECK(diff_text(report, {}).find("\n--- no such image\n") != std::string::npos);
}

TEST_CASE("diff_csv_has_a_row_a_path") {
  const std::vector<std::string> lines = lines_of(diff_csv(sample_diff()));
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].starts_with(
      "old_image,new_image,arch,routine,role,routine_status,renamed_from,status,relation,old_id,new_id,"
      "old_label,new_label,end,to,old_instructions,new_instructions,delta_instructions,"));
  CHECK(
      lines[2].starts_with("old,new,loongarch64,handle_syscall,syscall-entry,changed,,changed,split,f:n,f:nt,user full,"
                           "user partial,exception-return,user,88,83,-5,35,27,-8,29,30,1,"));
  CHECK(lines[3].find(",exception-return,user,,9,9,,1,1,") != std::string::npos);
}

TEST_CASE("diff_markdown_table_and_folds") {
  const std::string text = diff_markdown(sample_diff(), {});
  CHECK(text.starts_with("## `old` (loongarch64 vmlinux, build-id 0123456789ab...) to `new` ("));
  CHECK(text.find("\n| user partial, was full | 1 | 88 | 83 | **-5** | 35 | 27 | **-8** | 29 | 30 | **+1** |\n") !=
        std::string::npos);
  CHECK(text.find("ret_from_fork") == std::string::npos);
  DiffReport many = sample_diff();
  many.main.routines = std::vector<RoutineDiff>(4, many.main.routines[0]);
  CHECK(diff_markdown(many, {}).find("<details><summary>4 routines</summary>\n") != std::string::npos);
}

TEST_CASE("diff_takes_two_images") {
  CHECK(parse_options({"diff", "a", "b"}).images == std::vector<std::string>{"a", "b"});
  CHECK_THROWS_WITH_AS(parse_options({"diff", "a"}), doctest::Contains("one image given; write trapline diff OLD NEW"),
                       Error);
  CHECK_THROWS_AS(parse_options({"diff", "a", "b", "c"}), Error);
  CHECK_THROWS_AS(parse_options({"diff"}), Error);
}

}  // namespace
}  // namespace trapline
