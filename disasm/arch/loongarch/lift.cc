// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/loongarch/lift.h"

#include <llvm/BinaryFormat/ELF.h>

#include <charconv>

#include "disasm/arch/loongarch/regs.h"

namespace trapline::loongarch {
namespace {

// The place that LLVM's register name means ("R12", "FCC0"), or no_place.
Place place_of(std::string_view name) {
  const auto number = [&](std::string_view prefix, unsigned count) -> std::optional<unsigned> {
    if (!name.starts_with(prefix)) return std::nullopt;
    unsigned n = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, n);
    if (error != std::errc{} || stop != end || n >= count) return std::nullopt;
    return n;
  };
  if (const auto n = number("R", gpr_count)) return gpr(*n);
  if (const auto n = number("FCC", fcc_count)) return fcc(*n);
  return no_place;
}

}  // namespace

Insn lift(const Image& image, const Decoded& decoded, unsigned register_bytes) {
  return Lifter(image, decoded, register_bytes).run();
}

Lifter::Lifter(const Image& image, const Decoded& decoded, unsigned register_bytes)
    : image_(image), decoded_(decoded), register_bytes_(register_bytes), e_{decoded.word} {}

Insn Lifter::run() {
  insn_.address = decoded_.address;
  insn_.size = decoded_.size;
  insn_.word = decoded_.word;
  if (!decoded_.valid) {
    insn_.size = 4;
    return insn_;
  }
  insn_.flow = Flow::next;
  insn_.cls = InsnClass::other;
  if (const Opcode* const row = find_opcode(e_.word)) {
    (this->*row->handle)(*row);
  } else {
    fallback();
  }
  return insn_;
}

// Vector arithmetic, binary translation, what a later manual adds: LLVM's description is all that is known. Where it
// claims both a load and a store it means "has side effects".
void Lifter::fallback() {
  for (const std::string_view name : decoded_.defs) {
    const Place place = place_of(name);
    if (place != no_place && place != zero) emit(Op::clobber, Operand::reg(place), {});
  }
  if (decoded_.may_affect_flow) {
    insn_.flow = Flow::unknown;
    insn_.cls = InsnClass::unknown;
    return;
  }
  if (decoded_.may_load && !decoded_.may_store) {
    klass(InsnClass::load);
    insn_.memory.loads = true;
    insn_.memory.registers_loaded = 1;
  } else if (decoded_.may_store && !decoded_.may_load) {
    klass(InsnClass::store);
    insn_.memory.stores = true;
    insn_.memory.registers_stored = 1;
  }
}

Operand Lifter::constant(std::int64_t v) const {
  const auto bits = static_cast<std::uint64_t>(v);
  return Operand::value(register_bytes_ == 4 ? bits & 0xffffffff : bits);
}

void Lifter::emit(Op op, Operand dst, Operand a, Operand b, unsigned width, unsigned lsb, unsigned bits) {
  insn_.ops.push_back({.op = op,
                       .width = width == 0 ? register_width() : static_cast<std::uint8_t>(width),
                       .lsb = static_cast<std::uint8_t>(lsb),
                       .bits = static_cast<std::uint8_t>(bits),
                       .dst = dst,
                       .a = a,
                       .b = b});
}

Operand Lifter::compute_to_temporary(Op op, Operand a, Operand b, unsigned width) {
  const Operand result = temporary();
  emit(op, result, a, b, width);
  return result;
}

void Lifter::set(unsigned r, Operand value) {
  if (r != zero) emit(Op::set, source(r), value);
}

void Lifter::clobber(unsigned r) {
  if (r != zero) emit(Op::clobber, source(r), {});
}

void Lifter::set_result(unsigned r, Operand value, unsigned width) {
  if (r == zero) return;
  if (width < register_bytes_) {
    emit(Op::sext, source(r), value, {}, 0, 0, width * 8);
  } else {
    set(r, value);
  }
}

void Lifter::result(Op op, Operand a, Operand b, unsigned width) {
  if (e_.rd() == zero) return;
  if (width >= register_bytes_) return emit(op, source(e_.rd()), a, b);
  set_result(e_.rd(), compute_to_temporary(op, a, b, width), width);
}

Operand Lifter::low_bits(Operand value, unsigned bits, Op extension) {
  if (bits >= register_bytes_ * 8) return value;
  const Operand result = temporary();
  emit(extension, result, value, {}, 0, 0, bits);
  return result;
}

std::optional<std::uint64_t> Lifter::fix(std::uint32_t type) const {
  for (const Decoded::Fix& f : decoded_.fixes) {
    if (f.type == type) return f.target;
  }
  return std::nullopt;
}

// The symbol whose low 12 bits the linker puts into the immediate of an instruction that completes an address.
// With PCADD_LO12 the relocation names the instruction that forms the upper part; its own relocation names the symbol.
std::optional<std::uint64_t> Lifter::low_part_fix() const {
  if (const auto symbol = fix(llvm::ELF::R_LARCH_PCALA_LO12)) return symbol;
  const auto upper = fix(llvm::ELF::R_LARCH_PCADD_LO12);
  if (!upper) return std::nullopt;
  for (const Relocation& relocation : image_.relocations_at(*upper, 4)) {
    if (relocation.type == llvm::ELF::R_LARCH_PCADD_HI20) return relocation.target;
  }
  return std::nullopt;
}

}  // namespace trapline::loongarch
