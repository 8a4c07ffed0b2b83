// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace llvm {
class Target;
}

namespace trapline {

// The LLVM target for a triple, initialised on first use (only the target that is needed, each once in a process).
// Throws Error when this LLVM does not have it.
const llvm::Target& llvm_target(const std::string& triple);

}  // namespace trapline
