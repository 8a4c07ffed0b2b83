// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/FileSystem.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "disasm/image/image.h"

namespace trapline {

// Owns the bytes of an image: a private mapping of the file, or a buffer (standard input, from_bytes).
struct Image::Storage {
  llvm::sys::fs::mapped_file_region mapping;
  std::vector<std::uint8_t> buffer;
  std::span<std::uint8_t> bytes;  // of whichever of the two is used

  std::deque<std::string> export_names;  // names and versions in Image::exports_; a deque, since it never moves them

  // Symbols by name, built at the first look-up: a chained hash table over indices into Image::symbols_. Chains, since
  // a kernel has thousands of local symbols of one name ("__key.0").
  std::once_flag names_once;
  std::vector<std::uint32_t> name_heads;  // index + 1 of the first symbol of a bucket, 0: none
  std::vector<std::uint32_t> name_next;   // the same, for the next symbol of the bucket
};

}  // namespace trapline
