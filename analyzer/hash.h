// SPDX-License-Identifier: Apache-2.0
//
// Hashes of structure: the same in every run and on every machine.
#pragma once

#include <llvm/Support/xxhash.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace trapline {

using Hash = std::uint64_t;

inline Hash mix(Hash a, Hash b) {
  const std::array<Hash, 2> both{a, b};
  return llvm::xxh3_64bits(
      llvm::ArrayRef<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(both.data()), sizeof(both)));
}

template <typename... More>
Hash mix(Hash a, Hash b, More... more) {
  return mix(mix(a, b), more...);
}

inline Hash hash_of(std::string_view text) { return llvm::xxh3_64bits(text); }

}  // namespace trapline
