// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/btf.h"

#include <fmt/format.h>

namespace trapline {

namespace {

enum Kind : std::uint32_t {
  kind_int = 1,
  kind_ptr = 2,
  kind_array = 3,
  kind_struct = 4,
  kind_union = 5,
  kind_enum = 6,
  kind_fwd = 7,
  kind_typedef = 8,
  kind_volatile = 9,
  kind_const = 10,
  kind_restrict = 11,
  kind_func = 12,
  kind_func_proto = 13,
  kind_var = 14,
  kind_datasec = 15,
  kind_float = 16,
  kind_decl_tag = 17,
  kind_type_tag = 18,
  kind_enum64 = 19
};

constexpr std::uint32_t magic = 0xeb9f;
constexpr std::size_t type_bytes = 12;  // btf_type
constexpr int max_depth = 16;           // of types that refer to each other, and of nested structs
constexpr std::size_t max_members = 4096;

// The kinds that only give another type a name or a qualifier.
bool refers(std::uint32_t kind) {
  return kind == kind_typedef || kind == kind_volatile || kind == kind_const || kind == kind_restrict ||
         kind == kind_type_tag;
}

// What follows the twelve bytes of a type; nothing for a kind that is not known.
std::optional<std::size_t> extra_bytes(std::uint32_t kind, std::size_t vlen) {
  switch (kind) {
    case kind_int:
    case kind_var:
    case kind_decl_tag:
      return 4;
    case kind_array:
      return 12;
    case kind_struct:
    case kind_union:
    case kind_datasec:
    case kind_enum64:
      return 12 * vlen;
    case kind_enum:
    case kind_func_proto:
      return 8 * vlen;
    case kind_ptr:
    case kind_fwd:
    case kind_func:
    case kind_float:
      return 0;
    default:
      return refers(kind) ? std::optional<std::size_t>(0) : std::nullopt;
  }
}

class Reader {
 public:
  Reader(std::span<const std::uint8_t> section, bool little_endian) : section_(section), little_(little_endian) {}

  // Finds where each type begins. Returns what is wrong, or nothing.
  std::string index() {
    if (section_.size() < 24 || (word(0) >> (little_ ? 0 : 16) & 0xffff) != magic)
      return "the .BTF section does not begin with a BTF header";
    const std::uint64_t header = word(4), size = section_.size();
    const std::uint64_t types = header + word(8), types_end = types + word(12);
    const std::uint64_t strings = header + word(16), strings_end = strings + word(20);
    if (types_end > size || strings_end > size) return "the .BTF header points behind the section";
    strings_ = section_.subspan(strings, word(20));
    starts_.push_back(0);  // type 0 is void
    for (std::uint64_t at = types; at < types_end;) {
      if (at + type_bytes > types_end) return fmt::format("a BTF type at offset {:#x} is cut off", at);
      const std::uint32_t info = word(at + 4);
      std::optional<std::size_t> extra = extra_bytes(info >> 24 & 0x1f, info & 0xffff);
      if (!extra) return fmt::format("the BTF type at offset {:#x} is of unknown kind {}", at, info >> 24 & 0x1f);
      if (at + type_bytes + *extra > types_end) return fmt::format("a BTF type at offset {:#x} is cut off", at);
      starts_.push_back(at);
      at += type_bytes + *extra;
    }
    return {};
  }

  std::optional<std::uint32_t> find_struct(std::string_view wanted) const {
    for (std::uint32_t id = 1; id < starts_.size(); ++id)
      if (kind(id) == kind_struct && name_at(word(starts_[id])) == wanted) return id;
    return std::nullopt;
  }

  std::uint32_t size_of(std::uint32_t id) const { return word(starts_[id] + 8); }

  // Appends the scalar members of a struct or union.
  void flatten(std::uint32_t id, std::uint64_t base, int depth, std::vector<BtfMember>& out) {
    if (depth > max_depth) return;
    const std::uint32_t info = word(starts_[id] + 4);
    const bool has_bit_fields = (info >> 31) != 0;
    for (std::uint32_t i = 0; i < (info & 0xffff); ++i) {
      if (++visited_ > max_members) return;  // a struct may hold itself many times
      const std::uint64_t at = starts_[id] + type_bytes + 12ull * i;
      const std::uint32_t offset = word(at + 8);
      if (has_bit_fields && (offset >> 24) != 0) continue;
      const std::uint32_t bits = has_bit_fields ? offset & 0xffffff : offset;
      if (bits % 8 != 0) continue;
      member(name_at(word(at)), word(at + 4), base + bits / 8, depth, out);
    }
  }

 private:
  std::uint32_t word(std::uint64_t at) const {
    std::uint32_t v = 0;
    for (unsigned i = 0; i < 4; ++i)
      v |= static_cast<std::uint32_t>(section_[at + i]) << (little_ ? 8 * i : 24 - 8 * i);
    return v;
  }

  std::uint32_t kind(std::uint32_t id) const { return word(starts_[id] + 4) >> 24 & 0x1f; }

  std::string_view name_at(std::uint32_t offset) const {
    if (offset >= strings_.size()) return {};
    const std::string_view rest(reinterpret_cast<const char*>(strings_.data()) + offset, strings_.size() - offset);
    return rest.substr(0, rest.find('\0'));
  }

  // The type behind names and qualifiers; nothing where there is none, or they go in a circle.
  std::optional<std::uint32_t> plain(std::uint32_t id) const {
    for (int i = 0; i < max_depth && id != 0 && id < starts_.size(); ++i) {
      if (!refers(kind(id))) return id;
      id = word(starts_[id] + 8);
    }
    return std::nullopt;
  }

  void member(std::string_view name, std::uint32_t type, std::uint64_t offset, int depth, std::vector<BtfMember>& out) {
    std::optional<std::uint32_t> id = plain(type);
    std::uint64_t count = 1;
    for (int i = 0; id && kind(*id) == kind_array && i < max_depth; ++i) {
      count *= word(starts_[*id] + type_bytes + 8);
      if (count > max_members) return;
      id = plain(word(starts_[*id] + type_bytes));
    }
    if (!id || offset > 0xffffffff) return;
    const std::uint32_t k = kind(*id);
    if ((k == kind_struct || k == kind_union) && count == 1) return flatten(*id, offset, depth + 1, out);
    if (k != kind_int && k != kind_enum && k != kind_enum64) return;
    out.push_back({name, static_cast<std::uint32_t>(offset), size_of(*id), static_cast<std::uint32_t>(count)});
  }

  std::span<const std::uint8_t> section_, strings_;
  bool little_;
  std::vector<std::uint64_t> starts_;  // by type id: offset in the section
  std::size_t visited_ = 0;            // members
};

}  // namespace

BtfResult read_btf_struct(std::span<const std::uint8_t> section, bool little_endian, std::string_view name) {
  BtfResult result;
  Reader reader(section, little_endian);
  result.problem = reader.index();
  if (!result.problem.empty()) return result;
  if (std::optional<std::uint32_t> id = reader.find_struct(name)) {
    BtfStruct type{reader.size_of(*id), {}};
    reader.flatten(*id, 0, 0, type.members);
    for (const BtfMember& m : type.members) {
      const bool scalar = m.width == 1 || m.width == 2 || m.width == 4 || m.width == 8 || m.width == 16;
      if (scalar && m.offset + std::uint64_t{m.width} * m.count <= type.size) continue;
      result.problem =
          fmt::format("BTF member '{}' of struct {} does not fit into its {} bytes", m.name, name, type.size);
      return result;
    }
    result.found = std::move(type);
  }
  return result;
}

}  // namespace trapline
