// SPDX-License-Identifier: Apache-2.0
#include "arm_support.h"

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "disasm/arch/arm/bits.h"
#include "disasm/decode/decoder.h"

namespace trapline::arm_test {

namespace {

class Bytes {
 public:
  explicit Bytes(bool big) : big_(big) {}
  void put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      data.push_back(static_cast<std::uint8_t>(value >> 8 * (big_ ? width - 1 - i : i)));
  }
  void put_words(std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t w : words) put(w, 4);
  }
  std::vector<std::uint8_t> data;

 private:
  bool big_;
};

struct Table {  // a string table
  std::string text = std::string(1, '\0');
  std::uint32_t add(std::string_view s) {
    const std::uint32_t at = static_cast<std::uint32_t>(text.size());
    text.append(s).push_back('\0');
    return at;
  }
};

}  // namespace

std::unique_ptr<Image> object(std::span<const std::uint32_t> units, const ObjectOptions& options) {
  const bool big = options.big_endian;
  Table names, strings;
  // BE8: instructions are little-endian, everything else is not.
  Bytes code(big && (options.flags & arm_arch::ef_arm_be8) == 0), symbols(big);
  for (const std::uint32_t u : units) code.put(u, options.thumb ? 2 : 4);
  while (code.data.size() % 4 != 0) code.data.push_back(0);
  // st_name, st_value, st_size, then st_info, st_other, st_shndx
  symbols.put_words({0, 0, 0, 0});
  const auto symbol = [&](std::string_view name, std::uint32_t value, std::uint8_t info) {
    symbols.put_words({strings.add(name), value, 0});
    symbols.put(info, 1);
    symbols.put(0, 1);
    symbols.put(1, 2);
  };
  symbol(options.thumb ? "$t" : "$a", 0, 0);
  if (!options.function.empty()) symbol(options.function, options.thumb ? 1 : 0, 2);
  const std::uint32_t local_count = static_cast<std::uint32_t>(symbols.data.size() / 16);
  const std::uint32_t header = 52;
  const std::uint32_t section_names[] = {0, names.add(options.section), names.add(".symtab"), names.add(".strtab"),
                                         names.add(".shstrtab")};
  const std::uint32_t code_at = header;
  const std::uint32_t symbols_at = code_at + static_cast<std::uint32_t>(code.data.size());
  const std::uint32_t strings_at = symbols_at + static_cast<std::uint32_t>(symbols.data.size());
  const std::uint32_t names_at = strings_at + static_cast<std::uint32_t>(strings.text.size());
  const std::uint32_t sections_at = (names_at + static_cast<std::uint32_t>(names.text.size()) + 3) & ~3u;

  Bytes file(big);
  for (const unsigned b : {0x7fu, 0x45u, 0x4cu, 0x46u, 1u, big ? 2u : 1u, 1u}) file.put(b, 1);
  file.put(0, 8);
  file.put(0, 1);
  file.put(1, 2);   // ET_REL
  file.put(40, 2);  // EM_ARM
  file.put_words({1, 0, 0, sections_at, options.flags});
  for (const std::uint32_t half : {52u, 0u, 0u, 40u, 5u, 4u}) file.put(half, 2);
  file.data.insert(file.data.end(), code.data.begin(), code.data.end());
  file.data.insert(file.data.end(), symbols.data.begin(), symbols.data.end());
  file.data.insert(file.data.end(), strings.text.begin(), strings.text.end());
  file.data.insert(file.data.end(), names.text.begin(), names.text.end());
  while (file.data.size() < sections_at) file.data.push_back(0);
  // sh_name, type, flags, addr, offset, size, link, info, addralign, entsize
  file.put_words({0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  file.put_words({section_names[1], 1, 6, 0, code_at, static_cast<std::uint32_t>(code.data.size()), 0, 0, 4, 0});
  file.put_words(
      {section_names[2], 2, 0, 0, symbols_at, static_cast<std::uint32_t>(symbols.data.size()), 3, local_count, 4, 16});
  file.put_words({section_names[3], 3, 0, 0, strings_at, static_cast<std::uint32_t>(strings.text.size()), 0, 0, 1, 0});
  file.put_words({section_names[4], 3, 0, 0, names_at, static_cast<std::uint32_t>(names.text.size()), 0, 0, 1, 0});
  return Image::from_bytes("test.o", file.data);
}

namespace {
Insn first_insn(const Image& image) {
  for (const Section& section : image.sections()) {
    if (section.executable) return Decoder(image).decode(section.address);
  }
  return {};
}
}  // namespace

Insn lift(std::uint32_t word) { return first_insn(*object(std::array{word})); }

Insn lift_thumb(std::initializer_list<std::uint32_t> halfwords) {
  ObjectOptions options;
  options.thumb = true;
  return first_insn(*object(std::vector<std::uint32_t>(halfwords), options));
}

void Machine::store(std::uint64_t address, unsigned width, std::optional<std::uint64_t> value) {
  for (unsigned i = 0; i < width; ++i) {
    memory[address + i] = value ? std::optional(static_cast<std::uint8_t>(*value >> 8 * i)) : std::nullopt;
  }
}

std::optional<std::uint64_t> Machine::load(std::uint64_t address, unsigned width) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const auto at = memory.find(address + i);
    const bool written = at != memory.end();
    if (written ? !at->second : !backing) return std::nullopt;
    value |= std::uint64_t{written ? *at->second : backing(address + i)} << 8 * i;
  }
  return value;
}

