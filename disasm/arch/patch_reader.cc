// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/patch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace trapline {

namespace {

constexpr std::uint64_t longest_site = 64 << 10;  // bytes; the longest of Linux has some hundred
constexpr std::size_t most_problems = 20;         // of one image: a damaged table has thousands

}  // namespace

const Section* PatchReader::table(std::string_view name) const {
  for (const Section& section : image_.sections())
    if (section.name == name && section.allocated && !section.bytes.empty()) return &section;
  return nullptr;
}

std::uint64_t PatchReader::records(const Section& table, std::uint64_t size) {
  if (table.bytes.size() % size != 0)
    problem(table.name, table.address + table.bytes.size() / size * size,
            fmt::format("the table of {} bytes is no multiple of its records of {}", table.bytes.size(), size));
  return table.bytes.size() / size;
}

std::optional<std::uint64_t> PatchReader::relative(std::uint64_t at, unsigned width, std::uint64_t from) const {
  for (const Relocation& r : image_.relocations_at(at, width)) return r.target - (at - from);
  const std::optional<std::uint64_t> value = image_.read(at, width);
  if (!value) return std::nullopt;
  std::uint64_t distance = *value;
  if (width == 4) distance = static_cast<std::uint64_t>(static_cast<std::int32_t>(*value));
  const std::uint64_t address = from + distance;
  return image_.elf().is64 ? address : address & 0xffffffffU;
}

std::optional<std::uint64_t> PatchReader::absolute(std::uint64_t at, unsigned width) const {
  for (const Relocation& r : image_.relocations_at(at, width)) return r.target;
  return image_.read(at, width);
}

bool PatchReader::is_mapped(std::uint64_t address, std::uint64_t size, unsigned unit) const {
  if (address % unit != 0 || size % unit != 0 || size > longest_site) return false;
  return size == 0 ? image_.section_at(address) != nullptr || image_.section_at(address - 1) != nullptr
                   : image_.bytes_at(address).size() >= size;
}

bool PatchReader::is_code(std::uint64_t address, std::uint64_t size, unsigned unit) const {
  if (!is_mapped(address, size, unit)) return false;
  return image_.is_code(address) || (size == 0 && image_.is_code(address - 1));
}

void PatchReader::problem(std::string_view table, std::uint64_t record, const std::string& what) {
  std::vector<std::string>& problems = tables_.problems;
  if (unreported_ != 0) problems.pop_back();
  if (unreported_ != 0 || problems.size() == most_problems) {
    ++unreported_;
    problems.push_back(fmt::format("and {} more", unreported_));
    return;
  }
  const Section* section = image_.section_at(record);
  if (section == nullptr) section = image_.section_at(record - 1);
  problems.push_back(section != nullptr && section->name == table
                         ? fmt::format("{}+{:#x}: {}", table, record - section->address, what)
                         : fmt::format("{}, {:#x}: {}", table, image_.shown(record), what));
}

std::uint32_t PatchReader::add_feature(Feature feature) {
  tables_.features.push_back(std::move(feature));
  return static_cast<std::uint32_t>(tables_.features.size() - 1);
}

namespace {

// Where the table is: a section of its own in an object, part of another one in a linked kernel.
struct Extent {
  std::uint64_t begin = 0, end = 0;
  std::string_view name = "__jump_table";
};

std::optional<Extent> jump_table(const PatchReader& reader) {
  if (const Section* section = reader.table("__jump_table"))
    return Extent{section->address, section->address + section->bytes.size(), section->name};
  const Symbol* begin = reader.image().find_symbol("__start___jump_table");
  const Symbol* end = reader.image().find_symbol("__stop___jump_table");
  if (begin == nullptr || end == nullptr || end->address <= begin->address) return std::nullopt;
  if (reader.image().bytes_at(begin->address).size() < end->address - begin->address) return std::nullopt;
  return Extent{begin->address, end->address};
}

// struct jump_entry: addresses of code, target and key, absolute, or (CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE) relative to
// the word itself. Bit 0 of the key: the branch is the likely one; bit 1 is the kernel's own.
struct Record {
  std::uint64_t code = 0, target = 0, key = 0;
};
struct Shape {
  unsigned size, code_bytes, key_bytes;
  bool relative;
};

std::optional<Record> read_record(const PatchReader& reader, const Shape& shape, std::uint64_t at) {
  const std::uint64_t target_at = at + shape.code_bytes, key_at = target_at + shape.code_bytes;
  const auto word = [&](std::uint64_t where, unsigned width) {
    return shape.relative ? reader.relative(where, width, where) : reader.absolute(where, width);
  };
  const auto code = word(at, shape.code_bytes), target = word(target_at, shape.code_bytes);
  // The low bits belong to the word as it stands, not to the address (a linker adds them up alike).
  const auto key = word(key_at, shape.key_bytes);
  if (!code || !target || !key) return std::nullopt;
  return Record{*code, *target, *key};
}

bool makes_sense(const PatchReader& reader, const JumpLabels& labels, const Record& record) {
  return reader.is_code(record.code, 4, labels.unit) && reader.is_code(record.target, labels.unit, labels.unit) &&
         (reader.image().section_at(record.key) != nullptr ||
          reader.image().enclosing_symbol(record.key & ~std::uint64_t{3}) != nullptr);
}

}  // namespace

