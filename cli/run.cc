// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <fmt/format.h>

#include "cli/command/command.h"
#include "cli/help.h"
#include "cli/output.h"
#include "disasm/error.h"

namespace trapline {

int run(const std::vector<std::string>& arguments, const Console& console) {
  if (arguments.empty()) {
    write_descriptor(console.err, short_help(), "standard error");
    return status_failed;
  }
  const Options options = parse_options(arguments);
  for (const OutputRequest& output : options.outputs) {
    if (output.file != "-") check_output(output.file, options.images);
  }
  switch (options.command->id) {
    case CommandId::entries:
      return run_entries(options, console);
    case CommandId::paths:
      return run_paths(options, console);
    case CommandId::lint:
      return run_lint(options, console);
    case CommandId::diff:
      return run_diff(options, console);
    case CommandId::sweep:
      return run_sweep(options, console);
    case CommandId::cfg:
      return run_cfg(options, console);
    case CommandId::rules:
      return run_rules(options, console);
    case CommandId::explain:
      return run_explain(options, console);
    case CommandId::config:
      return run_config(options, console);
    case CommandId::help:
      return run_help(options, console);
    case CommandId::version:
      return run_version(console);
  }
  return status_failed;
}

std::string error_line(const std::exception& error) {
  const bool expected = dynamic_cast<const Error*>(&error) != nullptr;
  const std::string what = printable(one_line(error.what()), true);
  return expected ? fmt::format("trapline: error: {}\n", what)
                  : fmt::format("trapline: error: internal error: {}; please report it\n", what);
}

}  // namespace trapline
