// SPDX-License-Identifier: Apache-2.0
#include "analyzer/config.h"

#include "cli/command/command.h"

namespace trapline {

Config read_config(const Options&, const Console&) { return {}; }

int run_config(const Options&, const Console&) { return 0; }

}  // namespace trapline
