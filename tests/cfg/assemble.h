// SPDX-License-Identifier: Apache-2.0
//
// Images for tests, assembled in memory by LLVM's own assembler: what a test analyses is written as assembly text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "disasm/image/image.h"

namespace trapline::test {

enum class Target { loongarch64, loongarch32, arm, powerpc64le, powerpc64, powerpc };

// A relocatable object of this assembly text. Fails the test, with the assembler's message, where the text is wrong.
std::unique_ptr<Image> assemble(Target target, std::string_view text);

// The internal address of a symbol; fails the test where there is none.
std::uint64_t address_of(const Image& image, std::string_view name);

}  // namespace trapline::test
