// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cli/help.h"
#include "cli/options.h"
#include "disasm/error.h"

namespace trapline {
namespace {

using Arguments = std::vector<std::string>;

// The message of the Error that these arguments raise, or "" when they are fine.
std::string complaint(const Arguments& arguments) {
  try {
    parse_options(arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("options_defaults") {
  const Options options = parse_options({"paths", "vmlinux"});
  CHECK(options.command->id == CommandId::paths);
  CHECK(options.images == Arguments{"vmlinux"});
  CHECK(options.analyze.entries.empty());
  CHECK(options.analyze.max_paths == 4096);
  CHECK(options.analyze.jobs >= 1);
  CHECK_FALSE(options.analyze.listing);
  CHECK_FALSE(options.analyze.all);
  CHECK_FALSE(options.quiet);
  CHECK_FALSE(options.verbose);
  CHECK(options.color == ColorChoice::automatic);
  REQUIRE(options.outputs.size() == 1);
  CHECK(options.outputs[0].format == Format::text);
  CHECK(options.outputs[0].file == "-");
}

TEST_CASE("options_all_of_them") {
  const Options options =
      parse_options({"paths", "--entry", "a", "one", "--entry=b*", "two", "--max-paths", "7", "--all", "--listing",
                     "--jobs", "3", "--quiet", "--verbose", "--color", "never", "--format", "csv"});
  CHECK(options.images == Arguments{"one", "two"});
  CHECK(options.analyze.entries == Arguments{"a", "b*"});
  CHECK(options.analyze.max_paths == 7);
  CHECK(options.analyze.jobs == 3);
  CHECK(options.analyze.all);
  CHECK(options.analyze.listing);
  CHECK(options.quiet);
  CHECK(options.verbose);
  CHECK(options.color == ColorChoice::never);
  REQUIRE(options.outputs.size() == 1);
  CHECK(options.outputs[0].format == Format::csv);
}

TEST_CASE("options_kernel_src") {
  CHECK(parse_options({"lint", "vmlinux", "--kernel-src", "linux"}).analyze.kernel_src == "linux");
  CHECK_FALSE(parse_options({"lint", "vmlinux"}).analyze.kernel_src);
  CHECK(complaint({"lint", "vmlinux", "--kernel-src", ""}) ==
        "--kernel-src: the folder is empty (see 'trapline help lint')");
  CHECK(complaint({"lint", "vmlinux", "--kernel-src", "a", "--kernel-src", "b"}) ==
        "--kernel-src: given twice (see 'trapline help lint')");
  CHECK(complaint({"paths", "vmlinux", "--kernel-src", "a"}).find("--kernel-src") != std::string::npos);
}

TEST_CASE("options_entry_given_twice_counts_once") {
  CHECK(parse_options({"paths", "x", "--entry", "a", "--entry", "a"}).analyze.entries == Arguments{"a"});
  CHECK(parse_options({"cfg", "x", "--entry", "a", "--entry", "a"}).analyze.entries == Arguments{"a"});
}

TEST_CASE("options_a_glob_with_brackets_is_one_value") {
  CHECK(parse_options({"paths", "[x]", "--entry", "[a-z]*"}).analyze.entries == Arguments{"[a-z]*"});
  CHECK(parse_options({"paths", "[x]", "--entry", "[a,b]"}).images == Arguments{"[x]"});
}

TEST_CASE("options_several_reports") {
  const Options options =
      parse_options({"paths", "x", "--format", "csv", "-o", "json=out.json", "--output", "text=-", "-oplain"});
  REQUIRE(options.outputs.size() == 3);
  CHECK(options.outputs[0].format == Format::json);
  CHECK(options.outputs[0].file == "out.json");
  CHECK(options.outputs[1].format == Format::text);
  CHECK(options.outputs[1].file == "-");
  CHECK(options.outputs[2].format == Format::csv);
  CHECK(options.outputs[2].file == "plain");
}

TEST_CASE("options_a_file_name_may_hold_an_equals_sign") {
  CHECK(parse_options({"paths", "x", "-o", "./a=b"}).outputs[0].file == "./a=b");
  CHECK(parse_options({"paths", "x", "-o", "json=a=b"}).outputs[0].file == "a=b");
}

TEST_CASE("options_images_that_look_like_something_else") {
  CHECK(parse_options({"paths", "cfg", "help"}).images == Arguments{"cfg", "help"});
  CHECK(parse_options({"paths", "-"}).images == Arguments{"-"});
  CHECK(parse_options({"paths", "x", "--", "--all", "-"}).images == Arguments{"x", "--all", "-"});
}

TEST_CASE("options_help_and_version") {
  CHECK(parse_options({"--version"}).command->id == CommandId::version);
  CHECK(parse_options({"version"}).command->id == CommandId::version);
  for (const Arguments& arguments : std::vector<Arguments>{{"--help"}, {"-h"}, {"help"}}) {
    const Options options = parse_options(arguments);
    CHECK(options.command->id == CommandId::help);
    CHECK(options.topic.empty());
  }
  for (const Arguments& arguments : std::vector<Arguments>{{"help", "paths"},
                                                           {"paths", "--help"},
                                                           {"paths", "-h"},
                                                           {"--help", "paths"},
                                                           {"paths", "x", "--all", "-h"}}) {
    const Options options = parse_options(arguments);
    CHECK(options.command->id == CommandId::help);
    CHECK(options.topic == "paths");
  }
}

TEST_CASE("options_errors_of_commands") {
  CHECK(complaint({"pahts", "x"}) == "pahts: unknown command; did you mean 'paths'? ('trapline help' lists them)");
  CHECK(complaint({"entr"}) == "entr: unknown command; did you mean 'entries'? ('trapline help' lists them)");
  CHECK(complaint({"frobnicate"}) == "frobnicate: unknown command ('trapline help' lists them)");
  CHECK(complaint({"--frob"}) == "--frob: unknown option; options stand behind the command (see 'trapline help')");
  CHECK(complaint({"--all", "paths", "x"}) ==
        "--all: unknown option; options stand behind the command (see 'trapline help')");
  CHECK(complaint({"--"}) == "no command given ('trapline help' lists them)");
}

TEST_CASE("options_errors_of_operands") {
  CHECK(complaint({"paths"}) == "paths: no image given; write trapline paths IMAGE... (see 'trapline help paths')");
  CHECK(complaint({"cfg", "--entry", "a"}) ==
        "cfg: no image given; write trapline cfg IMAGE --entry NAME (see 'trapline help cfg')");
  CHECK(complaint({"paths", ""}) == "paths: the name of an image is empty (see 'trapline help paths')");
  CHECK(complaint({"cfg", "x", "y", "--entry", "a"}) ==
        "y: unexpected argument; 'cfg' takes one IMAGE (see 'trapline help cfg')");
  CHECK(complaint({"version", "x"}) == "x: unexpected argument; 'version' takes none (see 'trapline help version')");
  CHECK(complaint({"help", "paths", "cfg"}) ==
        "cfg: unexpected argument; 'help' takes one COMMAND (see 'trapline help help')");
  CHECK(complaint({"paths", "-", "x", "-"}) == "-: standard input holds one image; name the others");
  CHECK(complaint({"cfg", "x"}) == "cfg: no routine named; give --entry NAME ('trapline entries IMAGE' lists them)");
  CHECK(complaint({"cfg", "x", "--entry", "a", "--entry", "b"}) == "cfg: draws one routine; give --entry once");
}

TEST_CASE("options_errors_of_options") {
  CHECK(complaint({"paths", "x", "--formt", "json"}) ==
        "--formt: unknown option; did you mean '--format'? (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "--formt=json"}) ==
        "--formt: unknown option; did you mean '--format'? (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "-z"}) == "-z: unknown option (see 'trapline help paths')");
  CHECK(complaint({"entries", "x", "--listing"}) ==
        "--listing: 'entries' has no such option (see 'trapline help entries')");
  CHECK(complaint({"paths", "x", "--entry"}) == "--entry: needs a value, NAME (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "-o"}) == "--output: needs a value, [FORMAT=]FILE (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "--all=3"}) == "--all: takes no value (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "--entry", ""}) ==
        "--entry: the name is empty; give a routine's name or a glob (see 'trapline help paths')");
  for (const std::string value : {"0", "-5", "abc", "7x", ""}) {
    CHECK(complaint({"paths", "x", "--max-paths", value}) ==
          "--max-paths: '" + value + "' is not a whole number above 0 (see 'trapline help paths')");
  }
  CHECK(complaint({"paths", "x", "--max-paths", "18446744073709551616"}) ==
        "--max-paths: 18446744073709551616 is too large (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "--max-paths", "18446744073709551615"}) == "");
  CHECK(complaint({"paths", "x", "--jobs", "0"}) ==
        "--jobs: '0' is not a whole number above 0 (see 'trapline help paths')");
  CHECK(complaint({"paths", "x", "--color", "blue"}) ==
        "--color: 'blue' is none of auto, always, never (see 'trapline help paths')");
}

TEST_CASE("options_of_lint_and_config") {
  CHECK(parse_options({"lint", "x"}).fail_on == Level::warning);
  CHECK_FALSE(parse_options({"lint", "x"}).config.has_value());
  CHECK(parse_options({"lint", "x", "--fail-on", "error"}).fail_on == Level::error);
  CHECK(parse_options({"lint", "x", "--fail-on=note"}).fail_on == Level::note);
  CHECK(parse_options({"lint", "x", "--fail-on", "never"}).fail_on == Level::none);
  CHECK(complaint({"lint", "x", "--fail-on", "none"}) ==
        "--fail-on: 'none' is none of error, warning, note, never (see 'trapline help lint')");
  CHECK(complaint({"paths", "x", "--fail-on", "note"}) ==
        "--fail-on: 'paths' has no such option (see 'trapline help paths')");
  for (const std::string command : {"lint", "paths", "entries"})
    CHECK(parse_options({command, "x", "--config", "c.toml"}).config == "c.toml");
  CHECK(parse_options({"config", "--config", "c.toml"}).config == "c.toml");
  CHECK(complaint({"lint", "x", "--config", ""}) ==
        "--config: the name is empty; give a file (see 'trapline help lint')");
  CHECK(parse_options({"explain", "lost-track"}).topic == "lost-track");
  CHECK(complaint({"explain"}) == "explain: no rule given; write trapline explain RULE ('trapline rules' lists them)");
  CHECK(complaint({"explain", "a", "b"}) ==
        "b: unexpected argument; 'explain' takes one RULE (see 'trapline help explain')");
}

TEST_CASE("options_errors_of_formats_list_what_the_command_writes") {
  CHECK(complaint({"paths", "x", "--format", "yaml"}) ==
        "--format: unknown format 'yaml'; 'paths' writes text, json, csv, markdown");
  CHECK(complaint({"paths", "x", "--format", "dot"}) ==
        "--format: no format 'dot'; 'paths' writes text, json, csv, markdown");
  CHECK(complaint({"cfg", "x", "--entry", "a", "--format", "csv"}) ==
        "--format: no format 'csv'; 'cfg' writes text, dot, svg, json");
  CHECK(complaint({"paths", "x", "-o", "yaml=f"}) ==
        "--output: unknown format 'yaml'; 'paths' writes text, json, csv, markdown (for a file of that name write "
        "./yaml=f)");
  CHECK(complaint({"paths", "x", "-o", "json="}) == "--output: 'json=' names no file; write FILE or FORMAT=FILE");
  CHECK(complaint({"paths", "x", "-o", "a", "-o", "json=a"}) == "--output: two reports for 'a'");
  CHECK(complaint({"paths", "x", "--format", "json", "--format", "csv"}) ==
        "--format: given twice; for several reports write -o json=FILE -o csv=FILE");
}

}  // namespace
}  // namespace trapline
