// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/layout.h"

namespace trapline {
namespace {

constexpr std::string_view images_note =
    "An IMAGE is a vmlinux, a vDSO, an object file or a module; - reads one from standard input.";

std::string formats_text(const CommandRow& command) {
  std::vector<std::string_view> names;
  for (const Format format : command.formats) names.push_back(format_name(format));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return text.replace(0, names.front().size(), fmt::format("{} (default)", names.front()));
}

// A paragraph for each run of lines without a blank one; lines that start with blanks stay as they are.
void print_details(Page& page, std::string_view details) {
  while (!details.empty()) {
    const std::string_view line = details.substr(0, details.find('\n'));
    details.remove_prefix(std::min(line.size() + 1, details.size()));
    if (line.empty()) {
      page.blank();
    } else if (line.starts_with("  ")) {
      page.line(line);
    } else {
      page.paragraph(0, 0, line);
    }
  }
}

// Two columns: what to type, what it does.
void print_pairs(Page& page, const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::size_t width = 0;
  for (const auto& [left, right] : pairs) width = std::max(width, left.size());
  const std::size_t column = width + 4;
  for (const auto& [left, right] : pairs) {
    const std::vector<std::string> lines = wrap(right, page.options().width - column, page.options().width - column);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      page.line(fmt::format("  {:<{}}{}", i == 0 ? left : "", column - 2, lines[i]));
    }
  }
}

void print_commands(Page& page) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const CommandRow& row : command_table()) {
    pairs.emplace_back(row.usage.empty() ? std::string(row.name) : fmt::format("{} {}", row.name, row.usage),
                       row.summary);
  }
  print_pairs(page, pairs);
}

void print_options(Page& page, const CommandRow& command) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(command.id)) continue;
    std::string left = row.short_name.empty() ? std::string(row.name) : fmt::format("{}, {}", row.short_name, row.name);
    if (!row.value.empty()) left += fmt::format(" {}", row.value);
    std::string help(row.help);
    const std::size_t mark = help.find(formats_mark);
    if (mark != std::string::npos) help.replace(mark, formats_mark.size(), formats_text(command));
    pairs.emplace_back(std::move(left), std::move(help));
  }
  pairs.emplace_back("-h, --help", "print this text");
  page.blank();
  page.line("options:");
  print_pairs(page, pairs);
}

}  // namespace

std::string short_help() {
  Page page{TextOptions{}};
  page.line("usage: trapline COMMAND ...");
  page.blank();
  print_commands(page);
  page.blank();
  page.line("'trapline help COMMAND' tells more.");
  return page.take();
}

std::string general_help() {
  Page page{TextOptions{}};
  page.line("usage: trapline COMMAND ...");
  page.blank();
  page.paragraph(0, 0,
                 "trapline reads a built kernel and tells what its entry paths do: the assembly through which a user "
                 "program enters and leaves the kernel.");
  page.blank();
  print_commands(page);
  page.blank();
  page.paragraph(0, 0, images_note);
  page.blank();
  page.paragraph(0, 0,
                 "Reports go to standard output, errors and progress to standard error. Exit status: 0, done; 1, "
                 "lint, sweep or diff found something, or a budget is exceeded; 2, the tool could not do its job (bad "
                 "arguments, an unreadable file, an "
                 "unknown routine).");
  page.blank();
  page.line("'trapline help COMMAND' tells more.");
  return page.take();
}

std::string command_help(const CommandRow& command) {
  Page page{TextOptions{}};
  const bool has_options = !command.formats.empty();
  page.line(fmt::format("usage: trapline {}{}{}{}", command.name, command.usage.empty() ? "" : " ", command.usage,
                        has_options ? " [OPTION]..." : ""));
  page.blank();
  page.paragraph(0, 0, fmt::format("Prints {}.", command.summary));
  if (!command.details.empty()) {
    page.blank();
    print_details(page, command.details);
  }
  if (command.operands == Operands::image || command.operands == Operands::images) {
    page.blank();
    page.paragraph(0, 0, images_note);
  }
  if (has_options) print_options(page, command);
  page.blank();
  page.line("examples:");
  std::string_view lines = command.example;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    page.line(fmt::format("  {}", line));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return page.take();
}

}  // namespace trapline
