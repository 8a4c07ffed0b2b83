// SPDX-License-Identifier: Apache-2.0
//
// The program as a whole, in this process: what goes to standard output and standard error, colours, output files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cli/output.h"
#include "cli/run.h"
#include "disasm/error.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

namespace fs = std::filesystem;

// A folder that goes away.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "trapline-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// A console whose standard output and error are files, in an empty environment.
class TestConsole {
 public:
  TestConsole() {
    console_.out = ::open(folder_.file("out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    console_.err = ::open(folder_.file("err").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    console_.environment = [this](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
  }
  ~TestConsole() {
    ::close(console_.out);
    ::close(console_.err);
  }
  TestConsole(const TestConsole&) = delete;
  TestConsole& operator=(const TestConsole&) = delete;

  Console& get() { return console_; }
  std::string out() const { return content(folder_.file("out")); }
  std::string err() const { return content(folder_.file("err")); }

  std::map<std::string, std::string> variables;

 private:
  Folder folder_;
  Console console_;
};

TEST_CASE("run_without_arguments_prints_short_help_to_standard_error") {
  TestConsole console;
  CHECK(run({}, console.get()) == 2);
  CHECK(console.out() == "");
  CHECK(console.err().starts_with("usage: trapline COMMAND ...\n"));
  CHECK(unfit_for_mail(console.err()) == "");
}

TEST_CASE("run_version") {
  for (const char* argument : {"version", "--version"}) {
    TestConsole console;
    CHECK(run({argument}, console.get()) == 0);
    CHECK(console.out().starts_with("trapline 0.1.0 (LLVM 22.1."));
    CHECK(console.out().ends_with(")\n"));
    CHECK(console.err() == "");
  }
}

TEST_CASE("run_help_is_what_tests_help_holds") {
  // tests/help/rewrite makes these files anew.
  const fs::path folder = fs::path(TRAPLINE_SOURCE_DIR) / "tests" / "help";
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    files += entry.path().extension() == ".txt" ? 1 : 0;
  }
  CHECK(files == command_table().size() + 1);
  TestConsole general;
  CHECK(run({"help"}, general.get()) == 0);
  CHECK(general.out() == content(folder / "trapline.txt"));
  CHECK(unfit_for_mail(general.out()) == "");
  for (const CommandRow& command : command_table()) {
    CAPTURE(command.name);
    TestConsole console;
    CHECK(run({"help", std::string(command.name)}, console.get()) == 0);
    CHECK(console.out() == content(folder / (std::string(command.name) + ".txt")));
    CHECK(console.err() == "");
    CHECK(unfit_for_mail(console.out()) == "");
  }
}

TEST_CASE("run_help_of_no_command") {
  TestConsole console;
  CHECK_THROWS_WITH_AS(run({"help", "path"}, console.get()),
                       "path: unknown command; did you mean 'paths'? ('trapline help' lists them)", Error);
}

TEST_CASE("run_explain_and_rules") {
  TestConsole list;
  CHECK(run({"rules"}, list.get()) == 0);
  CHECK(unfit_for_mail(list.out()) == "");
  TestConsole json;
  CHECK(run({"rules", "--format", "json"}, json.get()) == 0);
  for (const RuleInfo& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(list.out().find(std::string(rule.id) + " ") != std::string::npos);
    CHECK(json.out().find("\"id\": \"" + std::string(rule.id) + "\"") != std::string::npos);
    TestConsole console;
    CHECK(run({"explain", std::string(rule.id)}, console.get()) == 0);
    CHECK(console.out().starts_with(std::string(rule.id) + " (" + std::string(level_name(rule.level)) + "): "));
    for (const char* section : {"\nExample:\n", "\nFix:\n", "\nReferences:\n"})
      CHECK(console.out().find(section) != std::string::npos);
    CHECK(unfit_for_mail(console.out()) == "");
  }
  TestConsole console;
  CHECK_THROWS_WITH_AS(run({"explain", "slot-not-safe"}, console.get()),
                       "slot-not-safe: no such rule; did you mean 'slot-not-saved'? ('trapline rules' lists them)",
                       Error);
}

TEST_CASE("run_the_rule_book_is_what_doc_holds") {
  // After a change that was meant: trapline rules --format markdown -o doc/rules.md
  TestConsole console;
  CHECK(run({"rules", "--format", "markdown"}, console.get()) == 0);
  CHECK(console.out() == content((fs::path(TRAPLINE_SOURCE_DIR) / "doc" / "rules.md").string()));
}

TEST_CASE("run_config_prints_what_can_be_read_again") {
  Folder folder;
  const std::string file = folder.file("a.toml");
  const std::string again = folder.file("b.toml");
  write_output(file, "[rules]\nlost-track = \"error\"\n");
  TestConsole console;
  CHECK(run({"config", "--config", file, "--verbose"}, console.get()) == 0);
  CHECK(console.err() == "trapline: configuration " + file + "\n");
  CHECK(console.out().find("lost-track             = \"error\"    # " + file + ":2\n") != std::string::npos);
  write_output(again, console.out());
  TestConsole second;
  CHECK(run({"config", "--config", again}, second.get()) == 0);
  CHECK(second.err() == "");
  CHECK(second.out().find("lost-track             = \"error\"    # " + again + ":") != std::string::npos);
}

TEST_CASE("run_a_configuration_that_is_wrong_stops_every_command") {
  Folder folder;
  const std::string file = folder.file("a.toml");
  write_output(file, "\nrule = 1\n");
  for (const std::string command : {"lint", "paths", "entries"}) {
    TestConsole console;
    CHECK_THROWS_WITH_AS(run({command, folder.file("absent"), "--config", file}, console.get()),
                         (file + ":2: unknown key 'rule'; did you mean 'rules'?").c_str(), Error);
  }
}

TEST_CASE("run_an_image_that_fails_leaves_no_output") {
  TestConsole console;
  Folder folder;
  const std::string report = folder.file("report");
  CHECK_THROWS_AS(run({"paths", folder.file("absent"), "-o", report, "-o", "json=-"}, console.get()), Error);
  CHECK(console.out() == "");
  CHECK(console.err() == "");
  CHECK(folder.files() == 0);
}

TEST_CASE("run_an_output_that_cannot_be_written_is_known_before_the_image_is_read") {
  TestConsole console;
  Folder folder;
  const std::string report = folder.file("absent/report");
  CHECK_THROWS_WITH_AS(run({"paths", folder.file("absent"), "-o", report}, console.get()),
                       (report + ": cannot be written: No such file or directory").c_str(), Error);
}

TEST_CASE("run_progress_is_for_terminals_and_is_erased") {
  Folder folder;
  const auto progress = [&](bool terminal, const std::vector<std::string>& more,
                            const std::map<std::string, std::string>& variables) {
    TestConsole console;
    console.get().err_is_terminal = terminal;
    console.variables = variables;
    std::vector<std::string> arguments = {"paths", folder.file("absent")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK_THROWS_AS(run(arguments, console.get()), Error);
    return console.err();
  };
  const std::string shown = progress(true, {}, {});
  CHECK(shown.starts_with("\r\x1b[Kreading "));
  CHECK(shown.ends_with("\r\x1b[K"));
  CHECK(progress(false, {}, {}) == "");
  CHECK(progress(true, {"--quiet"}, {}) == "");
  CHECK(progress(true, {}, {{"CI", "true"}}) == "");
}

TEST_CASE("run_error_lines") {
  CHECK(error_line(Error("vmlinux", "what is wrong")) == "trapline: error: vmlinux: what is wrong\n");
  CHECK(error_line(Error("a\nb\x1b", "c")) == "trapline: error: a b\\x1b: c\n");
  CHECK(error_line(std::runtime_error("oops")) == "trapline: error: internal error: oops; please report it\n");
}

TEST_CASE("run_colour_precedence") {
  TestConsole console;
  const auto colored = [&](ColorChoice choice, bool terminal, const std::map<std::string, std::string>& variables) {
    console.variables = variables;
    return use_color(console.get(), choice, terminal);
  };
  using Variables = std::map<std::string, std::string>;
  const Variables no_color = {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}};
  CHECK(colored(ColorChoice::automatic, true, {}));
  CHECK_FALSE(colored(ColorChoice::automatic, false, {}));
  CHECK_FALSE(colored(ColorChoice::automatic, true, {{"TERM", "dumb"}}));
  CHECK_FALSE(colored(ColorChoice::automatic, true, no_color));
  CHECK(colored(ColorChoice::automatic, true, {{"NO_COLOR", ""}}));
  CHECK(colored(ColorChoice::automatic, false, {{"CLICOLOR_FORCE", "1"}}));
  CHECK(colored(ColorChoice::automatic, false, {{"FORCE_COLOR", "1"}, {"TERM", "dumb"}}));
  CHECK_FALSE(colored(ColorChoice::automatic, false, {{"CLICOLOR_FORCE", "0"}}));
  CHECK(colored(ColorChoice::always, false, no_color));
  CHECK_FALSE(colored(ColorChoice::never, true, {{"CLICOLOR_FORCE", "1"}}));
}

TEST_CASE("run_text_is_72_columns_wide_unless_on_a_terminal") {
  TestConsole console;
  Options options = parse_options({"paths", "x"});
  CHECK(text_options(console.get(), options, {Format::text, "-"}).width == 72);
  CHECK(text_options(console.get(), options, {Format::text, "-"}).ascii);
  console.get().out_is_terminal = true;
  for (const auto& [columns, width] : std::map<std::size_t, std::size_t>{{0, 72}, {40, 72}, {100, 100}, {500, 132}}) {
    console.get().columns = columns;
    CHECK(text_options(console.get(), options, {Format::text, "-"}).width == width);
  }
  CHECK_FALSE(text_options(console.get(), options, {Format::text, "-"}).ascii);
  CHECK(text_options(console.get(), options, {Format::text, "file"}).ascii);
  options.color = ColorChoice::never;
  CHECK(text_options(console.get(), options, {Format::text, "-"}).width == 72);
  CHECK(text_options(console.get(), options, {Format::text, "-"}).ascii);
}

TEST_CASE("output_writes_a_file_whole_and_leaves_nothing_beside_it") {
  Folder folder;
  const std::string file = folder.file("report");
  write_output(file, "one\n");
  CHECK(content(file) == "one\n");
  ::chmod(file.c_str(), 0640);
  write_output(file, "two\n");
  CHECK(content(file) == "two\n");
  CHECK((fs::status(file).permissions() & fs::perms::all) == fs::perms(0640));
  CHECK(folder.files() == 1);
}

TEST_CASE("output_keeps_a_symbolic_link_a_link") {
  Folder folder;
  write_output(folder.file("target"), "old\n");
  fs::create_symlink("target", folder.file("link"));
  write_output(folder.file("link"), "new\n");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(content(folder.file("target")) == "new\n");
}

TEST_CASE("output_errors_name_the_file_and_the_reason") {
  Folder folder;
  const std::string absent = folder.file("absent/report");
  CHECK_THROWS_WITH_AS(write_output(absent, "x"), (absent + ": cannot be written: No such file or directory").c_str(),
                       Error);
  const std::string parent = folder.file(".");
  CHECK_THROWS_WITH_AS(write_output(parent, "x"), (parent + ": cannot be written: it is a folder; name a file").c_str(),
                       Error);
}

TEST_CASE("output_that_is_the_image_is_refused_by_any_name") {
  Folder folder;
  const std::vector<std::string> inputs{"-", folder.file("absent"), folder.file("vmlinux")};
  write_output(inputs.back(), "image");
  fs::create_symlink("vmlinux", folder.file("link"));
  for (const std::string& name : {inputs.back(), folder.file("./vmlinux"), folder.file("link")}) {
    CHECK_THROWS_WITH_AS(check_output(name, inputs),
                         (name + ": is the image itself; name another file for the report").c_str(), Error);
  }
  CHECK_NOTHROW(check_output(folder.file("report"), inputs));
}

TEST_CASE("output_writes_devices_directly") {
  CHECK_NOTHROW(write_output("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
  // Linux's device that is always full.
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_WITH_AS(write_output("/dev/full", "x"), "/dev/full: cannot be written: No space left on device",
                         Error);
  }
}

TEST_CASE("output_to_a_fifo_whose_reader_left_is_an_error") {
  Folder folder;
  const std::string fifo = folder.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  // Opens when the writer does, reads one byte and leaves.
  std::thread reader([&] {
    const int descriptor = ::open(fifo.c_str(), O_RDONLY | O_CLOEXEC);
    char byte = 0;
    CHECK(::read(descriptor, &byte, 1) == 1);
    ::close(descriptor);
  });
  // More than a pipe holds.
  CHECK_THROWS_WITH_AS(write_output(fifo, std::string(1 << 20, 'x')),
                       (fifo + ": cannot be written: Broken pipe").c_str(), Error);
  reader.join();
  CHECK(fs::is_fifo(fifo));
}

}  // namespace
}  // namespace trapline
