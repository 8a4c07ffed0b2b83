// SPDX-License-Identifier: Apache-2.0
//
// Findings filled by hand, in every format. The expected documents were laid out by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "cli/format/findings.h"
#include "cli/format/formats.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

constexpr std::string_view warning_text =
    "vmlinux: warning: trapline: handle_syscall+0x120: t0, t1 and s0 are\n"
    "  loaded from slots that this path never stored [slot-not-saved]\n"
    "    +0x20:   st.d $zero, $sp, 0  ; the frame is built here\n"
    "    +0x120:  ld.d $t0, $sp, 96   ; t0 <- PT_R12, not saved\n"
    "   ret_to_user:\n"
    "    +0xa0:   ertn\n"
    "  also on paths of ret_from_fork\n"
    "  fix: store them where the frame is built, or leave out the loads\n";

constexpr std::string_view summary_text =
    "  57 routines, 1234 paths examined, 2 refused, 17 infeasible\n"
    "  0 errors, 1 warning, 0 notes, 1 accepted\n"
    "  on 1 path nothing decides whether the return goes to user mode or to\n"
    "    the kernel\n"
    "  pt_regs: 320 bytes (arch/loongarch/include/asm/ptrace.h)\n"
    "  ret_to_user: 4096 of 5310 paths were examined (--max-paths)\n"
    "\n"
    "trapline.toml:12: this suppression matches no finding; remove it\n";

