// SPDX-License-Identifier: Apache-2.0
//
// The tables. Help texts are compared with tests/help/; see tests/help/check.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/options.h"
#include "cli/suggest.h"
#include "disasm/error.h"

namespace trapline {
namespace {

constexpr std::array table_formats = {Format::text, Format::json, Format::csv, Format::markdown};
constexpr std::array graph_formats = {Format::text, Format::dot, Format::svg, Format::json};

constexpr std::array commands = {
    CommandRow{CommandId::entries, "entries", Operands::images, "IMAGE...",
               "the entry routines found, and how each was found",
               "Lists the routines through which a user program enters and leaves the kernel: name, role, address, "
               "and where the name comes from (symbol, vdso-export, option). A vDSO embedded in a kernel is an image "
               "of its own, vmlinux!vdso64, and may be given as IMAGE by that name.",
               "trapline entries vmlinux", table_formats},
    CommandRow{CommandId::paths, "paths", Operands::images, "IMAGE...", "the cost of each path of each entry routine",
               "A path is a walk from the entry to an end that enters no place twice. Paths that have label, end and "
               "cost in common share a line; the column `paths` says how many they are. All numbers count "
               "instructions on the path:\n\n"
               "  insns   all of them\n"
               "  loads   those that read memory; a load of many registers is one\n"
               "  stores  those that write memory\n"
               "  br      branches, taken or not, and jumps\n"
               "  calls   calls; what the callee costs is not counted\n"
               "  sys     reads and writes of system registers and the like\n"
               "  bar     barriers\n"
               "  atom    load-linked, store-conditional, read-modify-write\n\n"
               "The last three are shown for routines that have any. JSON and CSV hold every path and every count. A "
               "vDSO embedded in a kernel is an image of its own, vmlinux!vdso64, and may be given as IMAGE by that "
               "name.",
               "trapline paths vmlinux\n"
               "trapline paths vmlinux --entry handle_syscall --listing\n"
               "trapline paths 'vmlinux!vdso64'\n"
               "trapline paths vmlinux -o text=- -o json=paths.json",
               table_formats},
    CommandRow{CommandId::cfg, "cfg", Operands::image, "IMAGE --entry NAME", "the graph of one routine",
               "Draws the basic blocks of one routine and the ways between them. A block that is reached with "
               "different known return addresses is shown once for each. svg needs Graphviz.",
               "trapline cfg vmlinux --entry handle_syscall\n"
               "trapline cfg vmlinux --entry handle_syscall -o svg=graph.svg",
               graph_formats},
    CommandRow{CommandId::help,
               "help",
               Operands::command,
               "[COMMAND]",
               "the list of commands, or the help of one",
               "",
               "trapline help paths",
               {}},
    CommandRow{CommandId::version,
               "version",
               Operands::none,
               "",
               "the versions of trapline and of LLVM",
               "",
               "trapline version",
               {}},
};

constexpr std::uint32_t bit(CommandId id) { return 1U << static_cast<unsigned>(id); }
constexpr std::uint32_t on_reports = bit(CommandId::entries) | bit(CommandId::paths) | bit(CommandId::cfg);
constexpr std::uint32_t on_paths = bit(CommandId::paths);
constexpr std::uint32_t on_cfg = bit(CommandId::cfg);
constexpr std::uint32_t on_tables = on_reports & ~on_cfg;
constexpr std::uint32_t on_listings = bit(CommandId::paths) | bit(CommandId::cfg);

template <typename Number>
Number positive_number(const Options& options, std::string_view option, const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, number);
  if (result.ec == std::errc::result_out_of_range && text.find_first_not_of("0123456789") == std::string::npos) {
    throw Error(std::string(option), fmt::format("{} is too large {}", text, help_hint(*options.command)));
  }
  if (result.ec != std::errc() || result.ptr != end || number == 0) {
    throw Error(std::string(option),
                fmt::format("'{}' is not a whole number above 0 {}", text, help_hint(*options.command)));
  }
  return number;
}

void set_format(Options& options, const std::string& value) {
  const Format format = parse_format(*options.command, "--format", value);
  if (options.format && *options.format != format) {
    throw Error("--format", fmt::format("given twice; for several reports write -o {}=FILE -o {}=FILE",
                                        format_name(*options.format), format_name(format)));
  }
  options.format = format;
}

void set_entry(Options& options, const std::string& value) {
  if (value.empty())
    throw Error("--entry", "the name is empty; give a routine's name or a glob " + help_hint(*options.command));
  std::vector<std::string>& entries = options.analyze.entries;
  if (std::find(entries.begin(), entries.end(), value) == entries.end()) entries.push_back(value);
}

void set_verbose(Options& options, const std::string&) { options.verbose = true; }

void set_color(Options& options, const std::string& value) {
  if (value == "auto") {
    options.color = ColorChoice::automatic;
  } else if (value == "always") {
    options.color = ColorChoice::always;
  } else if (value == "never") {
    options.color = ColorChoice::never;
  } else {
    throw Error("--color", fmt::format("'{}' is none of auto, always, never {}", value, help_hint(*options.command)));
  }
}

constexpr std::array options = {
    OptionRow{"--entry", "", "NAME", "only this routine: an exact name or a glob, any alias; repeatable", on_tables, "",
              set_entry},
    OptionRow{"--entry", "", "NAME", "the routine: an exact name, or a glob that fits one; any alias", on_cfg, "",
              set_entry},
    OptionRow{"--format", "", "FORMAT", "format of the report: {formats}", on_reports, formats_mark, set_format},
    OptionRow{"--output", "-o", "[FORMAT=]FILE",
              "write the report to FILE, whole or not at all; - is standard output; repeatable: one analysis, several "
              "reports",
              on_reports, "", [](Options& o, const std::string& v) { o.output_arguments.push_back(v); }},
    OptionRow{"--max-paths", "", "N", "paths listed a routine, the cheapest where there are more; default 4096",
              on_paths, "",
              [](Options& o, const std::string& v) {
                o.analyze.max_paths = positive_number<std::uint64_t>(o, "--max-paths", v);
              }},
    OptionRow{"--all", "", "", "list every path on a line of its own, not the first 12 lines a routine", on_paths, "",
              [](Options& o, const std::string&) { o.analyze.all = true; }},
    OptionRow{"--listing", "", "", "list the instructions too", on_listings, "",
              [](Options& o, const std::string&) { o.analyze.listing = true; }},
    OptionRow{"--cross-check", "", "",
              "decode the instructions a second time, with Capstone, and list where the two differ in size, flow or "
              "target; not in CSV",
              on_paths, "", [](Options& o, const std::string&) { o.analyze.cross_check = true; }},
    OptionRow{"--jobs", "", "N", "threads to use; default: one a processor", on_reports, "",
              [](Options& o, const std::string& v) { o.analyze.jobs = positive_number<unsigned>(o, "--jobs", v); }},
    OptionRow{"--quiet", "", "", "no progress, nothing on standard error but errors", on_reports, "",
              [](Options& o, const std::string&) { o.quiet = true; }},
    OptionRow{"--verbose", "", "", "say more: the whole build-id, and the id, decisions and calls of each path",
              on_paths, "", set_verbose},
    OptionRow{"--verbose", "", "", "say more: the whole build-id", on_reports & ~on_paths, "", set_verbose},
    OptionRow{"--color", "", "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always or never",
              on_reports, "auto always never", set_color},
};

}  // namespace

std::span<const CommandRow> command_table() { return commands; }
std::span<const OptionRow> option_table() { return options; }

}  // namespace trapline
