// SPDX-License-Identifier: Apache-2.0
#include "loongarch_machine.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/ObjectYAML/yaml2obj.h>

#include "disasm/arch/arch.h"
#include "disasm/arch/loongarch/loongarch.h"

namespace trapline::test {
namespace {

std::unique_ptr<Image> kernel(std::string_view elf_class, std::uint64_t address,
                              const std::vector<std::uint32_t>& words) {
  return image_from_yaml(fmt::format(R"(--- !ELF
FileHeader:
  Class: {}
  Data: ELFDATA2LSB
  Type: ET_EXEC
  Machine: EM_LOONGARCH
Sections:
  - Name: .text
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Address: {:#x}
    AddressAlign: 4
    Content: {}
Symbols:
  - Name: start
    Section: .text
    Value: {:#x}
    Binding: STB_GLOBAL
)",
                                     elf_class, address, hex_words(words), address));
}

std::uint64_t sign_extended(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return ((value & mask) ^ sign) - sign;
}

}  // namespace

std::unique_ptr<Image> image_from_yaml(const std::string& yaml) {
  llvm::SmallString<0> storage;
  const std::unique_ptr<llvm::object::ObjectFile> object =
      llvm::yaml::yaml2ObjectFile(storage, yaml, [](const llvm::Twine& message) { FAIL_CHECK(message.str()); });
  REQUIRE(object != nullptr);
  return Image::from_bytes("test.elf", {reinterpret_cast<const std::uint8_t*>(storage.data()), storage.size()});
}

std::string hex_words(const std::vector<std::uint32_t>& words) {
  std::string hex;
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) hex += fmt::format("{:02x}", word >> shift & 0xff);
  }
  return '"' + hex + '"';
}

std::unique_ptr<Image> loongarch64_image(const std::vector<std::uint32_t>& words) {
  return kernel("ELFCLASS64", text_address, words);
}

std::unique_ptr<Image> loongarch32_image(const std::vector<std::uint32_t>& words) {
  return kernel("ELFCLASS32", text_address_32, words);
}

Insn lift64(std::uint32_t word) {
  const std::unique_ptr<Image> image = loongarch64_image({word});
  return Decoder(*image).decode(text_address);
}

Insn lift32(std::uint32_t word) {
  const std::unique_ptr<Image> image = loongarch32_image({word});
  return Decoder(*image).decode(text_address_32);
}

Place place(std::string_view name) {
  const std::vector<PlaceInfo>& places = loongarch64().facts().places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].name == name) return static_cast<Place>(i);
  }
  FAIL("no place of that name: " << std::string(name));
  return no_place;
}

Machine& Machine::set(std::string_view name, std::uint64_t value) {
  places_[place(name)] = value;
  return *this;
}

Machine& Machine::write(std::uint64_t address, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) memory_[address + i] = value >> (8 * i) & 0xff;
  return *this;
}

Machine::Value Machine::operator[](std::string_view name) const { return value(Operand::reg(place(name))); }

bool Machine::was_clobbered(std::string_view name) const {
  const auto found = places_.find(place(name));
  return found != places_.end() && !found->second;
}

Machine::Value Machine::value(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::none:
      return std::nullopt;
    case Operand::Kind::imm:
      return operand.imm;
    case Operand::Kind::place: {
      if (operand.index == 0) return 0;
      const auto found = places_.find(operand.index);
      return found == places_.end() ? Value() : found->second;
    }
    case Operand::Kind::temp: {
      const auto found = temporaries_.find(operand.index);
      return found == temporaries_.end() ? Value() : found->second;
    }
  }
  return std::nullopt;
}

Machine::Value Machine::read(std::uint64_t address, unsigned width) const {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < width; ++i) {
    const auto found = memory_.find(address + i);
    if (found == memory_.end() || !found->second) return std::nullopt;
    result |= *found->second << (8 * i);
  }
  return result;
}

std::uint64_t Machine::low(std::uint64_t value, unsigned bytes) const {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

Machine::Value Machine::compute(const MicroOp& op) const {
  const Value left = value(op.a);
  if (op.op == Op::clobber || !left) return std::nullopt;
  const std::uint64_t a = *left;
  const std::uint64_t field = op.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << op.bits) - 1;
  switch (op.op) {
    case Op::set:
      return a;
    case Op::not_:
      return low(~a, op.width);
    case Op::extract:
      return a >> op.lsb & field;
    case Op::sext:
      return low(sign_extended(a, op.bits), register_bytes_);
    case Op::zext:
      return a & field;
    case Op::load:
      return read(a, op.width);
    default:
      break;
  }
  const Value right = value(op.b);
  if (!right) return std::nullopt;
  const std::uint64_t b = *right;
  const unsigned bits = op.width * 8;
  const std::uint64_t narrow = low(a, op.width);
  switch (op.op) {
    case Op::add:
      return low(a + b, op.width);
    case Op::sub:
      return low(a - b, op.width);
    case Op::and_:
      return low(a & b, op.width);
    case Op::or_:
      return low(a | b, op.width);
    case Op::xor_:
      return low(a ^ b, op.width);
    case Op::mul:
      return low(a * b, op.width);
    case Op::shl:
      return low(a << b, op.width);
    case Op::shr:
      return narrow >> b;
    case Op::sar:
      return low(static_cast<std::uint64_t>(static_cast<std::int64_t>(sign_extended(a, bits)) >> b), op.width);
    case Op::ror:
      return b == 0 ? narrow : low(narrow >> b | narrow << (bits - b), op.width);
    case Op::insert:
      return (a & ~(field << op.lsb)) | (b & field) << op.lsb;
    default:
      FAIL("no LoongArch instruction has this micro-operation");
      return std::nullopt;
  }
}

Machine& Machine::run(const Insn& insn) {
  temporaries_.clear();
  for (const MicroOp& op : insn.ops) {
    if (op.op == Op::store) {
      const Value where = value(op.a);
      REQUIRE(where);
      const Value what = value(op.b);
      for (unsigned i = 0; i < op.width; ++i) memory_[*where + i] = what ? Value(*what >> (8 * i) & 0xff) : Value();
      continue;
    }
    const Value result = compute(op);
    if (op.dst.kind == Operand::Kind::place) {
      CHECK(op.dst.index != 0);
      places_[op.dst.index] = result;
    } else {
      REQUIRE(op.dst.kind == Operand::Kind::temp);
      REQUIRE(op.dst.index < 16);
      temporaries_[op.dst.index] = result;
    }
  }
  return *this;
}

}  // namespace trapline::test
