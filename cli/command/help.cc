// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "cli/command/command.h"
#include "cli/output.h"

namespace trapline {

int run_help(const Options& options, const Console& console) {
  if (options.topic.empty()) {
    write_descriptor(console.out, general_help(), "standard output");
    return 0;
  }
  const CommandRow* command = find_command(options.topic);
  if (command == nullptr) throw_unknown_command(options.topic);
  write_descriptor(console.out, command_help(*command), "standard output");
  return 0;
}

}  // namespace trapline
