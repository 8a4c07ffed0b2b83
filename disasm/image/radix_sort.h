// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trapline {

// Stable sort by a 64-bit key, least significant digit first; digits that all keys share cost nothing. The symbols of a
// kernel lie within a few megabytes, so that this takes a fraction of the time of a sort by comparison, which is
// most of the time of opening one.
template <class T, class Key>
void radix_sort(std::vector<T>& items, Key key) {
  constexpr unsigned digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  std::uint64_t different = 0;
  for (const T& item : items) different |= key(item) ^ key(items.front());
  std::vector<T> sorted;
  for (unsigned shift = 0; shift < 64; shift += digit_bits) {
    if ((different >> shift & (digits - 1)) == 0) continue;
    std::array<std::size_t, digits> place{};
    for (const T& item : items) ++place[key(item) >> shift & (digits - 1)];
    std::size_t start = 0;
    for (std::size_t& entry : place) {
      const std::size_t count = entry;
      entry = start;
      start += count;
    }
    sorted.resize(items.size());
    for (const T& item : items) sorted[place[key(item) >> shift & (digits - 1)]++] = item;
    items.swap(sorted);
  }
}

}  // namespace trapline
