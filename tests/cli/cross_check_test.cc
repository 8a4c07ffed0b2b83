// SPDX-License-Identifier: Apache-2.0
//
// How the formats show --cross-check. The differences are made up.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/format/formats.h"
#include "samples.h"

using namespace trapline;
using Json = nlohmann::ordered_json;

namespace {

CrossCheckReport sample_cross_check() {
  CrossCheckReport report;
  report.decoder = "Capstone 4.0.2";
  report.known = true;
  report.instructions = 90;
  report.agreed = 86;
  using View = CrossCheckReport::View;
  const View unknown_return{4, "exception-return", false, std::nullopt, "", "hrfid"};
  for (const std::uint64_t address : {0x1000U, 0x1010U})
    report.differences.push_back({address, "ret+" + std::to_string(address & 0xff), "undecoded-there", unknown_return,
                                  std::nullopt, "ppc-exception-return", "trapline", "Capstone does not know hrfid."});
  report.differences.push_back({0x1020, "ret+0x20", "flow",
                                View{4, "call", false, 0x1024, "ret+0x24", "bcl 20, 31, ret+0x24"},
                                View{4, "call", true, 0x1024, "ret+0x24", "bdnzl 0x1024"}, "", "", ""});
  report.differences.push_back({0x1030, "", "target", View{4, "jump", true, 0x1030, "", "beq 0x1030"},
                                View{4, "jump", true, std::nullopt, "", "beq"}, "", "", ""});
  return report;
}

PathsReport with(const CrossCheckReport& cross_check) {
  PathsReport report = sample_paths();
  report.images.resize(1);
  report.images[0].routines.clear();
  report.images[0].cross_check = cross_check;
  return report;
}

constexpr std::string_view head = "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n\n";

}  // namespace

TEST_CASE("cross_check_text_sums_up_what_is_understood") {
  CHECK(paths_text(with(sample_cross_check()), {}) ==
        std::string(head) +
            "Capstone 4.0.2: 90 instructions compared, 4 differ\n"
            "  ppc-exception-return (trapline is right): Capstone does not know\n"
            "    hrfid. In 2 places, first ret+0: trapline 'hrfid', Capstone does not\n"
            "    know it\n"
            "  ret+0x20: trapline 'bcl 20, 31, ret+0x24', call, Capstone 'bdnzl\n"
            "    0x1024', conditional call (not explained)\n"
            "  0x1030: trapline 'beq 0x1030' to 0x1030, Capstone 'beq' to nowhere\n"
            "    (not explained)\n");
}

TEST_CASE("cross_check_text_all_lists_every_difference") {
  TextOptions options;
  options.all = true;
  const std::string text = paths_text(with(sample_cross_check()), options);
  CHECK(text.find("  ret+0: trapline 'hrfid', Capstone does not know it\n    (ppc-exception-return)\n") !=
        std::string::npos);
  CHECK(text.find("  ret+16: trapline 'hrfid'") != std::string::npos);
  CHECK(text.find("In 2 places") == std::string::npos);
}

TEST_CASE("cross_check_text_lists_twelve_that_are_not_explained") {
  CrossCheckReport report = sample_cross_check();
  report.differences.erase(report.differences.begin(), report.differences.begin() + 3);
  report.differences.resize(1);
  while (report.differences.size() < 15) report.differences.push_back(report.differences.front());
  const std::string text = paths_text(with(report), {});
  CHECK(text.find("  ... and 3 more (--all lists every one)\n") != std::string::npos);
}

TEST_CASE("cross_check_text_without_differences") {
  CrossCheckReport report = sample_cross_check();
  report.differences.clear();
  CHECK(paths_text(with(report), {}) == std::string(head) + "Capstone 4.0.2: 90 instructions compared, all agree\n");
  report.known = false;
  CHECK(paths_text(with(report), {}) ==
        std::string(head) + "Capstone 4.0.2 does not know this architecture; nothing was compared\n");
}

TEST_CASE("cross_check_markdown_is_a_list") {
  const std::string text = paths_markdown(with(sample_cross_check()), {});
  CHECK(text.find("\n### Capstone 4.0.2: 90 instructions compared, 4 differ\n\n- ppc-exception-return (trapline is") !=
        std::string::npos);
}

TEST_CASE("cross_check_json") {
  CHECK(Json::parse(paths_json(sample_paths()))["images"][0]["cross_check"].is_null());
  const Json json = Json::parse(paths_json(with(sample_cross_check())))["images"][0]["cross_check"];
  CHECK(json["decoder"] == "Capstone 4.0.2");
  CHECK(json["known"] == true);
  CHECK(json["instructions"] == 90);
  CHECK(json["agreed"] == 86);
  REQUIRE(json["differences"].size() == 4);
  CHECK(json["differences"][0] == Json{{"address", "0x1000"},
                                       {"symbol", "ret+0"},
                                       {"kind", "undecoded-there"},
                                       {"trapline",
                                        {{"size", 4},
                                         {"flow", "exception-return"},
                                         {"conditional", false},
                                         {"target", nullptr},
                                         {"target_symbol", nullptr},
                                         {"text", "hrfid"}}},
                                       {"other", nullptr},
                                       {"class", "ppc-exception-return"},
                                       {"right", "trapline"},
                                       {"reason", "Capstone does not know hrfid."}});
  CHECK(json["differences"][2]["other"]["conditional"] == true);
  CHECK(json["differences"][2]["other"]["target"] == "0x1024");
  CHECK(json["differences"][2]["class"].is_null());
}
