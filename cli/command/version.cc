// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include "cli/command/command.h"
#include "cli/output.h"

namespace trapline {

int run_version(const Console& console) {
  write_descriptor(console.out, version_text() + "\n", "standard output");
  return 0;
}

}  // namespace trapline
