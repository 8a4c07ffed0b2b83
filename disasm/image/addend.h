// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "disasm/image/image.h"

namespace trapline {

// The addend of a REL relocation, which stands in the bytes that it changes (`field`: the bytes from r_offset on, in
// the file's order). 0 for a type that has none or is not known here. Instructions are in the byte order of data:
// relocations are those of objects, where ARM BE8 does not exist yet.
std::int64_t implicit_addend(const ElfIdentity& elf, std::uint32_t type, std::span<const std::uint8_t> field);

}  // namespace trapline