TEST_CASE("findings_text") {
  const std::string text = findings_text(sample_findings(), {});
  CHECK(text == std::string(warning_text) + "\nvmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n" +
                    std::string(summary_text));
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("findings_text_all_and_verbose") {
  TextOptions options;
  options.all = options.verbose = true;
  const std::string text = findings_text(sample_findings(), options);
  CHECK(text == std::string(warning_text) +
                    "  at 0x9000000000221120, fingerprint c0ffee00c0ffee00\n"
                    "  path handle_syscall:tn\n"
                    "  path ret_from_fork:t\n"
                    "\n"
                    "arch/loongarch/mm/tlbex.S:38: note: the target of jr $t8 is not known\n"
                    "  [unresolved-jump]\n"
                    "  in handle_tlb|x+0x10\n"
                    "  accepted: filled in at boot, \"by design\"\n"
                    "  at 0x9000000000225010\n"
                    "\n"
                    "vmlinux: loongarch64 vmlinux, build-id\n"
                    "  0123456789abcdef0123456789abcdef01234567\n" +
                    std::string(summary_text));
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("findings_text_of_nothing") {
  FindingsReport report;
  report.images.resize(1);
  report.images[0].head = sample_head();
  CHECK(findings_text(report, {}) ==
        "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "  0 routines, 0 paths examined, 0 refused, 0 infeasible\n"
        "  0 errors, 0 warnings, 0 notes\n");
}

TEST_CASE("findings_text_a_long_path_is_never_cut") {
  FindingsReport report = sample_findings();
  report.images[0].head.path = "build/" + std::string(80, 'x') + "/vmlinux";
  const std::vector<std::string> lines = lines_of(findings_text(report, {}));
  CHECK(lines[0] == report.images[0].head.path + ": warning: trapline: handle_syscall+0x120:");
  CHECK(lines[1] == "  t0, t1 and s0 are loaded from slots that this path never stored");
  CHECK(lines[2] == "  [slot-not-saved]");
}

TEST_CASE("findings_text_shows_the_first_steps_and_routines") {
  FindingsReport report = sample_findings();
  FindingReport& finding = report.images[0].findings[0];
  finding.steps.clear();
  finding.routines = {"handle_syscall"};
  for (unsigned i = 0; i < 20; ++i) {
    finding.steps.push_back({0x1000 + i * 4, "handle_syscall+0x" + std::to_string(10 + i), "nop", ""});
    finding.routines.push_back("handle_" + std::to_string(i));
  }
  const std::string text = findings_text(report, {});
  CHECK(text.find("    +0x21:  nop\n    ... and 8 more steps (--all lists every one)\n"
                  "  also on paths of handle_0, handle_1, handle_2, handle_3, handle_4,\n"
                  "    handle_5, handle_6, handle_7 and 12 more\n") != std::string::npos);
  CHECK(unfit_for_mail(text) == "");
  TextOptions all;
  all.all = true;
  CHECK(findings_text(report, all).find("    +0x29:  nop\n  also on paths of") != std::string::npos);
  CHECK(findings_text(report, all).find(" handle_19\n") != std::string::npos);
  // "and 1 more" would say less than the name.
  finding.routines.resize(1 + shown_routines + 1);
  CHECK(findings_text(report, {}).find("handle_7, handle_8\n") != std::string::npos);
}

TEST_CASE("findings_text_of_a_terminal_has_colours_and_the_same_words") {
  TextOptions options;
  options.color = true;
  std::string text = findings_text(sample_findings(), options);
  CHECK(text.starts_with("\x1b[1mvmlinux:\x1b[0m \x1b[33mwarning:\x1b[0m trapline: handle_syscall+0x120: t0"));
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  CHECK(text == findings_text(sample_findings(), {}));
  FindingsReport report = sample_findings();
  report.images[0].findings[0].level = Level::error;
  CHECK(findings_text(report, options).find("\x1b[31merror:\x1b[0m") != std::string::npos);
}

TEST_CASE("findings_text_bytes_of_the_image_cannot_drive_a_terminal") {
  FindingsReport report = sample_findings();
  FindingReport& finding = report.images[0].findings[0];
  finding.message += "\x1b[2J";
  finding.where = "a\x1b]0;x\x07+0x120";
  finding.routines.push_back("b\x1b");
  finding.steps[0].note = "c\x1b\n";
  const std::string text = findings_text(report, {});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(unfit_for_mail(text) == "");
}

TEST_CASE("findings_markdown") {
  const std::string text = findings_markdown(sample_findings(), {});
  CHECK(text ==
        "## `vmlinux`\n"
        "\n"
        "loongarch64 vmlinux, build-id 0123456789ab...\n"
        "\n"
        "0 errors, 1 warning, 0 notes, 1 accepted; 57 routines, 1234 paths examined, 2 refused, 17 infeasible\n"
        "\n"
        "- on 1 path nothing decides whether the return goes to user mode or to the kernel\n"
        "- pt\\_regs: 320 bytes (arch/loongarch/include/asm/ptrace.h)\n"
        "- ret\\_to\\_user: 4096 of 5310 paths were examined (--max-paths)\n"
        "\n"
        "**warning** `handle_syscall+0x120`: t0, t1 and s0 are loaded from slots that this path never stored "
        "[`slot-not-saved`]\n"
        "\n"
        "<details><summary>steps and fix</summary>\n"
        "\n"
        "    handle_syscall+0x20:   st.d $zero, $sp, 0  ; the frame is built here\n"
        "    handle_syscall+0x120:  ld.d $t0, $sp, 96   ; t0 <- PT_R12, not saved\n"
        "    ret_to_user+0xa0:      ertn\n"
        "\n"
        "Also on paths of ret\\_from\\_fork\n"
        "\n"
        "Fix: store them where the frame is built, or leave out the loads\n"
        "\n"
        "</details>\n"
        "\n"
        "- trapline.toml:12: this suppression matches no finding; remove it\n");
  TextOptions all;
  all.all = true;
  CHECK(findings_markdown(sample_findings(), all)
            .find("**note** `handle_tlb|x+0x10`: the target of jr \\$t8 is not known [`unresolved-jump`]\n"
                  "\n"
                  "`arch/loongarch/mm/tlbex.S:38`\n"
                  "\n"
                  "Accepted: filled in at boot, \"by design\"\n") != std::string::npos);
}

TEST_CASE("findings_csv") {
  const std::vector<std::string> lines = lines_of(findings_csv(sample_findings()));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "image,kind,arch,build_id,variant,rule,level,routine,routines,address,symbol,file,line,message,fix,paths,data,"
        "fingerprint,suppressed");
  const std::string head = "vmlinux,vmlinux,loongarch64,0123456789abcdef0123456789abcdef01234567,as-linked,";
  CHECK(lines[1] ==
        head +
            "slot-not-saved,warning,handle_syscall,handle_syscall ret_from_fork,0x9000000000221120,"
            "handle_syscall+0x120,,,\"t0, t1 and s0 are loaded from slots that this path never stored\","
            "\"store them where the frame is built, or leave out the loads\",handle_syscall:tn ret_from_fork:t,"
            "registers=t0 t1 s0; slots=PT_R12 PT_R13 PT_R23,c0ffee00c0ffee00,");
  CHECK(lines[2] == head +
                        "unresolved-jump,note,handle_tlb|x,handle_tlb|x,0x9000000000225010,handle_tlb|x+0x10,"
                        "arch/loongarch/mm/tlbex.S,38,the target of jr $t8 is not known,,,,,\"filled in at boot, "
                        "\"\"by design\"\"\"");
}

TEST_CASE("findings_json") {
  using Json = nlohmann::ordered_json;
  const Json json = Json::parse(findings_json(sample_findings()));
  CHECK(json["schema"] == "trapline/findings/1");
  CHECK(json["tool"]["name"] == "trapline");
  CHECK(json["config"] == "trapline.toml");
  CHECK(json["remarks"].size() == 1);
  const Json& image = json["images"][0];
  CHECK(image["path"] == "vmlinux");
  CHECK(image["summary"].dump() ==
        "{\"routines\":57,\"paths_examined\":1234,\"paths_refused\":2,\"infeasible\":17,\"either\":1,"
        "\"by_level\":{\"error\":0,\"warning\":1,\"note\":0},\"suppressed\":1,\"candidates\":null}");
  CHECK(image["layouts"][0] == "320 bytes (arch/loongarch/include/asm/ptrace.h)");
  CHECK(image["remarks"][0] == "ret_to_user: 4096 of 5310 paths were examined (--max-paths)");
  // No key is ever left out: the second finding has next to nothing to say.
  CHECK(image["findings"][1].dump() ==
        "{\"rule\":\"unresolved-jump\",\"level\":\"note\",\"message\":\"the target of jr $t8 is not known\","
        "\"fix\":null,\"routine\":\"handle_tlb|x\",\"routines\":[\"handle_tlb|x\"],\"paths\":[],"
        "\"address\":\"0x9000000000225010\",\"symbol\":\"handle_tlb|x+0x10\","
        "\"location\":{\"file\":\"arch/loongarch/mm/tlbex.S\",\"line\":38},\"fingerprint\":null,\"steps\":[],"
        "\"data\":{},\"suppressed\":\"filled in at boot, \\\"by design\\\"\"}");
  const Json& finding = image["findings"][0];
  CHECK(finding["location"].is_null());
  CHECK(finding["suppressed"].is_null());
  CHECK(finding["paths"].dump() == "[\"handle_syscall:tn\",\"ret_from_fork:t\"]");
  CHECK(finding["data"].dump() ==
        "{\"registers\":[\"t0\",\"t1\",\"s0\"],\"slots\":[\"PT_R12\",\"PT_R13\",\"PT_R23\"]}");
  CHECK(finding["steps"][0].dump() ==
        "{\"address\":\"0x9000000000221020\",\"symbol\":\"handle_syscall+0x20\",\"text\":\"st.d\\t$zero, $sp, 0\","
        "\"note\":\"the frame is built here\"}");
  CHECK(finding["steps"][2]["note"].is_null());
  CHECK(Json::parse(findings_json({}))["config"].is_null());
  CHECK(Json::parse(findings_json({}))["images"].dump() == "[]");
}

TEST_CASE("findings_of_a_sweep_count_the_candidates") {
  FindingsReport report;
  report.images.resize(1);
  report.images[0].head = sample_head();
  report.images[0].candidates = FindingsReport::Candidates{.found = 1, .exempt = 2, .unreached = 3};
  CHECK(findings_text(report, {}) ==
        "vmlinux: loongarch64 vmlinux, build-id 0123456789ab...\n"
        "  0 routines, 0 paths examined, 0 refused, 0 infeasible\n"
        "  0 errors, 0 warnings, 0 notes\n"
        "  6 candidates: 1 at fault, 2 exempt, 3 on no path\n");
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(findings_json(report));
  CHECK(json["images"][0]["summary"]["candidates"].dump() ==
        "{\"all\":6,\"found\":1,\"exempt\":2,\"flush\":0,\"calls\":0,\"balanced\":0,\"undecided\":0,\"unreached\":3}");
}

TEST_CASE("findings_that_count") {
  FindingsReport report = sample_findings();  // a warning; a note that is accepted
  CHECK_FALSE(has_findings(report, Level::error));
  CHECK(has_findings(report, Level::warning));
  CHECK(has_findings(report, Level::note));
  CHECK_FALSE(has_findings(report, Level::none));
  report.images[0].findings.erase(report.images[0].findings.begin());
  CHECK_FALSE(has_findings(report, Level::note));
  report.images[0].findings[0].suppressed.reset();
  CHECK(has_findings(report, Level::note));
  CHECK_FALSE(has_findings(report, Level::warning));
}

}  // namespace
}  // namespace trapline
