// SPDX-License-Identifier: Apache-2.0
//
// How a rule is explained: a row written by hand, laid out by hand.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/format/formats.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

constexpr RuleInfo sample_rule = {RuleId::lost_track,
                                  "lost-track",
                                  Level::warning,
                                  "medium",
                                  "analysis stack",
                                  "the stack pointer is not known",
                                  R"(
How it works: a paragraph that is long enough to be wrapped, since it has more
than seventy-two columns in the file.

  kept as it is

Known false positives: none.
)",
                                  R"(
ld.d  sp, t0, 8

ertn
)",
                                  R"(
Load it from a place that is known.
)",
                                  R"(
arch/loongarch/kernel/entry.S
A manual, volume 1
)"};

TEST_CASE("rules_explain_text") {
  const std::string text = explain_text(sample_rule, {});
  CHECK(text ==
        "lost-track (warning): the stack pointer is not known\n"
        "\n"
        "How it works: a paragraph that is long enough to be wrapped, since it\n"
        "has more than seventy-two columns in the file.\n"
        "\n"
        "  kept as it is\n"
        "\n"
        "Known false positives: none.\n"
        "\n"
        "Example:\n"
        "    ld.d  sp, t0, 8\n"
        "\n"
        "    ertn\n"
        "\n"
        "Fix:\n"
        "  Load it from a place that is known.\n"
        "\n"
        "References:\n"
        "  arch/loongarch/kernel/entry.S\n"
        "  A manual, volume 1\n"
        "\n"
        "Precision medium; tags: analysis stack.\n");
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("rules_explain_markdown") {
  CHECK(explain_markdown(sample_rule) ==
        "## lost-track\n"
        "\n"
        "warning: the stack pointer is not known.\n"
        "\n"
        "How it works: a paragraph that is long enough to be wrapped, since it has more\n"
        "than seventy-two columns in the file.\n"
        "\n"
        "  kept as it is\n"
        "\n"
        "Known false positives: none.\n"
        "\n"
        "**Example**\n"
        "\n"
        "    ld.d  sp, t0, 8\n"
        "\n"
        "    ertn\n"
        "\n"
        "**Fix**\n"
        "\n"
        "Load it from a place that is known.\n"
        "\n"
        "**References**\n"
        "\n"
        "- arch/loongarch/kernel/entry.S\n"
        "- A manual, volume 1\n"
        "\n"
        "Precision medium; tags: analysis stack.\n");
}

TEST_CASE("rules_text_and_json") {
  RuleInfo other = sample_rule;
  other.id = "a-longer-name";
  other.level = Level::note;
  other.summary = "a summary that takes more room than there is beside name and level";
  const std::vector<RuleInfo> rules = {sample_rule, other};
  CHECK(rules_text(rules, {}) ==
        "lost-track     warning  the stack pointer is not known\n"
        "a-longer-name  note     a summary that takes more room than there is\n"
        "                        beside name and level\n");
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(rules_json(rules));
  CHECK(json["schema"] == "trapline/rules/1");
  CHECK(json["rules"][0]["id"] == "lost-track");
  CHECK(json["rules"][0]["level"] == "warning");
  CHECK(json["rules"][0]["precision"] == "medium");
  CHECK(json["rules"][0]["tags"].dump() == "[\"analysis\",\"stack\"]");
  CHECK(json["rules"][0]["references"].dump() == "[\"arch/loongarch/kernel/entry.S\",\"A manual, volume 1\"]");
  CHECK(json["rules"][1]["level"] == "note");
}

}  // namespace
}  // namespace trapline
