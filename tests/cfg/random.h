// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace trapline::test {

// SplitMix64: the same numbers on every machine and with every library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // 0 to n - 1.
  unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(static_cast<unsigned>(std::size(list)))];
  }
  // Numbers at which arithmetic turns over, small ones, and any other.
  std::uint64_t number() {
    constexpr std::uint64_t edges[] = {0,          1,           2,          3,     7,          8,
                                       0x7f,       0x80,        0xff,       0x100, 0x7fffffff, 0x80000000,
                                       0xffffffff, 0x100000000, 1ull << 63, ~0ull, ~0ull >> 1, 0xffffffff80000000};
    switch (below(3)) {
      case 0:
        return pick(edges);
      case 1:
        return next() & 15;
      default:
        return next() >> below(64);
    }
  }

 private:
  std::uint64_t state_;
};

// Batches of random programs that a test checks. TRAPLINE_RANDOM_BATCHES replaces it, for a longer search.
inline std::uint64_t batches() {
  const char* wanted = std::getenv("TRAPLINE_RANDOM_BATCHES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 4;
}

}  // namespace trapline::test
