// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>

namespace trapline {

std::string_view trapline_version() { return TRAPLINE_VERSION; }

std::string version_text() { return fmt::format("trapline {} (LLVM {})", trapline_version(), LLVM_VERSION_STRING); }

}  // namespace trapline
