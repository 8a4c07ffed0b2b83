// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "disasm/arch/patch_tables.h"
#include "disasm/image/image.h"

namespace trapline::ppc {

// What a report says of the feature sections of an image: "as linked, 1174 feature sections not resolved", empty where
// there are none. A table whose size is no multiple of its record is named.
std::string variant_note(const Image& image);

// All tables of the image: feature sections, slots for flushes and barriers, sites of single instructions, static keys.
PatchTables read_patches(const Image& image);

}  // namespace trapline::ppc
