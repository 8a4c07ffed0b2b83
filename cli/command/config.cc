// SPDX-License-Identifier: Apache-2.0
#include "analyzer/config.h"

#include <fmt/format.h>

#include "cli/command/command.h"
#include "cli/output.h"

namespace trapline {

Config read_config(const Options& options, const Console& console) {
  const std::optional<std::string> file = options.config ? options.config : find_config(".");
  if (options.verbose && !options.quiet) {
    const std::string said = file ? fmt::format("configuration {}", *file) : "no trapline.toml here or above";
    write_descriptor(console.err, fmt::format("trapline: {}\n", printable(said, true)), "standard error");
  }
  return file ? load_config(*file) : Config();
}

int run_config(const Options& options, const Console& console) {
  const Config config = read_config(options, console);
  write_reports(options, console, [&](Format, const TextOptions&) { return config_text(config); });
  return 0;
}

}  // namespace trapline
