// SPDX-License-Identifier: Apache-2.0
//
// The tables. Help texts are compared with tests/help/; see tests/help/check.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "analyzer/suggest.h"
#include "cli/options.h"
#include "disasm/error.h"

namespace trapline {
namespace {

constexpr std::array table_formats = {Format::text, Format::json, Format::csv, Format::markdown};
constexpr std::array rule_formats = {Format::text, Format::json, Format::markdown};
constexpr std::array only_text = {Format::text};
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
    CommandRow{CommandId::lint, "lint", Operands::images, "IMAGE...",
               "what is wrong on the paths of the entry routines",
               "Applies every rule to every path. A finding says where, which rule it breaks, the instructions that "
               "matter, and how to mend it; paths and routines that share it are one finding. 'trapline rules' lists "
               "the rules, 'trapline explain RULE' tells what one does and where it errs.\n\n"
               "Levels are error, warning and note. trapline.toml sets the level of a rule, switches it off, accepts "
               "single findings with a reason, and names entry routines ('trapline help config'). Accepted findings do "
               "not count; --all lists them.\n\n"
               "The exit status is 0 when no finding reaches the level of --fail-on, 1 when one does, and 2 when the "
               "image could not be analysed.",
               "trapline lint vmlinux\n"
               "trapline lint vmlinux --entry handle_syscall --fail-on error\n"
               "trapline lint vmlinux -o text=- -o json=findings.json",
               table_formats},
    CommandRow{CommandId::diff, "diff", Operands::two_images, "OLD NEW",
               "what changed between two builds: the cost of each path, and findings",
               "Routines are matched by name, paths by what they ask, call and end in, so that code which moved or was "
               "linked elsewhere is the same code. Of each path that changed there is a line with instructions, loads "
               "and stores before and after, and the difference; of paths that came or went one without. A path that a "
               "new question splits is compared with each path that it became.\n\n"
               "  add/remove   routines or paths that only NEW, or only OLD has\n"
               "  grow/shrink  paths with more, or with fewer instructions\n"
               "  other        paths with as many, and not the same ones\n\n"
               "Findings are those of 'trapline lint' in both builds: fixed, new, and how many are in both. Only new "
               "ones make the exit status 1, from the level of --fail-on on.",
               "trapline diff old/vmlinux new/vmlinux\n"
               "trapline diff old/entry.o new/entry.o --entry handle_syscall --listing\n"
               "trapline diff 'old/vmlinux!vdso64' 'new/vmlinux!vdso64'\n"
               "trapline diff old/vmlinux new/vmlinux -o text=- -o markdown=comment.md",
               table_formats},
    CommandRow{
        CommandId::sweep, "sweep", Operands::images, "IMAGE...",
        "what is wrong in any code of an image, not only in entry routines",
        "Asks every instruction whether its encoding could be at fault, and then looks at the paths of the "
        "functions that have such instructions. Applies the rules that hold for any code: link-stack-imbalance. "
        "The summary says how many instructions were candidates and what became of them. Needs no entry "
        "routine: any object file, module or kernel will do; of a function without a symbol it knows nothing.\n\n"
        "Findings, trapline.toml and the exit status are those of 'trapline lint'.",
        "trapline sweep vmlinux\n"
        "trapline sweep drivers/*.ko --fail-on never -o markdown=findings.md",
        table_formats},
    CommandRow{CommandId::cfg, "cfg", Operands::image, "IMAGE --entry NAME", "the graph of one routine",
               "Draws the basic blocks of one routine and the ways between them. A block that is reached with "
               "different known return addresses is shown once for each. svg needs Graphviz.",
               "trapline cfg vmlinux --entry handle_syscall\n"
               "trapline cfg vmlinux --entry handle_syscall -o svg=graph.svg",
               graph_formats},
    CommandRow{CommandId::rules, "rules", Operands::none, "", "all rules, a line each",
               "The level is the one that a rule's findings have unless trapline.toml says otherwise. markdown is the "
               "whole rule book.",
               "trapline rules\n"
               "trapline rules --format markdown -o rules.md",
               rule_formats},
    CommandRow{CommandId::explain, "explain", Operands::rule, "RULE",
               "one rule: what it finds, why, where it errs, how to fix",
               "RULE is the name in brackets behind a finding.", "trapline explain slot-not-saved", rule_formats},
    CommandRow{
        CommandId::config, "config", Operands::none, "", "the effective configuration",
        "It is TOML that can be read back; a comment says where each value comes from. What trapline.toml may "
        "hold:\n\n"
        "  [rules]\n"
        "  kernel-value-leak = \"error\"  # or off, note, warning\n"
        "\n"
        "  [[entry]]                    # a routine to add or to change\n"
        "  name = \"my_entry*\"           # name or glob\n"
        "  role = \"exception-entry\"\n"
        "  contract = \"frame-built\"     # or interrupted, function\n"
        "  frame-offset = 16            # of pt_regs from sp: frame-built\n"
        "\n"
        "  [[suppress]]                 # a finding that is accepted\n"
        "  rule = \"slot-not-saved\"\n"
        "  routine = \"handle_syscall\"   # name or glob\n"
        "  registers = [\"t0\", \"t1\"]     # these, and no other\n"
        "  reason = \"...\"               # required\n"
        "\n"
        "  [[budget]]                   # what a path may cost\n"
        "  routine = \"handle_syscall\"   # name or glob\n"
        "  label = \"user full\"          # as paths prints it\n"
        "  limit = [\"loads <= 36\", \"stores <= +0\"]  # + or -: to a baseline\n"
        "  reason = \"...\"               # required\n"
        "\n"
        "  [arch.loongarch64.registers] # what may reach user mode\n"
        "  t0 = { level = \"note\", reason = \"...\" }\n"
        "\n"
        "  [arch.arm.thread-flags]      # bit numbers, and masks of them\n"
        "  bits = { _TIF_SIGPENDING = 0, _TIF_SYSCALL_TRACE = 8 }\n"
        "  work = [\"_TIF_SIGPENDING\"]\n"
        "  syscall-work = [\"_TIF_SYSCALL_TRACE\"]\n"
        "\n"
        "entry, suppress, budget and registers may stand at the top, for all architectures, or in [arch.NAME], for "
        "one. Limits are on any count of a path in JSON. 'trapline paths' and 'trapline diff' check them: one that "
        "is exceeded makes the exit status 1, a budget whose routine or label no longer exists is an error. The "
        "baseline of a relative limit is --baseline, or for 'trapline diff' the old build.",
        "trapline config\n"
        "trapline config --config ci/trapline.toml",
        only_text},
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
constexpr std::uint32_t on_paths = bit(CommandId::paths);
constexpr std::uint32_t on_lint = bit(CommandId::lint);
constexpr std::uint32_t on_diff = bit(CommandId::diff);
constexpr std::uint32_t on_findings = on_lint | bit(CommandId::sweep);
constexpr std::uint32_t on_cfg = bit(CommandId::cfg);
constexpr std::uint32_t on_rules = bit(CommandId::rules) | bit(CommandId::explain);
constexpr std::uint32_t on_config = bit(CommandId::config);
constexpr std::uint32_t on_images = bit(CommandId::entries) | on_paths | on_findings | on_diff | on_cfg;
constexpr std::uint32_t on_tables = bit(CommandId::entries) | on_paths | on_lint | on_diff;
constexpr std::uint32_t on_listings = on_paths | on_cfg;

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

void set_kernel_src(Options& options, const std::string& value) {
  if (value.empty()) throw Error("--kernel-src", fmt::format("the folder is empty {}", help_hint(*options.command)));
  if (options.analyze.kernel_src)
    throw Error("--kernel-src", fmt::format("given twice {}", help_hint(*options.command)));
  options.analyze.kernel_src = value;
}

void set_entry(Options& options, const std::string& value) {
  if (value.empty())
    throw Error("--entry", "the name is empty; give a routine's name or a glob " + help_hint(*options.command));
  std::vector<std::string>& entries = options.analyze.entries;
  if (std::find(entries.begin(), entries.end(), value) == entries.end()) entries.push_back(value);
}

void set_max_paths(Options& options, const std::string& value) {
  options.analyze.max_paths = positive_number<std::uint64_t>(options, "--max-paths", value);
}

void set_all(Options& options, const std::string&) { options.analyze.all = true; }

void set_config(Options& options, const std::string& value) {
  if (value.empty()) throw Error("--config", "the name is empty; give a file " + help_hint(*options.command));
  options.config = value;
}

void set_fail_on(Options& options, const std::string& value) {
  for (const Level level : {Level::error, Level::warning, Level::note}) {
    if (value != level_name(level)) continue;
    options.fail_on = level;
    return;
  }
  if (value != "never") {
    throw Error("--fail-on",
                fmt::format("'{}' is none of error, warning, note, never {}", value, help_hint(*options.command)));
  }
  options.fail_on = Level::none;
}

void set_baseline(Options& options, const std::string& value) {
  if (value.empty()) throw Error("--baseline", "the name is empty; give a file " + help_hint(*options.command));
  options.baseline = value;
}

void set_write_baseline(Options& options, const std::string& value) {
  if (value.empty()) throw Error("--write-baseline", "the name is empty; give a file " + help_hint(*options.command));
  options.write_baseline = value;
}

void set_reason(Options& options, const std::string& value) {
  if (value.find_first_not_of(" \t\n") == std::string::npos)
    throw Error("--reason", "it is empty; say why the baseline is moved " + help_hint(*options.command));
  options.reason = value;
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
    OptionRow{"--format", "", "FORMAT", "format of the report: {formats}", on_images | on_rules, formats_mark,
              set_format},
    OptionRow{"--output", "-o", "[FORMAT=]FILE",
              "write the report to FILE, whole or not at all; - is standard output; repeatable: one analysis, several "
              "reports",
              on_images, "", [](Options& o, const std::string& v) { o.output_arguments.push_back(v); }},
    OptionRow{"--output", "-o", "[FORMAT=]FILE", "write to FILE, whole or not at all; - is standard output; repeatable",
              on_rules | on_config, "", [](Options& o, const std::string& v) { o.output_arguments.push_back(v); }},
    OptionRow{"--config", "", "FILE", "the configuration; default: trapline.toml in the working folder or above",
              on_images | on_config, "", set_config},
    OptionRow{"--kernel-src", "", "DIR",
              "a kernel source, for the numbers of the thread flags (arch/ARCH/include/asm/thread_info.h); else they "
              "are taken from the configuration, or from a table by version",
              on_lint | on_diff, "", set_kernel_src},
    OptionRow{"--fail-on", "", "LEVEL",
              "exit with 1 when a finding has this level or a worse one: error, warning (default), note, never",
              on_findings, "error warning note never", set_fail_on},
    OptionRow{"--fail-on", "", "LEVEL",
              "exit with 1 when a new finding has this level or a worse one: error, warning (default), note, never",
              on_diff, "error warning note never", set_fail_on},
    OptionRow{"--baseline", "", "FILE",
              "what a former build cost, for limits that are relative ('trapline help config', budget)", on_paths, "",
              set_baseline},
    OptionRow{"--baseline", "", "FILE",
              "what is known of a former build: its findings are accepted; a baseline, or JSON of this command",
              on_findings, "", set_baseline},
    OptionRow{"--write-baseline", "", "FILE",
              "write what this build costs, or its findings, for --baseline; a FILE that says otherwise is moved only "
              "with --reason",
              on_paths | on_findings, "", set_write_baseline},
    OptionRow{"--reason", "", "TEXT", "why the baseline is moved: kept in it, with what changed",
              on_paths | on_findings, "", set_reason},
    OptionRow{"--max-paths", "", "N", "paths listed a routine, the cheapest where there are more; default 4096",
              on_paths, "", set_max_paths},
    OptionRow{"--max-paths", "", "N", "paths compared a routine, the cheapest where there are more; default 4096",
              on_diff, "", set_max_paths},
    OptionRow{"--max-paths", "", "N", "paths examined a routine, the cheapest where there are more; default 4096",
              on_lint, "", set_max_paths},
    OptionRow{"--all", "", "", "list every path on a line of its own, not the first 12 lines a routine", on_paths, "",
              set_all},
    OptionRow{"--all", "", "", "list accepted findings too, and every routine and step of a finding", on_findings, "",
              set_all},
    OptionRow{"--all", "", "", "list every path on a line of its own, those that are the same too, and whole findings",
              on_diff, "", set_all},
    OptionRow{"--listing", "", "", "list the instructions that appeared and disappeared on each path", on_diff, "",
              [](Options& o, const std::string&) { o.analyze.listing = true; }},
    OptionRow{"--listing", "", "", "list the instructions too", on_listings, "",
              [](Options& o, const std::string&) { o.analyze.listing = true; }},
    OptionRow{"--cross-check", "", "",
              "decode the instructions a second time, with Capstone, and list where the two differ in size, flow or "
              "target; not in CSV",
              on_paths, "", [](Options& o, const std::string&) { o.analyze.cross_check = true; }},
    OptionRow{"--jobs", "", "N", "threads to use; default: one a processor", on_images, "",
              [](Options& o, const std::string& v) { o.analyze.jobs = positive_number<unsigned>(o, "--jobs", v); }},
    OptionRow{"--quiet", "", "", "no progress, nothing on standard error but errors", on_images | on_config, "",
              [](Options& o, const std::string&) { o.quiet = true; }},
    OptionRow{"--verbose", "", "", "say more: the whole build-id, and the id, decisions and calls of each path",
              on_paths, "", set_verbose},
    OptionRow{"--verbose", "", "", "say more: the whole build-id, and address, paths and fingerprint of each finding",
              on_findings, "", set_verbose},
    OptionRow{"--verbose", "", "", "say more: the whole build-id, the ids of paths, and fingerprints of findings",
              on_diff, "", set_verbose},
    OptionRow{"--verbose", "", "", "say more: the whole build-id", on_images & ~on_paths & ~on_findings & ~on_diff, "",
              set_verbose},
    OptionRow{"--verbose", "", "", "say on standard error which file was read", on_config, "", set_verbose},
    OptionRow{"--color", "", "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always or never",
              on_images | on_rules, "auto always never", set_color},
};

}  // namespace

std::span<const CommandRow> command_table() { return commands; }
std::span<const OptionRow> option_table() { return options; }

}  // namespace trapline