void read_jump_labels(PatchReader& reader, const JumpLabels& labels) {
  const std::optional<Extent> table = jump_table(reader);
  if (!table) return;
  const bool is64 = reader.image().elf().is64;
  const std::array<Shape, 2> shapes = {is64 ? Shape{16, 4, 8, true} : Shape{12, 4, 4, true},
                                       is64 ? Shape{24, 8, 8, false} : Shape{12, 4, 4, false}};
  const Shape* shape = nullptr;
  std::uint64_t sensible = 0;
  for (const Shape& s : shapes) {
    std::uint64_t good = 0, seen = 0;
    for (std::uint64_t at = table->begin; at + s.size <= table->end && seen < 64; at += s.size, ++seen) {
      const std::optional<Record> record = read_record(reader, s, at);
      good += record && makes_sense(reader, labels, *record) ? 1 : 0;
    }
    if (good > sensible) {
      sensible = good;
      shape = &s;
    }
  }
  if (shape == nullptr) {
    reader.problem(table->name, table->begin, "no record of the table of jump labels makes sense");
    return;
  }
  if ((table->end - table->begin) % shape->size != 0)
    reader.problem(table->name, table->end, fmt::format("the table is no multiple of its records of {}", shape->size));

  std::map<std::uint64_t, std::uint32_t> features;  // by address of the key
  std::set<std::string> names;
  for (std::uint64_t at = table->begin; at + shape->size <= table->end; at += shape->size) {
    const std::optional<Record> record = read_record(reader, *shape, at);
    if (!record || !makes_sense(reader, labels, *record)) {
      reader.problem(table->name, at, "the record names no code");
      continue;
    }
    const std::span<const std::uint8_t> now = reader.image().bytes_at(record->code).first(4);
    const bool is_nop = std::any_of(labels.nops.begin(), labels.nops.end(),
                                    [&](const auto& nop) { return std::equal(now.begin(), now.end(), nop.begin()); });
    const std::optional<std::uint32_t> jump = labels.jump(record->code, record->target);
    if (!jump) {
      reader.problem(table->name, at, "the jump to its target does not reach");
      continue;
    }
    // A jump is there when the key is on, or, for a likely branch, off (jump_label_type, kernel/jump_label.c).
    const bool likely = (record->key & 1) != 0;
    const std::uint64_t key = record->key & ~std::uint64_t{3};
    const std::uint8_t linked = (!is_nop) != likely ? 1 : 0;
    auto [it, fresh] = features.try_emplace(key, 0);
    const std::optional<std::uint32_t> bit =
        fresh && labels.feature_of ? labels.feature_of(key) : std::optional<std::uint32_t>();
    if (bit) {
      it->second = *bit;
    } else if (fresh) {
      Feature f;
      f.name = "key:" + reader.image().describe(key);
      if (!names.insert(f.name).second) f.name += fmt::format("@{:#x}", reader.image().shown(key));
      f.linked = linked;
      f.what = "static key";
      it->second = reader.add_feature(std::move(f));
    }
    PatchSite site;
    site.table = "__jump_table";
    site.record = at;
    site.address = record->code;
    site.size = 4;
    PatchSide as_nop{
        {{it->second, static_cast<std::uint8_t>(likely ? 1 : 0)}}, PatchSide::Content::bytes, labels.nops[0]};
    PatchSide as_jump{{}, PatchSide::Content::bytes, {}};
    for (unsigned i = 0; i < 4; ++i)
      as_jump.bytes.push_back(static_cast<std::uint8_t>(*jump >> 8 * (reader.image().elf().little_endian ? i : 3 - i)));
    (is_nop ? as_nop : as_jump).content = PatchSide::Content::as_linked;
    site.sides = {std::move(as_nop), std::move(as_jump)};
    reader.tables().sites.push_back(std::move(site));
  }
}

}  // namespace trapline
