// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/output.h"
#include "disasm/error.h"

namespace trapline {
namespace {

constexpr std::size_t mail_width = 72;      // "line wrapped at 75 columns" less room for quoting
constexpr std::size_t widest_screen = 132;  // longer lines are hard to read

constexpr std::string_view erase_line = "\r\x1b[K";

// Set and not empty: what NO_COLOR asks for.
bool is_set(const Console& console, const char* name) {
  const std::optional<std::string> value = console.environment(name);
  return value && !value->empty();
}

bool is_forced(const Console& console, const char* name) {
  return is_set(console, name) && console.environment(name) != "0";
}

}  // namespace

Console Console::of_process() {
  Console console;
  console.out_is_terminal = ::isatty(console.out) == 1;
  console.err_is_terminal = ::isatty(console.err) == 1;
  struct winsize size = {};
  if (console.out_is_terminal && ::ioctl(console.out, TIOCGWINSZ, &size) == 0) console.columns = size.ws_col;
  console.environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return console;
}

bool use_color(const Console& console, ColorChoice choice, bool to_terminal) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  if (is_set(console, "NO_COLOR")) return false;
  if (is_forced(console, "CLICOLOR_FORCE") || is_forced(console, "FORCE_COLOR")) return true;
  return to_terminal && console.environment("TERM") != "dumb";
}

TextOptions text_options(const Console& console, const Options& options, const OutputRequest& output) {
  const bool to_terminal = output.file == "-" && console.out_is_terminal;
  TextOptions text;
  text.color = use_color(console, options.color, to_terminal);
  // --color never asks for the mail form on a terminal too.
  text.ascii = !to_terminal || options.color == ColorChoice::never;
  if (!text.ascii) text.width = std::clamp(console.columns, mail_width, widest_screen);
  text.all = options.analyze.all;
  text.listing = options.analyze.listing;
  text.verbose = options.verbose;
  return text;
}

Progress::Progress(const Console& console, bool quiet) {
  if (console.err_is_terminal && !quiet && !is_set(console, "CI") && console.environment("TERM") != "dumb") {
    descriptor_ = console.err;
  }
}

Progress::~Progress() {
  try {
    show("");
  } catch (const Error&) {
    // A progress line that cannot be erased is no reason to fail.
  }
}

void Progress::show(const std::string& what) {
  if (descriptor_ < 0) return;
  // A line that wraps could not be erased.
  std::string line = printable(what, true).substr(0, mail_width);
  write_descriptor(descriptor_, std::string(erase_line) + line, "standard error");
}

}  // namespace trapline
