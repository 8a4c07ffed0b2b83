// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "disasm/image/image.h"

namespace trapline::test {

using Bytes = std::vector<std::uint8_t>;

// The content of a file below the source tree.
std::string read_text(const std::string& name);
// The documents of a YAML text for yaml2obj, each with its comments.
std::vector<std::string> yaml_documents(const std::string& text);
// The ELF file that a YAML document describes. Throws std::runtime_error with yaml2obj's message.
Bytes elf_of(const std::string& yaml);
// tests/image/<name>.yaml, opened.
std::unique_ptr<Image> sample(const std::string& name);
Bytes sample_bytes(const std::string& name);

}  // namespace trapline::test
