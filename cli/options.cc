// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>
#include <thread>

#include "analyzer/suggest.h"
#include "disasm/error.h"

namespace trapline {
namespace {

constexpr std::array format_names = {std::string_view("text"),     std::string_view("json"), std::string_view("csv"),
                                     std::string_view("markdown"), std::string_view("dot"),  std::string_view("svg")};

// The option's names as CLI11 wants them.
std::string cli11_names(const OptionRow& row) {
  return row.short_name.empty() ? std::string(row.name) : fmt::format("{},{}", row.short_name, row.name);
}

void add_options(CLI::App& app, const CommandRow& command, Options& options) {
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(command.id)) continue;
    if (row.value.empty()) {
      app.add_flag_callback(cli11_names(row), [&row, &options] { row.set(options, ""); })->disable_flag_override();
      continue;
    }
    const auto set_all = [&row, &options](const std::vector<std::string>& values) {
      for (const std::string& value : values) row.set(options, value);
    };
    // Each --entry takes one value: `paths --entry a vmlinux` must leave the image alone.
    app.add_option_function<std::vector<std::string>>(cli11_names(row), set_all)
        ->type_size(1)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

[[noreturn]] void throw_unknown_option(const CommandRow& command, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  std::vector<std::string_view> known = {"--help"};
  for (const OptionRow& row : option_table()) {
    if (row.belongs_to(command.id)) known.push_back(row.name);
    if (!row.belongs_to(command.id) && row.name == name) {
      throw Error(name, fmt::format("'{}' has no such option {}", command.name, help_hint(command)));
    }
  }
  throw Error(name, fmt::format("unknown option{} {}", did_you_mean(name, known), help_hint(command)));
}

// Arguments that are no options: images, or the command that `help` is asked about.
void set_operands(Options& options, const std::vector<std::string>& operands) {
  const CommandRow& command = *options.command;
  const auto throw_unexpected = [&](const std::string& operand, std::string_view taken) {
    throw Error(operand, fmt::format("unexpected argument; '{}' takes {} {}", command.name, taken, help_hint(command)));
  };
  switch (command.operands) {
    case Operands::none:
      if (!operands.empty()) throw_unexpected(operands.front(), "none");
      break;
    case Operands::command:
      if (operands.size() > 1) throw_unexpected(operands[1], "one COMMAND");
      if (!operands.empty()) options.topic = operands.front();
      break;
    case Operands::rule:
      if (operands.size() > 1) throw_unexpected(operands[1], "one RULE");
      if (!operands.empty()) options.topic = operands.front();
      break;
    case Operands::image:
      if (operands.size() > 1) throw_unexpected(operands[1], "one IMAGE");
      options.images = operands;
      break;
    case Operands::two_images:
      if (operands.size() > 2) throw_unexpected(operands[2], "two images, OLD and NEW");
      options.images = operands;
      break;
    case Operands::images:
      options.images = operands;
      break;
  }
}

void check_operands(const Options& options) {
  const CommandRow& command = *options.command;
  const std::string hint = help_hint(command);
  const bool takes_two = command.operands == Operands::two_images;
  if (takes_two && options.images.size() == 1) {
    throw Error(std::string(command.name),
                fmt::format("one image given; write trapline {} {} {}", command.name, command.usage, hint));
  }
  if (command.operands == Operands::image || command.operands == Operands::images || takes_two) {
    if (options.images.empty()) {
      throw Error(std::string(command.name),
                  fmt::format("no image given; write trapline {} {} {}", command.name, command.usage, hint));
    }
    for (const std::string& image : options.images) {
      if (image.empty()) throw Error(std::string(command.name), "the name of an image is empty " + hint);
    }
    if (std::count(options.images.begin(), options.images.end(), "-") > 1) {
      throw Error("-", "standard input holds one image; name the others");
    }
  }
  if (command.operands == Operands::rule && options.topic.empty()) {
    throw Error(
        std::string(command.name),
        fmt::format("no rule given; write trapline {} {} ('trapline rules' lists them)", command.name, command.usage));
  }
  if (command.id == CommandId::cfg && options.analyze.entries.size() != 1) {
    throw Error("cfg", options.analyze.entries.empty()
                           ? "no routine named; give --entry NAME ('trapline entries IMAGE' lists them)"
                           : "draws one routine; give --entry once");
  }
}

// FILE or FORMAT=FILE. A name with '=' in it can be written ./a=b.
OutputRequest parse_output(const Options& options, const std::string& text) {
  OutputRequest request;
  request.format = options.format.value_or(options.command->formats.front());
  request.file = text;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && text.find_first_of("/.") > equals) {
    try {
      request.format = parse_format(*options.command, "--output", text.substr(0, equals));
    } catch (const Error& error) {
      throw Error(fmt::format("{} (for a file of that name write ./{})", error.what(), text));
    }
    request.file = text.substr(equals + 1);
  }
  if (request.file.empty()) throw Error("--output", fmt::format("'{}' names no file; write FILE or FORMAT=FILE", text));
  return request;
}

void resolve_outputs(Options& options) {
  if (options.command->formats.empty()) return;
  for (const std::string& text : options.output_arguments) {
    const OutputRequest request = parse_output(options, text);
    for (const OutputRequest& other : options.outputs) {
      if (other.file == request.file) throw Error("--output", fmt::format("two reports for '{}'", request.file));
    }
    options.outputs.push_back(request);
  }
  if (options.outputs.empty()) {
    options.outputs.push_back({options.format.value_or(options.command->formats.front()), "-"});
  }
}

// CLI11's own complaints, one line each. What is left for it: an option without its value, a flag with one.
[[noreturn]] void rethrow(const CLI::ParseError& error, const CommandRow* command) {
  const std::string what = error.what();
  const std::string hint = command == nullptr ? "(see 'trapline help')" : help_hint(*command);
  for (const OptionRow& row : option_table()) {
    if (command == nullptr || !row.belongs_to(command->id)) continue;
    // "--entry: 1 required TEXT missing", "all was given a disallowed flag override"
    const bool is_meant = what.starts_with(fmt::format("{}:", row.name)) ||
                          what.starts_with(fmt::format("{} was given", row.name.substr(2)));
    if (!is_meant) continue;
    const std::string need = row.value.empty() ? "takes no value" : fmt::format("needs a value, {}", row.value);
    throw Error(std::string(row.name), need + " " + hint);
  }
  throw Error(what + " " + hint);
}

// CLI11's view of the tables. Operands are what CLI11 leaves over: it would read an image called [x] as a list.
struct Parser {
  Options options;
  bool help = false;
  bool version = false;
  CLI::App top;

