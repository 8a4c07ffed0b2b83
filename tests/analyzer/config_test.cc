// SPDX-License-Identifier: Apache-2.0
//
// trapline.toml: what it says, what is wrong with it and on which line, and what it does to findings and entries.
#include "analyzer/config.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "../disasm/image_samples.h"
#include "analyzer/entries.h"
#include "disasm/error.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;

std::string complaint(const std::string& text) {
  try {
    parse_config(text, "f.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

FindingReport finding(const std::string& rule, const std::vector<std::string>& routines,
                      const std::vector<std::string>& registers) {
  FindingReport f;
  f.rule = rule;
  f.routine = routines.front();
  f.routines = routines;
  f.data = {{"slots", {"PT_R12"}}, {"registers", registers}};
  f.fingerprint = "0011";
  return f;
}

// All kinds of things that a file may hold.
constexpr std::string_view everything = R"([rules]
kernel-value-leak = "error"
lost-track = "off"

[[entry]]
name = "my_entry*"
role = "exception-entry"
contract = "frame-built"
frame-offset = -16

[[suppress]]
rule = "slot-not-saved"
routine = "handle_syscall"
registers = ["t0", "t1"]
reason = 'the "convention" lets them change\'

[registers]
t0 = { level = "note", reason = "all" }

[arch.loongarch64.registers]
t1 = { level = "off", reason = "one" }
t0 = { level = "warning", reason = "more\nlines" }

[[arch.arm.entry]]
name = "vector_x"

[[arch.arm.suppress]]
fingerprint = "0011"
routine = ["a*", "b"]
reason = "r"

[arch.arm.thread-flags]
bits = { _TIF_SIGPENDING = 0, "odd name" = 31 }
work = ["_TIF_SIGPENDING"]
syscall-work = ["odd name"]
)";

void check_everything(const Config& config) {
  REQUIRE(config.entries.size() == 2);
  CHECK(config.entries[0].pattern == "my_entry*");
  CHECK(config.entries[0].role == Role::exception_entry);
  CHECK(config.entries[0].contract == ContractKind::frame_built);
  CHECK(config.entries[0].frame_offset == -16);
  CHECK(config.entries[0].arch == "");
  CHECK(config.entries[1].pattern == "vector_x");
  CHECK_FALSE(config.entries[1].role.has_value());
  CHECK_FALSE(config.entries[1].contract.has_value());
  CHECK_FALSE(config.entries[1].frame_offset.has_value());
  CHECK(config.entries[1].arch == "arm");
  REQUIRE(config.suppressions.size() == 2);
  CHECK(config.suppressions[0].rule == "slot-not-saved");
  CHECK(config.suppressions[0].routines == std::vector<std::string>{"handle_syscall"});
  CHECK(config.suppressions[0].registers == std::vector<std::string>{"t0", "t1"});
  CHECK(config.suppressions[0].reason == "the \"convention\" lets them change\\");
  CHECK(config.suppressions[0].arch == "");
  CHECK(config.suppressions[1].fingerprint == "0011");
  CHECK(config.suppressions[1].routines == std::vector<std::string>{"a*", "b"});
  CHECK(config.suppressions[1].arch == "arm");
  REQUIRE(config.registers.size() == 3);
  REQUIRE(policy_of(config, "loongarch64", "t1") != nullptr);
  CHECK(policy_of(config, "loongarch64", "t1")->level == Level::none);
  REQUIRE(policy_of(config, "loongarch64", "t0") != nullptr);
  CHECK(policy_of(config, "loongarch64", "t0")->level == Level::warning);
  CHECK(policy_of(config, "loongarch64", "t0")->reason == "more\nlines");
  REQUIRE(policy_of(config, "loongarch32", "t0") != nullptr);
  CHECK(policy_of(config, "loongarch32", "t0")->reason == "all");
  CHECK(policy_of(config, "loongarch32", "t1") == nullptr);
  REQUIRE(config.thread_flags.size() == 1);
  CHECK(config.thread_flags[0].arch == "arm");
  CHECK(config.thread_flags[0].bits == std::map<std::string, std::uint32_t>{{"_TIF_SIGPENDING", 0}, {"odd name", 31}});
  CHECK(config.thread_flags[0].work == std::vector<std::string>{"_TIF_SIGPENDING"});
  CHECK(config.thread_flags[0].syscall_work == std::vector<std::string>{"odd name"});
}

}  // namespace

TEST_CASE("config: everything that a file may hold") {
  const Config config = parse_config(everything, "f.toml");
  check_everything(config);
  CHECK(config.path == "f.toml");
  CHECK(config.levels ==
        std::map<RuleId, Level>{{RuleId::kernel_value_leak, Level::error}, {RuleId::lost_track, Level::none}});
  CHECK(config.level_lines.at(RuleId::lost_track) == 3);
  CHECK(config.entries[0].line == 5);
  CHECK(config.suppressions[0].line == 11);
  CHECK(config.thread_flags[0].line == 32);
}

TEST_CASE("config: what is printed is read back, and printed the same") {
  const Config config = parse_config(everything, "f.toml");
  const std::string printed = config_text(config);
  const Config again = parse_config(printed, "f.toml");
  check_everything(again);
  for (const RuleInfo& rule : all_rules()) {
    for (const Level found : {Level::note, Level::warning, Level::error}) {
      CAPTURE(rule.id);
      CHECK(level_of(again, rule.rule, found) == level_of(config, rule.rule, found));
    }
  }
}

TEST_CASE("config: what is printed says where each value comes from") {
  const std::string printed = config_text(parse_config("[rules]\nlost-track = \"error\"\n", "f.toml"));
  CHECK(printed.starts_with("# read: f.toml\n\n[rules]\nsigreturn-incomplete   = \"error\"    # default\n"));
  CHECK(printed.find("\nlost-track             = \"error\"    # f.toml:2\n") != std::string::npos);
  CHECK(config_text({}).starts_with("# no trapline.toml was found\n\n[rules]\n"));
}

TEST_CASE("config: the example of README.md is one") {
  const std::string text = read_text("README.md");
  const std::size_t begin = text.find("```toml\n");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find("```", begin + 8);
  REQUIRE(end != std::string::npos);
  CHECK(complaint(text.substr(begin + 8, end - begin - 8)) == "");
}

TEST_CASE("config: an empty file changes nothing") {
  CHECK(config_text(parse_config("", "f")).substr(10) == config_text(parse_config("# no word\n", "f")).substr(10));
}

TEST_CASE("config: unknown keys, with their line and the nearest") {
  CHECK(complaint("\nrulez = 1\n") == "f.toml:2: unknown key 'rulez'; did you mean 'rules'?");
  CHECK(complaint("zzzzzzz = 1\n") ==
        "f.toml:1: unknown key 'zzzzzzz'; known: rules, entry, suppress, budget, registers, arch");
  CHECK(complaint("[[entry]]\nname = 'a'\n\nroll = 'vector'\n") ==
        "f.toml:4: unknown key 'roll'; did you mean 'role'?");
  CHECK(complaint("[[suppress]]\nroutines = 'a'\n") == "f.toml:2: unknown key 'routines'; did you mean 'routine'?");
  CHECK(complaint("[registers]\n\nt0 = { levels = 'note' }\n") ==
        "f.toml:3: unknown key 'levels'; did you mean 'level'?");
  CHECK(complaint("[arch.arm]\nthread-flag = 1\n") ==
        "f.toml:2: unknown key 'thread-flag'; did you mean 'thread-flags'?");
  CHECK(complaint("[arch.arm.thread-flags]\nbit = { A = 1 }\n") == "f.toml:2: unknown key 'bit'; did you mean 'bits'?");
  CHECK(complaint("[rules]\n[arch.arm]\n[arch.arm.rules]\n").starts_with("f.toml:3: unknown key 'rules'"));
}

TEST_CASE("config: names that do not exist") {
  CHECK(complaint("[rules]\nslot-not-safed = 'off'\n") ==
        "f.toml:2: unknown rule 'slot-not-safed'; did you mean 'slot-not-saved'?");
  CHECK(complaint("[rules]\nlost-track =\\\n").starts_with("f.toml:2: is no TOML: "));
  CHECK(complaint("[rules]\n\nlost-track = 'warn'\n") == "f.toml:3: unknown level 'warn'; did you mean 'warning'?");
  CHECK(complaint("[rules]\nlost-track = 'none'\n") == "f.toml:2: unknown level 'none'; did you mean 'note'?");
  CHECK(complaint("[rules]\nlost-track = 'deadly'\n") ==
        "f.toml:2: unknown level 'deadly'; known: off, note, warning, error");
  CHECK(complaint("[[entry]]\nname = 'a'\nrole = 'tlb-handle'\n") ==
        "f.toml:3: unknown role 'tlb-handle'; did you mean 'tlb-handler'?");
  CHECK(complaint("[[entry]]\nname = 'a'\ncontract = 'frame_built'\n") ==
        "f.toml:3: unknown contract 'frame_built'; did you mean 'frame-built'?");
  CHECK(complaint("[arch.loongarch46.registers]\n") ==
        "f.toml:1: unknown architecture 'loongarch46'; did you mean 'loongarch64'?");
  CHECK(complaint("[[suppress]]\nrule = 'undecoded'\nreason = 'r'\narch = 'armv7'\n") ==
        "f.toml:4: unknown architecture 'armv7'; did you mean 'arm'?");
  CHECK(complaint("[[suppress]]\nrule = 'undecodet'\nreason = 'r'\n") ==
        "f.toml:2: unknown rule 'undecodet'; did you mean 'undecoded'?");
  CHECK(complaint("[arch.arm.registers]\nt0 = { level = 'note', reason = 'r' }\n")
            .starts_with("f.toml:2: unknown register of arm 't0'"));
  CHECK(complaint("[registers]\nxyzzy = { level = 'note', reason = 'r' }\n") == "f.toml:2: unknown register 'xyzzy'");
  CHECK(complaint("[[arch.arm.suppress]]\nrule = 'undecoded'\nreason = 'r'\nregisters = ['r1', 't9']\n")
            .starts_with("f.toml:4: unknown register of arm 't9'"));
  CHECK(complaint("[arch.arm.thread-flags]\nbits = { _TIF_A = 1 }\n\nwork = ['_TIF_B']\n") ==
        "f.toml:4: unknown flag '_TIF_B'; did you mean '_TIF_A'?");
}

TEST_CASE("config: wrong types") {
  CHECK(complaint("rules = 1\n") == "f.toml:1: 'rules' is an integer; write a table");
  CHECK(complaint("[rules]\nlost-track = false\n") ==
        "f.toml:2: 'lost-track' is a boolean; write a level: \"off\", \"note\", \"warning\" or \"error\"");
  CHECK(complaint("\n[entry]\nname = 'a'\n") == "f.toml:2: 'entry' is a table; write [[entry]], one for each");
  CHECK(complaint("suppress = [1]\n") == "f.toml:1: 'suppress' is an integer; write [[suppress]], one for each");
  CHECK(complaint("[[entry]]\nname = 1.5\n") == "f.toml:2: 'name' is a floating-point number; write a string");
  CHECK(complaint("[[entry]]\nname = 'a'\nframe-offset = '8'\n") ==
        "f.toml:3: 'frame-offset' is a string; write an integer");
  CHECK(complaint("[[suppress]]\nroutine = 1979-05-27\n") ==
        "f.toml:2: 'routine' is a date or time; write a string or an array of strings");
  CHECK(complaint("[[suppress]]\nroutine = ['a', 1]\n") ==
        "f.toml:2: 'routine' is an integer; write an array of strings");
  CHECK(complaint("[registers]\nt0 = 'note'\n") ==
        "f.toml:2: 't0' is a string; write { level = \"...\", reason = \"...\" }");
  CHECK(complaint("[arch.arm.thread-flags]\nbits = []\n") == "f.toml:2: 'bits' is an array; write a table");
  CHECK(complaint("[arch]\narm = 1\n") == "f.toml:2: 'arm' is an integer; write a table");
}

TEST_CASE("config: what must be there, and what makes no sense") {
  CHECK(complaint("\n[[suppress]]\nrule = 'undecoded'\n") ==
        "f.toml:2: this suppression has no 'reason'; say why the finding is accepted");
  CHECK(complaint("[[suppress]]\nrule = 'undecoded'\nreason = ' '\n") ==
        "f.toml:3: 'reason' is empty; give it a text or leave it out");
  CHECK(complaint("[[suppress]]\nreason = 'r'\nroutine = 'a'\n") ==
        "f.toml:1: this suppression has neither 'rule' nor 'fingerprint'; say which finding it is for");
  CHECK(complaint("[[suppress]]\nrule = 'undecoded'\nreason = 'r'\nregisters = []\n") ==
        "f.toml:4: 'registers' is empty; give it a value or leave it out");
  CHECK(complaint("[registers]\n\nt0 = { level = 'note' }\n") ==
        "f.toml:3: 't0' has no 'reason'; say why user mode may see it, or must not");
  CHECK(complaint("[registers]\nt0 = { reason = 'r' }\n") == "f.toml:2: 't0' has no 'level'");
  CHECK(complaint("[[entry]]\nrole = 'vector'\n") == "f.toml:1: this entry has no 'name'; give a symbol or a glob");
  CHECK(complaint("[[entry]]\nname = 'a'\nframe-offset = 65537\n") ==
        "f.toml:3: 'frame-offset' is 65537; write a number from -65536 to 65536");
  CHECK(complaint("[[entry]]\nname = 'a'\nframe-offset = 8\ncontract = 'function'\n") ==
        "f.toml:1: 'frame-offset' needs the contract \"frame-built\"; no other has a frame at entry");
  CHECK(complaint("[[entry]]\nname = 'a'\nframe-offset = 8\nrole = 'vector'\n") != "");
  CHECK(complaint("[[entry]]\nname = 'a'\nframe-offset = 8\nrole = 'fork-return'\n") == "");
  CHECK(complaint("[[arch.arm.entry]]\nname = 'a'\narch = 'arm'\n") ==
        "f.toml:3: 'arch' stands in the section of arm; leave it out");
  CHECK(complaint("[arch.arm.thread-flags]\nbits = { A = 0,\n B = 32 }\n").starts_with("f.toml:"));
  CHECK(complaint("[arch.arm.thread-flags]\nbits = { B = 32 }\n") ==
        "f.toml:2: 'B' is 32; write a number from 0 to 31");
}

TEST_CASE("config: what is no TOML") {
  CHECK(complaint("[rules]\nlost-track = \"off\"\nlost-track = \"off\"\n").starts_with("f.toml:3: is no TOML: "));
  CHECK(complaint("a\n").starts_with("f.toml:1: is no TOML: "));
  CHECK(complaint("a = '\xff'\n").starts_with("f.toml:1: is no TOML: "));
  CHECK(complaint("[=]") == "f.toml:1: is no TOML: a key or table header is malformed");
  CHECK(complaint("[rules]\n\n[=]\n# more\n") == "f.toml:3: is no TOML: a key or table header is malformed");
  CHECK(complaint("a = " + std::string(100000, '[')).starts_with("f.toml:1: is no TOML: "));
}

TEST_CASE("config: levels") {
  // Defaults, from rules.def: slot-not-saved warning, slot-mismatch error.
  const auto level = [](const std::string& text, RuleId rule, Level found) {
    return level_of(parse_config("[rules]\n" + text, "f"), rule, found);
  };
  const RuleId rule = RuleId::slot_not_saved;
  CHECK(level("", rule, Level::warning) == Level::warning);
  CHECK(level("", rule, Level::note) == Level::note);
  CHECK(level("slot-not-saved = 'off'", rule, Level::warning) == Level::none);
  CHECK(level("slot-not-saved = 'off'", rule, Level::note) == Level::none);
  CHECK(level("slot-not-saved = 'note'", rule, Level::warning) == Level::note);
  CHECK(level("slot-not-saved = 'error'", rule, Level::warning) == Level::error);
  // The rule itself says that this one is harmless.
  CHECK(level("slot-not-saved = 'error'", rule, Level::note) == Level::note);
  CHECK(level("slot-not-saved = 'warning'", rule, Level::note) == Level::note);
  CHECK(level("slot-not-saved = 'error'", RuleId::slot_mismatch, Level::error) == Level::error);
  CHECK(level("slot-mismatch = 'warning'", RuleId::slot_mismatch, Level::error) == Level::warning);
}

TEST_CASE("config: a suppression covers a finding that is about nothing else") {
  const auto accepted = [](const std::string& keys, const FindingReport& f) {
    const Config config = parse_config("[[suppress]]\nreason = 'r'\n" + keys, "f");
    const Config::Suppression* found = suppressed(config, "loongarch64", f);
    return found != nullptr && found->reason == "r";
  };
  const FindingReport f = finding("slot-not-saved", {"handle_syscall", "ret_from_fork"}, {"t0", "t1"});
  CHECK(accepted("rule = 'slot-not-saved'", f));
  CHECK_FALSE(accepted("rule = 'slot-mismatch'", f));
  CHECK(accepted("fingerprint = '0011'", f));
  CHECK_FALSE(accepted("fingerprint = '001'", f));
  CHECK_FALSE(accepted("fingerprint = '0011'\nrule = 'slot-mismatch'", f));
  CHECK(accepted("rule = 'slot-not-saved'\nregisters = ['t0', 't1', 't2']", f));
  CHECK_FALSE(accepted("rule = 'slot-not-saved'\nregisters = ['t0']", f));
  CHECK_FALSE(accepted("rule = 'slot-not-saved'\nregisters = 't0'", finding("slot-not-saved", {"a"}, {})));
  CHECK(accepted("rule = 'slot-not-saved'\nroutine = ['handle_*', 'ret_from_fork']", f));
  CHECK_FALSE(accepted("rule = 'slot-not-saved'\nroutine = 'handle_syscall'", f));
  CHECK(accepted("rule = 'slot-not-saved'\narch = 'loongarch64'", f));
  CHECK_FALSE(accepted("rule = 'slot-not-saved'\narch = 'loongarch32'", f));
}

TEST_CASE("config: unused suppressions are those that could have matched") {
  const Config config = parse_config(
      "[rules]\nundecoded = 'off'\n"
      "[[suppress]]\nrule = 'slot-not-saved'\nreason = 'used'\n"            // 3
      "[[suppress]]\nrule = 'slot-mismatch'\nreason = 'matches nothing'\n"  // 6
      "[[suppress]]\nrule = 'slot-mismatch'\nreason = 'r'\narch = 'arm'\n"  // 9: no such image
      "[[suppress]]\nrule = 'undecoded'\nreason = 'the rule is off'\n"      // 13
      "[[suppress]]\nfingerprint = '0012'\nreason = 'matches nothing'\n",   // 16
      "f");
  FindingsReport report;
  report.images.resize(1);
  report.images[0].head.arch = "loongarch64";
  report.images[0].findings = {finding("slot-not-saved", {"a"}, {"t0"})};
  const std::vector<const Config::Suppression*> list = unused(config, report);
  REQUIRE(list.size() == 2);
  CHECK(list[0]->line == 6);
  CHECK(list[1]->line == 16);
}

TEST_CASE("config: the file is the nearest one above") {
  std::string name = (fs::temp_directory_path() / "trapline-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path folder = name;
  fs::create_directories(folder / "a" / "b");
  fs::create_directories(folder / "a" / "b" / "c" / "trapline.toml");  // a folder of that name is none
  std::ofstream(folder / "a" / "trapline.toml") << "[rules]\nundecoded = 'off'\n";
  CHECK(find_config((folder / "a").string()) == "trapline.toml");
  CHECK(find_config((folder / "a" / "b" / "c").string()) == (folder / "a" / "trapline.toml").string());
  CHECK(load_config((folder / "a" / "trapline.toml").string()).levels.size() == 1);
  std::ofstream(folder / "empty.toml").flush();
  CHECK(load_config((folder / "empty.toml").string()).levels.empty());
  const std::string absent = (folder / "absent").string();
  CHECK_THROWS_WITH_AS(load_config(absent), (absent + ": cannot be read: No such file or directory").c_str(), Error);
  CHECK_THROWS_WITH_AS(load_config(name), (name + ": cannot be read: it is a folder; name a file").c_str(), Error);
  fs::remove_all(folder);
}

TEST_CASE("config: entries are changed and added") {
  // Symbols of tests/image/good-loongarch64.yaml; the table has handle_syscall alone, entered by a stub that has used
  // t0.
  const std::unique_ptr<Image> image = sample("good-loongarch64");
  const auto entries = [&](const std::string& text, const std::vector<std::string>& wanted) {
    return locate_entries(*image, wanted, parse_config(text, "f").entries);
  };
  const std::vector<Entry> plain = entries("", {});
  REQUIRE(plain.size() == 1);
  CHECK(plain[0].contract.specials.size() == 1);

  const std::vector<Entry> changed = entries("[[entry]]\nname = 'handle_syscall'\nrole = 'fork-return'\n", {});
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].report.role == Role::fork_return);
  CHECK(changed[0].report.source == "config");
  CHECK(changed[0].contract.kind == ContractKind::frame_built);
  CHECK(changed[0].contract.frame_offset == 0);

  // An exception entry is entered as a system call is, and what the stub does to t0 stays; but no register may change.
  const std::vector<Entry> alike = entries("[[entry]]\nname = 'second_func'\nrole = 'exception-entry'\n", {});
  REQUIRE(alike.size() == 1);
  CHECK(alike[0].report.role == Role::exception_entry);
  CHECK(alike[0].contract.specials.size() == 1);
  CHECK(plain[0].contract.convention != 0);
  CHECK(alike[0].contract.convention == 0);

  const std::vector<Entry> added = entries(
      "[[entry]]\nname = 'twice'\nrole = 'return-to-user'\nframe-offset = 16\n[[entry]]\nname = 'not_there'\n"
      "[[arch.arm.entry]]\nname = 'twice'\n",
      {});
  REQUIRE(added.size() == 1 + 3);  // three functions are called "twice"
  CHECK(added[1].report.name == "twice");
  CHECK(added[1].report.source == "config");
  CHECK(added[1].report.role == Role::return_to_user);
  CHECK(added[1].contract.kind == ContractKind::frame_built);
  CHECK(added[1].contract.frame_offset == 16);

  // --entry finds what the configuration has added, with its role.
  const std::vector<Entry> asked = entries("[[entry]]\nname = 'twice'\nrole = 'vector'\n", {"twice"});
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].report.role == Role::vector);
  CHECK(asked[0].contract.kind == ContractKind::interrupted);
  const std::vector<Entry> unnamed = entries("[[entry]]\nname = 'twi?e'\ncontract = 'interrupted'\n", {"twice"});
  REQUIRE(unnamed.size() == 3);
  CHECK(unnamed[0].report.role == Role::user_named);
  CHECK(unnamed[0].contract.kind == ContractKind::interrupted);
  CHECK(unnamed[0].contract.specials.empty());
}

}  // namespace trapline::test
