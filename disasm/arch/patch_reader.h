// SPDX-License-Identifier: Apache-2.0
//
// What all patch tables have in common: records in a section, words that say where code is, and the refusal of what
// makes no sense.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "disasm/arch/patch_tables.h"

namespace trapline {

class PatchReader {
 public:
  PatchReader(const Image& image, PatchTables& tables) : image_(image), tables_(tables) {}

  const Image& image() const { return image_; }
  PatchTables& tables() { return tables_; }

  // The section of that name with its content; null where there is none, or it is empty.
  const Section* table(std::string_view name) const;
  // A section of `size`-byte records that must hold a whole number of them: what is cut off is reported, and left out.
  std::uint64_t records(const Section& table, std::uint64_t size);

  // The address that the `width`-byte word at `at` names as a distance from `from`; in an object file its relocation
  // says so.
  std::optional<std::uint64_t> relative(std::uint64_t at, unsigned width, std::uint64_t from) const;
  // The address that the word itself is.
  std::optional<std::uint64_t> absolute(std::uint64_t at, unsigned width) const;

  // Is [address, address + size) code that a table may patch: in the file, executable, `unit`-aligned, and not absurdly
  // long?
  bool is_code(std::uint64_t address, std::uint64_t size, unsigned unit) const;
  // Is it in the file at all, and aligned?
  bool is_mapped(std::uint64_t address, std::uint64_t size, unsigned unit) const;
  // Reports what is wrong with the record at `record`.
  void problem(std::string_view table, std::uint64_t record, const std::string& what);

  std::uint32_t add_feature(Feature feature);

 private:
  const Image& image_;
  PatchTables& tables_;
  std::uint64_t unreported_ = 0;
};

// Static keys: the table of jump labels (include/linux/jump_label.h), whose sites hold a nop or a jump. What is a
// feature is a key, on or off; its name is its symbol's.
struct JumpLabels {
  unsigned unit = 4;  // alignment of code
  std::vector<std::vector<std::uint8_t>>
      nops;  // what may stand for a nop, in the file's byte order; the first is written
  // The jump from `from` to `to`; nothing where it does not reach.
  std::optional<std::uint32_t> (*jump)(std::uint64_t from, std::uint64_t to) = nullptr;
  // The feature that a key at that address stands for, where the kernel has a key for each bit of a feature word;
  // empty: no key does.
  std::function<std::optional<std::uint32_t>(std::uint64_t key)> feature_of = {};
};
void read_jump_labels(PatchReader& reader, const JumpLabels& labels);

}  // namespace trapline
