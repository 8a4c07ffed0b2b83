// SPDX-License-Identifier: Apache-2.0
#include "powerpc_support.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/ObjectYAML/yaml2obj.h>

#include "cfg/value.h"
#include "disasm/arch/arch.h"
#include "disasm/arch/powerpc/powerpc.h"

namespace trapline::ppc_test {
namespace {

std::uint64_t register_mask(Kind kind) { return kind == Kind::be32 ? 0xffffffff : ~std::uint64_t{0}; }

std::int64_t as_signed(std::uint64_t v, unsigned width) {
  const unsigned unused = 64 - width * 8;
  return static_cast<std::int64_t>(v << unused) >> unused;
}

}  // namespace

std::uint64_t text_address(Kind kind) { return kind == Kind::be32 ? 0xc0001000 : 0xc000000000001000; }

std::string hex_words(Kind kind, const std::vector<std::uint32_t>& words) {
  std::string hex;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      hex += fmt::format("{:02x}", word >> (kind == Kind::le64 ? 8 * i : 24 - 8 * i) & 0xff);
  return '"' + hex + '"';
}

std::unique_ptr<Image> image(Kind kind, const std::vector<std::uint32_t>& words, const ImageParts& parts) {
  const bool relocatable = parts.type == "ET_REL";
  const std::uint64_t address = relocatable ? 0 : text_address(kind);
  const std::string yaml =
      fmt::format(R"(--- !ELF
FileHeader:
  Class: ELFCLASS{}
  Data: {}
  Type: {}
  Machine: {}
{}
Sections:
  - Name: {}
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Address: {:#x}
    AddressAlign: 4
    Content: {}
{}
Symbols:
  - Name: start
    Section: {}
    Value: {:#x}
    Binding: STB_GLOBAL
{}
)",
                  kind == Kind::be32 ? 32 : 64, kind == Kind::le64 ? "ELFDATA2LSB" : "ELFDATA2MSB", parts.type,
                  kind == Kind::be32 ? "EM_PPC" : "EM_PPC64", parts.flags, parts.name, address, hex_words(kind, words),
                  parts.sections, parts.name, address, parts.symbols);
  llvm::SmallString<0> storage;
  const std::unique_ptr<llvm::object::ObjectFile> object =
      llvm::yaml::yaml2ObjectFile(storage, yaml, [](const llvm::Twine& message) { FAIL_CHECK(message.str()); });
  REQUIRE(object != nullptr);
  return Image::from_bytes("test.elf", {reinterpret_cast<const std::uint8_t*>(storage.data()), storage.size()});
}

Insn lift(Kind kind, const std::vector<std::uint32_t>& words) {
  const std::unique_ptr<Image> made = image(kind, words);
  return Decoder(*made).decode(text_address(kind));
}

Place place(std::string_view name) {
  const std::vector<PlaceInfo>& places = powerpc64le().facts().places;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].name == name) return static_cast<Place>(i);
  FAIL("no place of that name: " << std::string(name));
  return no_place;
}

Machine& Machine::set(std::string_view name, std::uint64_t value) {
  places_[place(name)] = value;
  return *this;
}

Machine& Machine::write(std::uint64_t address, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i)
    memory_[address + i] = value >> 8 * (kind_ == Kind::le64 ? i : width - 1 - i) & 0xff;
  return *this;
}

Machine::Value Machine::operator[](std::string_view name) const { return value(Operand::reg(place(name))); }

bool Machine::was_clobbered(std::string_view name) const {
  const auto found = places_.find(place(name));
  return found != places_.end() && !found->second;
}

Machine::Value Machine::read(std::uint64_t address, unsigned width) const {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i) {
    const auto found = memory_.find(address + (kind_ == Kind::le64 ? width - 1 - i : i));
    if (found == memory_.end() || !found->second) return std::nullopt;
    result = result << 8 | *found->second;
  }
  return result;
}

Machine::Value Machine::value(const Operand& operand) const {
  if (operand.kind == Operand::Kind::imm) return operand.imm & register_mask(kind_);
  if (operand.kind == Operand::Kind::place) {
    const auto found = places_.find(operand.index);
    return found == places_.end() ? Value() : found->second;
  }
  const auto found = temporaries_.find(operand.index);
  return found == temporaries_.end() ? Value() : found->second;
}

Machine::Value Machine::compute(const MicroOp& op) const {
  if (op.op == Op::clobber) return std::nullopt;
  const Value a = value(op.a);
  const bool binary = op.b.kind != Operand::Kind::none;
  const Value b = binary ? value(op.b) : 0;
  if (!a || !b) return std::nullopt;
  if (op.op == Op::load) return read(*a, op.width);
  return fold_constants(op, *a, *b, register_mask(kind_));
}

Machine& Machine::run(const Insn& insn) {
  temporaries_.clear();
  for (const MicroOp& op : insn.ops) {
    if (op.op == Op::store) {
      const Value where = value(op.a);
      REQUIRE(where);
      const Value what = value(op.b);
      for (unsigned i = 0; i < op.width; ++i)
        memory_[*where + i] = what ? Value(*what >> 8 * (kind_ == Kind::le64 ? i : op.width - 1 - i) & 0xff) : Value();
    } else if (op.op == Op::compare || op.op == Op::test) {
      const Value a = value(op.a), b = op.op == Op::test ? Value(0) : value(op.b);
      REQUIRE(a);
      REQUIRE(b);
      flags_[op.dst.index] = {*a, *b, op.bits == 1, op.width};
      places_[op.dst.index] = std::nullopt;
    } else if (op.dst.kind == Operand::Kind::place) {
      places_[op.dst.index] = compute(op);
    } else {
      REQUIRE(op.dst.kind == Operand::Kind::temp);
      REQUIRE(op.dst.index < 16);
      temporaries_[op.dst.index] = compute(op);
    }
  }
  return *this;
}

std::optional<bool> Machine::holds(const Predicate& p) const {
  Flags f;
  if (p.flags == no_place) {
    const Value a = value(p.a), b = value(p.b);
    if (!a || !b) return std::nullopt;
    f = {*a, *b, false, p.width};
  } else {
    const auto found = flags_.find(p.flags);
    if (found == flags_.end()) return std::nullopt;
    f = found->second;
  }
  const std::uint64_t mask = low_bits(f.width * 8);
  const bool equal = (f.a & mask) == (f.b & mask);
  const bool less = f.is_unsigned ? (f.a & mask) < (f.b & mask) : as_signed(f.a, f.width) < as_signed(f.b, f.width);
  switch (p.rel) {
    case Rel::eq:
      return equal;
    case Rel::ne:
      return !equal;
    case Rel::lt:
      return less;
    case Rel::ge:
      return !less;
    case Rel::gt:
      return !less && !equal;
    case Rel::le:
      return less || equal;
    default:
      return std::nullopt;
  }
}

}  // namespace trapline::ppc_test
