// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/output.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  const trapline::Console console = trapline::Console::of_process();
  std::string line = "trapline: error: internal error: something unknown was thrown; please report it\n";
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return trapline::run(arguments, console);
  } catch (const std::exception& error) {
    line = trapline::error_line(error);
  } catch (...) {
  }
  try {
    trapline::write_descriptor(console.err, line, "standard error");
  } catch (const std::exception&) {
    // Nobody is left to be told; the status says it.
  }
  return trapline::status_failed;
}