  Parser() {
    top.set_help_flag();
    top.allow_extras();
    top.require_subcommand(0, 1);  // with a limit, an image may bear the name of a command
    top.add_flag("-h,--help", help);
    top.add_flag("--version", version);
    for (const CommandRow& command : command_table()) {
      CLI::App* app = top.add_subcommand(std::string(command.name));
      app->set_help_flag();
      app->add_flag("-h,--help", help);
      app->preparse_callback([this, &command](std::size_t) { options.command = &command; });
      add_options(*app, command, options);
    }
  }
};

bool looks_like_option(const std::string& text) { return text.size() > 1 && text.front() == '-'; }

// What stands in front of the command, or instead of one, and is neither --help nor --version.
[[noreturn]] void throw_no_command(const std::string& text) {
  if (!looks_like_option(text)) throw_unknown_command(text);
  throw Error(text, "unknown option; options stand behind the command (see 'trapline help')");
}

}  // namespace

std::string_view format_name(Format format) { return format_names.at(static_cast<std::size_t>(format)); }

Format parse_format(const CommandRow& command, std::string_view option, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Format format : command.formats) {
    if (format_name(format) == name) return format;
    names.push_back(format_name(format));
  }
  const bool exists = std::find(format_names.begin(), format_names.end(), name) != format_names.end();
  throw Error(std::string(option), fmt::format("{} '{}'; '{}' writes {}", exists ? "no format" : "unknown format", name,
                                               command.name, fmt::join(names, ", ")));
}

std::string help_hint(const CommandRow& command) { return fmt::format("(see 'trapline help {}')", command.name); }

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& row : command_table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const CommandRow& command_row(CommandId id) { return command_table()[static_cast<std::size_t>(id)]; }

void throw_unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : command_table()) names.push_back(row.name);
  throw Error(name, fmt::format("unknown command{} ('trapline help' lists them)", did_you_mean(name, names)));
}

Options parse_options(const std::vector<std::string>& arguments) {
  Parser parser;
  Options& options = parser.options;
  options.analyze.jobs = std::max(1U, std::thread::hardware_concurrency());
  // What follows -- is no option whatever it looks like.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  try {
    // CLI11 wants the last argument first.
    parser.top.parse(std::vector<std::string>(std::make_reverse_iterator(dashes), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    rethrow(error, options.command);
  }

  if (parser.help || parser.version) {
    if (options.command != nullptr) options.topic = options.command->name;
    options.command = &command_row(parser.help ? CommandId::help : CommandId::version);
    return options;
  }
  const std::vector<std::string> in_front = parser.top.remaining();
  if (!in_front.empty()) throw_no_command(in_front.front());
  if (options.command == nullptr) throw Error("no command given ('trapline help' lists them)");

  std::vector<std::string> operands = parser.top.get_subcommands().front()->remaining();
  const auto unknown = std::find_if(operands.begin(), operands.end(), looks_like_option);
  if (unknown != operands.end()) throw_unknown_option(*options.command, *unknown);
  if (dashes != arguments.end()) operands.insert(operands.end(), dashes + 1, arguments.end());
  set_operands(options, operands);
  check_operands(options);
  resolve_outputs(options);
  return options;
}

}  // namespace trapline
