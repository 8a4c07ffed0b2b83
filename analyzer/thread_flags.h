// SPDX-License-Identifier: Apache-2.0
//
// Where the numbers of the thread flags come from: a kernel source, the configuration, the architecture's table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/config.h"
#include "disasm/image/image.h"
#include "rules/flag_definitions.h"

namespace trapline {

struct ThreadFlagSearch {
  std::optional<FlagDefinitions> found;
  std::vector<std::string> remarks;  // why a source that was named did not give them
};

// The first that has them: `kernel_src` (--kernel-src), the configuration's [arch.NAME.thread-flags], the row of the
// architecture's table for the image's version. Throws Error when `kernel_src` is no folder that can be read.
ThreadFlagSearch find_thread_flags(const Image& image, const std::optional<std::string>& kernel_src,
                                   const Config& config);

}  // namespace trapline
