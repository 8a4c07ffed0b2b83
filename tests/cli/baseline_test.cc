// SPDX-License-Identifier: Apache-2.0
//
// Baselines as files, and what the formats say of budgets.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/baseline_file.h"
#include "cli/format/formats.h"
#include "disasm/error.h"
#include "tests/cli/samples.h"
#include "tests/folder.h"

namespace trapline {
namespace {

std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string read_error(const std::string& file) {
  try {
    (void)read_baseline(file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("baseline_file_is_what_was_written") {
  const test::Folder folder;
  const std::string file = folder.file("b.json");
  move_baseline(file, baseline_of(sample_paths()), "");
  const Baseline read = read_baseline(file);
  CHECK(read.path == file);
  CHECK(changes(read, baseline_of(sample_paths())).empty());
  CHECK(read.images.at(0).routines->at(0).paths.at(0).cost == sample_paths().images[0].routines[0].paths[0].cost);
  // Findings are added to it without a reason: it did not speak of any.
  move_baseline(file, baseline_of(sample_findings()), "");
  CHECK(read_baseline(file).images.at(0).routines);
  REQUIRE(read_baseline(file).images.at(0).findings);
  CHECK(read_baseline(file).images.at(0).findings->size() == 1);  // the other is accepted by the configuration
}

TEST_CASE("baseline_file_takes_reports_as_they_are") {
  const test::Folder folder;
  write(folder.file("paths.json"), paths_json(sample_paths()));
  CHECK(changes(read_baseline(folder.file("paths.json")), baseline_of(sample_paths())).empty());
  write(folder.file("findings.json"), findings_json(sample_findings()));
  const Baseline findings = read_baseline(folder.file("findings.json"));
  CHECK(changes(findings, baseline_of(sample_findings())).empty());
  CHECK_FALSE(findings.images.at(0).routines);
}

TEST_CASE("baseline_file_is_moved_with_a_reason_only") {
  const test::Folder folder;
  const std::string file = folder.file("b.json");
  move_baseline(file, baseline_of(sample_paths()), "");
  const std::string before = content(file);
  PathsReport now = sample_paths();
  ++now.images[0].routines[0].paths[0].cost.loads;
  CHECK_THROWS_WITH_AS(move_baseline(file, baseline_of(now), ""),
                       doctest::Contains("to move it, say why with --reason"), Error);
  CHECK(content(file) == before);
  move_baseline(file, baseline_of(now), "one more, for a feature");
  const nlohmann::json json = nlohmann::json::parse(content(file));
  CHECK(json["schema"] == "trapline/baseline/1");
  CHECK(json["history"][0]["reason"] == "one more, for a feature");
  CHECK(json["history"][0]["changes"].size() == 1);
}

TEST_CASE("baseline_file_that_is_none") {
  const test::Folder folder;
  CHECK(read_error(folder.file("absent")).find("cannot be read") != std::string::npos);
  write(folder.file("text"), "not json");
  CHECK(read_error(folder.file("text")).find("is no baseline") != std::string::npos);
  write(folder.file("array"), "[]");
  CHECK(read_error(folder.file("array")).find("is no baseline") != std::string::npos);
  write(folder.file("schema"), R"({"schema": 1})");
  CHECK(read_error(folder.file("schema")).find("is no baseline") != std::string::npos);
  write(folder.file("damaged"), R"({"schema": "trapline/baseline/1", "images": [{"image": 3}]})");
  CHECK(read_error(folder.file("damaged")).find("is a damaged trapline/baseline/1 document") != std::string::npos);
}

TEST_CASE("budget_text_and_json") {
  PathsReport report = sample_paths();
  BudgetReport budget;
  budget.where = "trapline.toml:12";
  budget.routine = "handle_syscall";
  budget.label = "user full";
  budget.count = "loads";
  budget.limit = 35;
  budget.actual = 36;
  budget.reason = "measured";
  ListingLine line;
  line.where = "handle_syscall+0x20";
  line.text = "ld.d $a0, $sp, 32";
  budget.instructions = {line};
  BudgetReport within = budget;
  within.limit = 40;
  report.budgets = {budget, within};
  const std::string text = paths_text(report, {});
  CHECK(
      text.ends_with("\n"
                     "budgets: 2 checked, 1 exceeded\n"
                     "\n"
                     "budget exceeded: handle_syscall, user full: 36 loads, limit 35, 1 too\n"
                     "  many\n"
                     "  trapline.toml:12: measured\n"
                     "  instructions that count:\n"
                     "    +0x20:  ld.d $a0, $sp, 32\n"));
  CHECK(unfit_for_mail(text) == "");
  const nlohmann::json json = nlohmann::json::parse(paths_json(report));
  REQUIRE(json["budgets"].size() == 2);
  CHECK(json["budgets"][0]["exceeded"] == true);
  CHECK(json["budgets"][0]["baseline"].is_null());
  CHECK(json["budgets"][1]["exceeded"] == false);
  CHECK(paths_markdown(report, {}).find("**exceeded** handle\\_syscall, user full: 36 loads") != std::string::npos);
}

}  // namespace
}  // namespace trapline