std::optional<bool> Machine::holds(const Predicate& p) const {
  const auto negate = [](std::optional<bool> b) { return b ? std::optional(!*b) : b; };
  const auto both = [](std::optional<bool> a, std::optional<bool> b) {
    return a && b ? std::optional(*a && *b) : std::nullopt;
  };
  const auto same = [](std::optional<bool> a, std::optional<bool> b) {
    return a && b ? std::optional(*a == *b) : std::nullopt;
  };
  if (p.flags == no_place) {
    const std::optional<std::uint64_t> a = read(p.a), b = read(p.b);
    if (!a || !b) return std::nullopt;
    return (*a == *b) == (p.rel == Rel::eq);
  }
  switch (p.rel) {
    case Rel::eq:
      return flags.z;
    case Rel::ne:
      return negate(flags.z);
    case Rel::geu:
      return flags.c;
    case Rel::ltu:
      return negate(flags.c);
    case Rel::negative:
      return flags.n;
    case Rel::nonnegative:
      return negate(flags.n);
    case Rel::overflow:
      return flags.v;
    case Rel::no_overflow:
      return negate(flags.v);
    case Rel::gtu:
      return both(flags.c, negate(flags.z));
    case Rel::leu:
      return negate(both(flags.c, negate(flags.z)));
    case Rel::ge:
      return same(flags.n, flags.v);
    case Rel::lt:
      return negate(same(flags.n, flags.v));
    case Rel::gt:
      return both(negate(flags.z), same(flags.n, flags.v));
    case Rel::le:
      return negate(both(negate(flags.z), same(flags.n, flags.v)));
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> Machine::read(const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::imm:
      return o.imm;
    case Operand::Kind::place:
      return places[o.index];
    case Operand::Kind::temp:
      return temps_[o.index];
    default:
      return std::nullopt;
  }
}

void Machine::write(const Operand& o, std::optional<std::uint64_t> value) {
  if (o.kind == Operand::Kind::place) places[o.index] = value;
  if (o.kind == Operand::Kind::temp) temps_[o.index] = value;
}

void Machine::set_flags(const MicroOp& m) {
  flags = Flags();
  const std::optional<std::uint64_t> a64 = read(m.a), b64 = read(m.b);
  if (!a64 || (m.op != Op::test && !b64)) return;
  const std::uint32_t a = static_cast<std::uint32_t>(*a64), b = static_cast<std::uint32_t>(b64.value_or(0));
  // AddWithCarry of the manual (A2.2.1); a subtraction adds the complement and one.
  const std::uint64_t wide = std::uint64_t{a} + (m.op == Op::compare ? std::uint64_t{~b} + 1 : std::uint64_t{b});
  const std::uint32_t result = static_cast<std::uint32_t>(wide);
  flags.n = (result >> 31) != 0;
  flags.z = result == 0;
  if (m.op == Op::test) return;  // carry and overflow are not said
  flags.c = (wide >> 32) != 0;
  const std::uint32_t addend = m.op == Op::compare ? ~b : b;
  flags.v = ((~(a ^ addend) & (a ^ result)) >> 31) != 0;
}

void Machine::step(const MicroOp& m) {
  const std::uint64_t limit = m.width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * m.width) - 1;
  const std::optional<std::uint64_t> a = read(m.a), b = read(m.b);
  const auto put = [&](std::uint64_t value) { write(m.dst, value & limit); };
  const std::uint64_t field = m.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << m.bits) - 1;
  if (m.op == Op::compare || m.op == Op::compare_add || m.op == Op::test) return set_flags(m);
  if (m.op == Op::store) {
    if (a) store(*a, m.width, b);
    return;
  }
  if (m.op == Op::clobber) {
    if (m.dst.kind == Operand::Kind::place && m.dst.index == arm_arch::flags) flags = Flags();
    return write(m.dst, std::nullopt);
  }
  const bool binary = m.b.kind != Operand::Kind::none;
  if (!a || (binary && !b)) return write(m.dst, std::nullopt);
  const std::uint64_t x = *a & limit, y = b.value_or(0) & limit;
  const auto shift = [&](std::uint64_t value) { y > 31 ? write(m.dst, std::nullopt) : put(value); };
  switch (m.op) {
    case Op::set:
      return put(x);
    case Op::add:
      return put(x + y);
    case Op::sub:
      return put(x - y);
    case Op::and_:
      return put(x & y);
    case Op::or_:
      return put(x | y);
    case Op::xor_:
      return put(x ^ y);
    case Op::not_:
      return put(~x);
    case Op::mul:
      return put(x * y);
    case Op::shl:
      return shift(x << (y & 31));
    case Op::shr:
      return shift(x >> (y & 31));
    case Op::sar:
      return shift(static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)} >> (y & 31)));
    case Op::ror:
      return put(std::rotr(static_cast<std::uint32_t>(x), static_cast<int>(y & 31)));
    case Op::extract:
      return put(x >> m.lsb & field);
    case Op::insert:
      return put((x & ~(field << m.lsb)) | (y & field) << m.lsb);
    case Op::zext:
      return put(x & field);
    case Op::sext: {
      const std::uint64_t sign = std::uint64_t{1} << (m.bits - 1);
      return put(((x & field) ^ sign) - sign);
    }
    case Op::load:
      return write(m.dst, load(*a, m.width));
    default:
      return;
  }
}

bool Machine::run(const Insn& insn) {
  temps_ = {};
  next = insn.address + insn.size;
  jumped = false;
  std::optional<bool> acts = true;
  if (insn.when && insn.when->guards_effects) acts = holds(*insn.when);
  if (!acts) return false;
  if (!*acts) return true;
  for (const MicroOp& m : insn.ops) step(m);
  if (insn.when && !insn.when->guards_effects) acts = holds(*insn.when);
  if (!acts) return false;
  if (!*acts) return true;
  if (insn.target) next = *insn.target;
  if (insn.jump_to.kind != Operand::Kind::none) next = read(insn.jump_to).value_or(~std::uint64_t{0});
  jumped = insn.flow != Flow::next;
  return true;
}

}  // namespace trapline::arm_test
