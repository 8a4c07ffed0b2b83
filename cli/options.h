// SPDX-License-Identifier: Apache-2.0
//
// The command line as two tables, commands and options. The parser, `trapline help`, the man page and the shell
// completions are made from them, so a flag cannot exist without its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyze.h"

namespace trapline {

enum class CommandId : std::uint8_t { entries, paths, lint, diff, sweep, cfg, rules, explain, config, help, version };
enum class Format : std::uint8_t { text, json, csv, markdown, dot, svg };
enum class Operands : std::uint8_t { none, image, images, two_images, command, rule };
enum class ColorChoice : std::uint8_t { automatic, always, never };

std::string_view format_name(Format format);

struct CommandRow {
  CommandId id = CommandId::help;
  std::string_view name;
  Operands operands = Operands::none;
  std::string_view usage;    // what follows the name in the usage line
  std::string_view summary;  // one line, for the list of commands
  std::string_view details;  // paragraphs for `help COMMAND`, separated by blank lines; a line that starts with two
                             // blanks is printed as it is
  std::string_view example;  // lines to type
  std::span<const Format> formats;  // the default first; empty: the command writes no report
};

// One report to write. "-" is standard output.
struct OutputRequest {
  Format format = Format::text;
  std::string file = "-";
};

// A checked command line.
struct Options {
  const CommandRow* command = nullptr;  // never null after parse_options
  std::vector<std::string> images;
  std::string topic;  // `help`: the command asked for, or empty; `explain`: the rule
  AnalyzeOptions analyze;
  std::vector<OutputRequest> outputs;
  std::optional<std::string> config;    // --config: the file; nothing: trapline.toml here or above
  Level fail_on = Level::warning;       // --fail-on: from this level on `lint` and `sweep` exit with 1; none: never
  std::optional<std::string> baseline;  // --baseline
  std::optional<std::string> write_baseline;  // --write-baseline
  std::string reason;                         // --reason: why a baseline is moved
  bool quiet = false;
  bool verbose = false;
  ColorChoice color = ColorChoice::automatic;

  // As typed; parse_options makes `outputs` of them.
  std::optional<Format> format;
  std::vector<std::string> output_arguments;
};

// Stands, in a help text, for the formats of the command.
inline constexpr std::string_view formats_mark = "{formats}";

struct OptionRow {
  std::string_view name;        // "--entry"
  std::string_view short_name;  // "-o", or empty
  std::string_view value;       // what follows it ("NAME"); empty: a flag
  std::string_view help;
  std::uint32_t commands = 0;  // one bit a CommandId
  std::string_view
      choices;  // for completions: the only values there are, separated by blanks, or formats_mark; or empty
  // Stores one value (empty for a flag); throws Error with what is wrong and what to do.
  void (*set)(Options&, const std::string& value) = nullptr;

  bool belongs_to(CommandId id) const { return ((commands >> static_cast<unsigned>(id)) & 1U) != 0; }
};

std::span<const CommandRow> command_table();
std::span<const OptionRow> option_table();
const CommandRow* find_command(std::string_view name);  // null when there is none
const CommandRow& command_row(CommandId id);

// Reads the arguments (without the program's name). `--help` anywhere gives the command `help`. Throws Error, one
// line with a hint, on anything that is not understood.
Options parse_options(const std::vector<std::string>& arguments);

// The format of that name if `command` writes it, else an Error that lists those it writes.
Format parse_format(const CommandRow& command, std::string_view option, const std::string& name);

// "(see 'trapline help paths')", the end of many messages.
std::string help_hint(const CommandRow& command);

// The Error for a command that does not exist, with the nearest one.
[[noreturn]] void throw_unknown_command(const std::string& name);

}  // namespace trapline
