// SPDX-License-Identifier: Apache-2.0
//
// Damaged copies of ELF files, always the same ones for the same seed number.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace trapline::test {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // A copy of `file` with one to three changes: fields of the ELF header, of section headers, of symbols and
  // relocations, bytes anywhere, blocks copied over others, the end cut off.
  std::vector<std::uint8_t> mutate(std::span<const std::uint8_t> file);

 private:
  using Bytes = std::vector<std::uint8_t>;
  // Below `limit`, which is not 0. Modulo, since the standard's distributions differ between libraries.
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  // A value that breaks things: 0, 1, all ones, powers of two and their neighbours, the file's size, anything.
  std::uint64_t nasty(const Bytes& file);
  void write(Bytes& file, std::uint64_t offset, unsigned width, std::uint64_t value);
  void change_field(Bytes& file, std::uint64_t start, std::uint64_t size);
  void change_table(Bytes& file);
  void change(Bytes& file);

  std::mt19937_64 random_;
  bool little_ = true;  // byte order of the file at hand
};

}  // namespace trapline::test
