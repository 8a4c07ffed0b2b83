// SPDX-License-Identifier: Apache-2.0
//
// Thumb encodings of 16 bits (ARM ARM DDI 0406, A6.2), and IT blocks.
//
// An IT instruction makes the one to four instructions behind it conditional; their own encodings do not say so. The
// lifter sees one instruction at a time, so it looks for the IT instruction in the bytes above.
#include <algorithm>

#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

namespace {

std::optional<std::uint16_t> halfword(const Image& image, std::uint64_t address) {
  const std::span<const std::uint8_t> bytes = image.bytes_at(address);
  if (bytes.size() < 2) return std::nullopt;
  const bool little = image.elf().little_endian || (image.elf().flags & ef_arm_be8) != 0;
  return static_cast<std::uint16_t>(little ? bytes[1] << 8 | bytes[0] : bytes[0] << 8 | bytes[1]);
}

bool is_wide(std::uint16_t first) { return bits(first, 15, 11) >= 0x1d; }

bool is_it(std::uint16_t h) { return bits(h, 15, 8) == 0xbf && bits(h, 3, 0) != 0; }

// Where the code that holds `address` is known to start with an instruction: a symbol or a mapping symbol.
std::uint64_t known_start(const Image& image, std::uint64_t address) {
  std::uint64_t start = 0;
  if (const Symbol* symbol = image.enclosing_symbol(address)) start = symbol->address & ~std::uint64_t{1};
  const std::span<const Symbol> marks = image.mapping_symbols();
  const auto above = std::upper_bound(marks.begin(), marks.end(), address,
                                      [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  if (above != marks.begin()) start = std::max(start, std::prev(above)->address);
  if (const Section* section = image.section_at(address)) start = std::max(start, section->address);
  return start;
}

// Is `candidate`, whose halfword looks like IT, the start of an instruction?
bool starts_instruction(const Image& image, std::uint64_t candidate) {
  std::uint64_t at = known_start(image, candidate);
  while (at < candidate) {
    const std::optional<std::uint16_t> h = halfword(image, at);
    if (!h) return false;
    at += is_wide(*h) ? 4 : 2;
  }
  return at == candidate;
}

}  // namespace

std::optional<unsigned> it_condition(const Image& image, std::uint64_t address) {
  // At most three instructions of four bytes stand between an IT and the last one it rules.
  for (std::uint64_t back = 2; back <= 14 && back <= address; back += 2) {
    const std::uint64_t candidate = address - back;
    const std::optional<std::uint16_t> it = halfword(image, candidate);
    if (!it) break;
    if (!is_it(*it) || !starts_instruction(image, candidate)) continue;
    const unsigned mask = bits(*it, 3, 0);
    const unsigned length = 4 - static_cast<unsigned>(std::countr_zero(mask));
    std::uint64_t at = candidate + 2;
    unsigned index = 0;
    while (at < address) {
      const std::optional<std::uint16_t> h = halfword(image, at);
      if (!h) return std::nullopt;
      at += is_wide(*h) ? 4 : 2;
      ++index;
    }
    if (at != address || index >= length) return std::nullopt;
    const unsigned first = bits(*it, 7, 4);
    if (index == 0) return first;
    // Bit 3 rules the second instruction, bit 2 the third, bit 1 the fourth: it replaces the condition's lowest bit.
    return (first & 0xe) | (mask >> (4 - index) & 1);
  }
  return std::nullopt;
}

void Lifter::thumb16(std::uint16_t h) {
  switch (bits(h, 15, 12)) {
    case 0:
    case 1:
      return thumb16_shift_add(h);
    case 2:
    case 3: {
      // 001 op Rdn imm8: mov, cmp, add, sub
      static constexpr Alu ops[] = {Alu::mov, Alu::cmp, Alu::add, Alu::sub};
      const unsigned rdn = bits(h, 10, 8);
      return alu(ops[bits(h, 12, 11)], !in_it_block_, rdn, rdn, Operand::value(bits(h, 7, 0)));
    }
    case 4:
      if (bit(h, 11)) {  // ldr Rt, [pc, #imm8 * 4]
        return transfer({.load = true,
                         .rt = static_cast<std::uint8_t>(bits(h, 10, 8)),
                         .rn = 15,
                         .offset = Operand::value(4 * bits(h, 7, 0))});
      }
      return bit(h, 10) ? thumb16_special(h) : thumb16_data(h);
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
      return thumb16_load_store(h);
    case 10: {
      // 1010 S Rd imm8: adr, add Rd, sp, #imm8 * 4
      const Operand base = bit(h, 11) ? reg(13) : Operand::value(literal(0));
      other();
      return sum(reg(bits(h, 10, 8)), base, Operand::value(4 * bits(h, 7, 0)));
    }
    case 11:
      return thumb16_misc(h);
    case 12: {
      // 1100 L Rn list: ldm writes the base back unless it is in the list
      Block b{.load = bit(h, 11),
              .rn = static_cast<std::uint8_t>(bits(h, 10, 8)),
              .list = static_cast<std::uint16_t>(bits(h, 7, 0))};
      b.writeback = !b.load || !bit(b.list, b.rn);
      return block(b);
    }
    default:
      return thumb16_branch(h);
  }
}

void Lifter::thumb16_shift_add(std::uint16_t h) {
  const unsigned rd = bits(h, 2, 0);
  const unsigned rn = bits(h, 5, 3);
  if (bits(h, 12, 11) != 3) {  // 000 type imm5 Rm Rd
    return alu(Alu::mov, !in_it_block_, rd, 0, shifted(rn, bits(h, 12, 11), bits(h, 10, 6)));
  }
  // 00011 I op Rm|imm3 Rn Rd
  const Operand b = bit(h, 10) ? Operand::value(bits(h, 8, 6)) : reg(bits(h, 8, 6));
  alu(bit(h, 9) ? Alu::sub : Alu::add, !in_it_block_, rd, rn, b);
}

// 010000 op Rm Rdn
void Lifter::thumb16_data(std::uint16_t h) {
  const unsigned rdn = bits(h, 2, 0);
  const unsigned rm = bits(h, 5, 3);
  const bool s = !in_it_block_;
  static constexpr Alu plain[] = {Alu::and_, Alu::eor, Alu::mov, Alu::mov, Alu::mov, Alu::adc, Alu::sbc, Alu::mov,
                                  Alu::tst,  Alu::rsb, Alu::cmp, Alu::cmn, Alu::orr, Alu::mov, Alu::bic, Alu::mvn};
  const unsigned what = bits(h, 9, 6);
  switch (what) {
    case 2:
      return alu(Alu::mov, s, rdn, 0, shifted_by_register(rdn, 0, rm));
    case 3:
      return alu(Alu::mov, s, rdn, 0, shifted_by_register(rdn, 1, rm));
    case 4:
      return alu(Alu::mov, s, rdn, 0, shifted_by_register(rdn, 2, rm));
    case 7:
      return alu(Alu::mov, s, rdn, 0, shifted_by_register(rdn, 3, rm));
    case 9:
      return alu(Alu::rsb, s, rdn, rm, Operand::value(0));
    case 13:
      other();
      op(Op::mul, reg(rdn), reg(rdn), reg(rm));
      return s ? op(Op::test, Operand::reg(flags), reg(rdn)) : void();
    default:
      return alu(plain[what], s, rdn, rdn, reg(rm));
  }
}

// 010001 op D Rm Rdn: add, cmp, mov of any register, bx, blx
void Lifter::thumb16_special(std::uint16_t h) {
  const unsigned rm = bits(h, 6, 3);
  const unsigned rdn = (bit(h, 7) ? 8u : 0u) | bits(h, 2, 0);
  switch (bits(h, 9, 8)) {
    case 0:
      return alu(Alu::add, false, rdn, rdn, read(rm));
    case 1:
      return alu(Alu::cmp, true, 0, rdn, read(rm));
    case 2:
      if (rdn == 15 && rm != 15) return jump_to(reg(rm), rm == 14);
      return alu(Alu::mov, false, rdn, 0, read(rm));
    default:
      if (bit(h, 7)) return call_to(read(rm));
      // bx pc goes to the ARM instruction at the next word
      return rm == 15 ? jump(literal(0)) : jump_to(reg(rm), rm == 14);
  }
}

void Lifter::thumb16_load_store(std::uint16_t h) {
  Transfer t;
  t.rt = static_cast<std::uint8_t>(bits(h, 2, 0));
  t.rn = static_cast<std::uint8_t>(bits(h, 5, 3));
  if (bits(h, 15, 12) == 5) {
    // 0101 op Rm Rn Rt: str, strh, strb, ldrsb, ldr, ldrh, ldrb, ldrsh
    static constexpr std::uint8_t widths[] = {4, 2, 1, 1, 4, 2, 1, 2};
    const unsigned what = bits(h, 11, 9);
    t.load = what >= 3;
    t.sign = what == 3 || what == 7;
    t.width = widths[what];
    t.offset = reg(bits(h, 8, 6));
    return transfer(t);
  }
  t.load = bit(h, 11);
  const unsigned imm5 = bits(h, 10, 6);
  switch (bits(h, 15, 12)) {
    case 6:
      t.offset = Operand::value(4 * imm5);
      break;
    case 7:
      t.width = 1;
      t.offset = Operand::value(imm5);
      break;
    case 8:
      t.width = 2;
      t.offset = Operand::value(2 * imm5);
      break;
    default:  // 1001 L Rt imm8, from the stack pointer
      t.rt = static_cast<std::uint8_t>(bits(h, 10, 8));
      t.rn = 13;
      t.offset = Operand::value(4 * bits(h, 7, 0));
  }
  transfer(t);
}

// 1011 .... (A6.2.5)
void Lifter::thumb16_misc(std::uint16_t h) {
  const unsigned rm = bits(h, 5, 3);
  const Operand rd = reg(bits(h, 2, 0));
  switch (bits(h, 11, 8)) {
    case 0:
      return thumb16_adjust_sp(h);
    case 1:
    case 3:
    case 9:
    case 11: {  // cbz, cbnz
      Predicate p{.rel = bit(h, 11) ? Rel::ne : Rel::eq, .a = rd, .b = Operand::value(0), .width = 4};
      out_.when = p;
      return jump(branch_target((bit(h, 9) ? 64 : 0) + 2 * bits(h, 7, 3)));
    }
    case 2: {  // sxth, sxtb, uxth, uxtb
      other();
      return field(bit(h, 7) ? Op::zext : Op::sext, rd, reg(rm), {}, 0, bit(h, 6) ? 8 : 16);
    }
    case 4:
    case 5:
      return block({.load = false,
                    .rn = 13,
                    .list = static_cast<std::uint16_t>(bits(h, 7, 0) | (bit(h, 8) ? 0x4000u : 0u)),
                    .before = true,
                    .up = false,
                    .writeback = true});
    case 6:
      if (bits(h, 7, 5) == 2) return other();  // setend
      return bits(h, 7, 5) == 3 ? change_processor_state(true, bit(h, 4) ? 3 : 2, bit(h, 1), false, 0) : void();
    case 10:
      if (bits(h, 7, 6) == 2) return trap();  // hlt
      other();
      return clobber(rd);  // rev, rev16, revsh
    case 12:
    case 13:
      return block({.load = true,
                    .rn = 13,
                    .list = static_cast<std::uint16_t>(bits(h, 7, 0) | (bit(h, 8) ? 0x8000u : 0u)),
                    .writeback = true});
    case 14:
      return trap();  // bkpt
    case 15:
      return bits(h, 3, 0) != 0 ? other() : hint(bits(h, 7, 4));  // it
    default:
      return;
  }
}

// 1011 0000 op imm7
void Lifter::thumb16_adjust_sp(std::uint16_t h) {
  alu(bit(h, 7) ? Alu::sub : Alu::add, false, 13, 13, Operand::value(4 * bits(h, 6, 0)));
}

void Lifter::thumb16_branch(std::uint16_t h) {
  if (bits(h, 15, 11) == 0x1c) return jump(branch_target(2 * sign_extend(bits(h, 10, 0), 11)));
  const unsigned cond = bits(h, 11, 8);
  if (cond == 14) return trap();  // udf
  if (cond == 15) {               // svc
    out_.cls = InsnClass::system;
    out_.system = true;
    out_.flow = Flow::syscall;
    return;
  }
  condition(cond);
  jump(branch_target(2 * sign_extend(bits(h, 7, 0), 8)));
}

}  // namespace trapline::arm_arch
