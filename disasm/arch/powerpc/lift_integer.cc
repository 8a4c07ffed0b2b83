// SPDX-License-Identifier: Apache-2.0
//
// Fixed-point arithmetic, logic, rotates and compares (Power ISA 3.1 Book I section 3.3) and the moves between
// condition fields (section 2.5). An instruction that sets CA, OV or SO makes all of XER a value of its own; SO, which
// compares copy into their field, is not followed.
#include "disasm/arch/powerpc/builder.h"
#include "disasm/arch/powerpc/relocate.h"

namespace trapline::ppc {
namespace {

constexpr std::uint16_t t0 = 0, t1 = 1;

void plain(Builder& b) {
  b.insn.flow = Flow::next;
  b.cls(InsnClass::other);
}

// ------------------------------------------------------------------------------------------------- immediates

void add_immediate(Builder& b, bool shifted) {
  plain(b);
  const Immediate d = shifted ? high_immediate(b, b.e.si()) : low_immediate(b, b.e.si());
  const Operand dst = Builder::reg(b.e.rt());
  if (b.e.ra() == 0 || d.absolute)
    b.op(Op::set, dst, Builder::imm(d.value));
  else if (d.value == 0)
    b.op(Op::set, dst, Builder::reg(b.e.ra()));
  else
    b.op(Op::add, dst, Builder::reg(b.e.ra()), Builder::imm(d.value));
}

void logical_immediate(Builder& b, Op op, bool shifted) {
  plain(b);
  std::uint64_t value = b.e.ui();
  if (!b.decoded.fixes.empty())
    value = static_cast<std::uint64_t>(low_immediate(b, static_cast<std::int64_t>(value)).value) & 0xffff;
  if (shifted) {
    value = b.e.ui() << 16;
    if (!b.decoded.fixes.empty())
      value = static_cast<std::uint64_t>(high_immediate(b, static_cast<std::int64_t>(b.e.ui())).value) & 0xffff0000;
  }
  const Operand dst = Builder::reg(b.e.ra()), src = Builder::reg(b.e.rt());
  if (value == 0 && op != Op::and_) {
    if (b.e.ra() != b.e.rt()) return b.op(Op::set, dst, src);
    // A hint that changes nothing: nop (ori 0,0,0), group endings; ori 31,31,0 keeps later instructions from being
    // executed speculatively (barrier_nospec, arch/powerpc/include/asm/barrier.h).
    if (b.decoded.fixes.empty()) b.cls(b.e.word == 0x63ff0000 ? InsnClass::barrier : InsnClass::nop);
    return;
  }
  b.op(op, dst, src, Operand::value(value));
  if (op == Op::and_) b.record(gpr(b.e.ra()));  // andi. and andis. have no form without the record
}

void compare(Builder& b, Operand right, bool is_unsigned) {
  plain(b);
  const std::uint8_t w = b.e.l() ? b.width : 4;
  b.op_width(Op::compare, w, Operand::reg(cr(b.e.bf())), Builder::reg(b.e.ra()), right);
  b.insn.ops.back().bits = is_unsigned ? 1 : 0;
}

// ------------------------------------------------------------------------------------------------- rotates

struct Rotate {
  unsigned left;       // bits to the left
  std::uint64_t mask;  // what is kept
};

// dst = (src rotated left in `size` bits) & mask, as the simplest operation that says it.
void rotate_and_mask(Builder& b, Place to, Operand src, unsigned size, Rotate r) {
  const Operand dst = Operand::reg(to);
  const std::uint8_t w = static_cast<std::uint8_t>(size / 8);
  const std::uint64_t all = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
  if (r.left == 0) {
    if (r.mask == all && w == b.width)
      b.op(Op::set, dst, src);
    else
      b.op(Op::and_, dst, src, Operand::value(r.mask));
    return;
  }
  const unsigned right = size - r.left;
  const std::uint64_t from_shift = (all << r.left) & all;  // bits that a left shift fills
  if ((r.mask & ~from_shift) == 0) {
    b.op_width(Op::shl, w, dst, src, Operand::value(r.left));
    if (r.mask != from_shift) b.op(Op::and_, dst, dst, Operand::value(r.mask));
    return;
  }
  if ((r.mask & from_shift) == 0) {
    const bool low_field = (r.mask & (r.mask + 1)) == 0;
    unsigned bits = 0;
    while (bits < size && (r.mask >> bits) != 0) ++bits;
    b.op_bits(Op::extract, right, bits, dst, src);
    if (!low_field) b.op(Op::and_, dst, dst, Operand::value(r.mask));
    return;
  }
  b.op_width(Op::ror, w, dst, src, Operand::value(right));
  if (r.mask != all) b.op(Op::and_, dst, dst, Operand::value(r.mask));
}

// A 32-bit rotate whose mask wraps around keeps, on a 64-bit machine, the copy of the word in the upper half.
void rotate_word_wrapped(Builder& b, unsigned left, std::uint64_t mask) {
  const Operand src = Builder::reg(b.e.rt()), dst = Builder::reg(b.e.ra());
  b.op_width(Op::ror, 4, Operand::tmp(t0), src, Operand::value((32 - left) & 31));
  b.op(Op::shl, Operand::tmp(t1), Operand::tmp(t0), Operand::value(32));
  b.op(Op::or_, Operand::tmp(t0), Operand::tmp(t0), Operand::tmp(t1));
  b.op(Op::and_, dst, Operand::tmp(t0), Operand::value(mask));
}

void rlwinm(Builder& b) {
  plain(b);
  std::uint64_t mask = mask64(b.e.mb() + 32, b.e.me() + 32);
  if (b.width == 4) mask &= 0xffffffff;
  if (b.width == 8 && b.e.mb() > b.e.me())
    rotate_word_wrapped(b, b.e.sh(), mask);
  else
    rotate_and_mask(b, gpr(b.e.ra()), Builder::reg(b.e.rt()), 32, {b.e.sh(), mask});
  if (b.e.rc()) b.record(gpr(b.e.ra()));
}

// dst = dst with the field [low, low + bits) replaced by the low bits of src rotated right by `right`, in `size` bits.
void insert(Builder& b, unsigned size, unsigned right, unsigned low, unsigned bits) {
  const Operand dst = Builder::reg(b.e.ra());
  Operand field = Builder::reg(b.e.rt());
  if (right != 0) {
    b.op_width(Op::ror, static_cast<std::uint8_t>(size / 8), Operand::tmp(t0), field, Operand::value(right));
    field = Operand::tmp(t0);
  }
  b.op_bits(Op::insert, low, bits, dst, dst, field);
}

void rlwimi(Builder& b) {
  plain(b);
  const unsigned sh = b.e.sh(), mb = b.e.mb(), me = b.e.me();
  if (mb <= me) {
    const unsigned low = 31 - me;
    insert(b, 32, (low + 32 - sh) & 31, low, me - mb + 1);
  } else {
    b.clobber(gpr(b.e.ra()));  // a wrapped mask: nobody writes that
  }
  if (b.e.rc()) b.record(gpr(b.e.ra()));
}

// MD and MDS forms, opcode 30.
bool rotate_double(Builder& b) {
  const unsigned sh = b.e.sh6(), m = b.e.mb6();
  const Operand src = Builder::reg(b.e.rt());
  const Place dst = gpr(b.e.ra());
  switch (b.e.field(27, 29)) {
    case 0:
      rotate_and_mask(b, dst, src, 64, {sh, mask64(m, 63)});
      break;  // rldicl
    case 1:
      rotate_and_mask(b, dst, src, 64, {sh, mask64(0, m)});
      break;  // rldicr
    case 2:   // rldic
      if (m <= 63 - sh) {
        // As a field that is shifted, so that a bound on it (cmplwi, then rldic into a jump table) is found again.
        b.op_bits(Op::zext, 0, 64 - m - sh, Operand::reg(dst), src);
        b.op(Op::shl, Operand::reg(dst), Operand::reg(dst), Operand::value(sh));
      } else {
        rotate_and_mask(b, dst, src, 64, {sh, mask64(m, 63 - sh)});
      }
      break;
    case 3:  // rldimi
      if (m <= 63 - sh)
        insert(b, 64, 0, sh, 64 - m - sh);
      else
        b.clobber(dst);
      break;
    default:
      b.clobber(dst);
      break;  // rldcl, rldcr: by a register
  }
  plain(b);
  if (b.e.rc()) b.record(dst);
  return true;
}

// ------------------------------------------------------------------------------------------------- opcode 31

// Arithmetic in XO form: target RT. False where the extended opcode (without OE) is none.
bool arithmetic(Builder& b) {
  const Operand dst = Builder::reg(b.e.rt()), ra = Builder::reg(b.e.ra()), rb = Builder::reg(b.e.rb());
  bool carries = false;
  switch (b.e.field(22, 30)) {
    case 266:
      b.op(Op::add, dst, ra, rb);
      break;
    case 10:
      b.op(Op::add, dst, ra, rb);
      carries = true;
      break;  // addc
    case 40:
      b.op(Op::sub, dst, rb, ra);
      break;  // subf
    case 8:
      b.op(Op::sub, dst, rb, ra);
      carries = true;
      break;  // subfc
    case 104:
      b.op(Op::sub, dst, Operand::value(0), ra);
      break;  // neg
    case 138:
    case 202:
    case 234:
    case 136:
    case 200:
    case 232:  // adde addze addme subfe subfze subfme
      b.op(Op::clobber, dst);
      carries = true;
      break;
    case 235:  // mullw: the low words, a product of two words
      b.op_bits(Op::sext, 0, 32, Operand::tmp(t0), ra);
      b.op_bits(Op::sext, 0, 32, Operand::tmp(t1), rb);
      b.op(Op::mul, dst, Operand::tmp(t0), Operand::tmp(t1));
      break;
    case 233:
      b.op(Op::mul, dst, ra, rb);
      break;  // mulld
    case 75:
    case 11:
    case 73:
    case 9:  // mulh*
    case 491:
    case 459:
    case 489:
    case 457:
    case 427:
    case 395:
    case 425:
    case 393:  // div*
      b.op(Op::clobber, dst);
      break;
    default:
      return false;
  }
  plain(b);
  if (carries || b.e.bit(21)) b.clobber(xer);
  if (b.e.rc()) b.record(gpr(b.e.rt()));
  return true;
}

// or rx,rx,rx: changes of the program priority and other hints, no operation where the register has no meaning yet
// (Power ISA 3.1 Book II section 3.2).
void move_or_hint(Builder& b) {
  if (b.e.rt() != b.e.ra())
    b.op(Op::set, Builder::reg(b.e.ra()), Builder::reg(b.e.rt()));
  else if (!b.e.rc())
    b.cls(InsnClass::nop);
}

// Logic and shifts in X form: target RA, source RS.
bool logic(Builder& b) {
  const Operand dst = Builder::reg(b.e.ra()), rs = Builder::reg(b.e.rt()), rb = Builder::reg(b.e.rb());
  const Operand t = Operand::tmp(t0);
  auto complemented = [&](Op op) {  // rs op ~rb
    b.op(Op::not_, t, rb);
    b.op(op, dst, rs, t);
  };
  auto complement_of = [&](Op op) {  // ~(rs op rb)
    b.op(op, t, rs, rb);
    b.op(Op::not_, dst, t);
  };
  plain(b);
  switch (b.e.xo()) {
    case 28:
      b.op(Op::and_, dst, rs, rb);
      break;
    case 60:
      complemented(Op::and_);
      break;
    case 444:
      if (b.e.rt() == b.e.rb())
        move_or_hint(b);
      else
        b.op(Op::or_, dst, rs, rb);
      break;
    case 412:
      complemented(Op::or_);
      break;
    case 316:
      if (b.e.rt() == b.e.rb())
        b.op(Op::set, dst, Operand::value(0));
      else
        b.op(Op::xor_, dst, rs, rb);
      break;
    case 476:
      complement_of(Op::and_);
      break;
    case 124:
      complement_of(Op::or_);
      break;
    case 284:
      complement_of(Op::xor_);
      break;
    case 954:
      b.op_bits(Op::sext, 0, 8, dst, rs);
      break;
    case 922:
      b.op_bits(Op::sext, 0, 16, dst, rs);
      break;
    case 986:
      b.op_bits(Op::sext, 0, 32, dst, rs);
      break;
    case 26:
    case 58:
    case 538:
    case 570:
    case 59:  // counts of zeros, cntlzdm
      b.op(Op::clobber, dst);
      break;
    default:
      return false;
  }
  if (b.e.rc()) b.record(gpr(b.e.ra()));
  return true;
}

// Shifts by a register: only the low 6 (words) or 7 bits (doublewords) of the amount count, and half of them give 0.
void shift_by_register(Builder& b, Op op, unsigned size) {
  b.op(Op::and_, Operand::tmp(t0), Builder::reg(b.e.rb()), Operand::value(2 * size - 1));
  if (op == Op::shr && size == 32 && b.width == 8) {
    b.op_bits(Op::zext, 0, 32, Operand::tmp(t1), Builder::reg(b.e.rt()));
    b.op(op, Builder::reg(b.e.ra()), Operand::tmp(t1), Operand::tmp(t0));
  } else {
    b.op_width(op, static_cast<std::uint8_t>(size / 8), Builder::reg(b.e.ra()), Builder::reg(b.e.rt()),
               Operand::tmp(t0));
  }
}

bool shift(Builder& b) {
  const Operand dst = Builder::reg(b.e.ra()), rs = Builder::reg(b.e.rt());
  plain(b);
  switch (b.e.xo()) {
    case 24:
      shift_by_register(b, Op::shl, 32);
      break;
    case 536:
      shift_by_register(b, Op::shr, 32);
      break;
    case 27:
      shift_by_register(b, Op::shl, 64);
      break;
    case 539:
      shift_by_register(b, Op::shr, 64);
      break;
    case 792:
    case 794:
      b.op(Op::clobber, dst);
      b.clobber(xer);
      break;   // sraw, srad
    case 824:  // srawi
      b.op_bits(Op::sext, 0, 32, Operand::tmp(t0), rs);
      b.op(Op::sar, dst, Operand::tmp(t0), Operand::value(b.e.sh()));
      b.clobber(xer);
      break;
    case 826:
    case 827:
      b.op(Op::sar, dst, rs, Operand::value(b.e.sh6()));
      b.clobber(xer);
      break;  // sradi
    case 890:
    case 891:  // extswsli
      b.op_bits(Op::sext, 0, 32, Operand::tmp(t0), rs);
      b.op(Op::shl, dst, Operand::tmp(t0), Operand::value(b.e.sh6()));
      break;
    default:
      return false;
  }
  if (b.e.rc()) b.record(gpr(b.e.ra()));
  return true;
}

// ------------------------------------------------------------------------------------------------- condition fields

// mfcr and mfocrf: a condition field is its four bits; the 64-bit register has CR in its low half.
void move_from_cr(Builder& b) {
  const Operand dst = Builder::reg(b.e.rt()), t = Operand::tmp(t0);
  const bool one_field = b.e.bit(11);
  if (one_field)
    b.op(Op::clobber, t);  // mfocrf leaves the other bits undefined
  else
    b.op(Op::set, t, Operand::value(0));
  for (unsigned n = 0; n < cr_count; ++n)
    if (!one_field || (b.e.fxm() & (0x80u >> n)) != 0) b.op_bits(Op::insert, 28 - 4 * n, 4, t, t, Operand::reg(cr(n)));
  b.op(Op::set, dst, t);
}

void move_to_cr(Builder& b) {
  for (unsigned n = 0; n < cr_count; ++n)
    if ((b.e.fxm() & (0x80u >> n)) != 0)
      b.op_bits(Op::extract, 28 - 4 * n, 4, Operand::reg(cr(n)), Builder::reg(b.e.rt()));
}

bool condition_move(Builder& b) {
  switch (b.e.xo()) {
    case 19:
      move_from_cr(b);
      break;
    case 144:
      move_to_cr(b);
      break;
    case 512:
      b.clobber({cr(b.e.bf()), xer});
      break;  // mcrxr
    case 576:
      b.clobber(cr(b.e.bf()));
      break;  // mcrxrx
    case 192:
    case 224:
      b.clobber(cr(b.e.bf()));
      break;  // cmprb, cmpeqb
    default:
      return false;
  }
  plain(b);
  return true;
}

bool lift_31(Builder& b) {
  if (b.e.xo() == 0 || b.e.xo() == 32) {
    compare(b, Builder::reg(b.e.rb()), b.e.xo() == 32);
    return true;
  }
  return condition_move(b) || logic(b) || shift(b) || arithmetic(b);
}

bool lift_19(Builder& b) {
  plain(b);
  switch (b.e.xo()) {
    case 0:
      b.op(Op::set, Operand::reg(cr(b.e.bf())), Operand::reg(cr(b.e.field(11, 13))));
      return true;  // mcrf
    // One bit of a field is computed from two: the field is a new value.
    case 33:
    case 129:
    case 193:
    case 225:
    case 257:
    case 289:
    case 417:
    case 449:
      b.clobber(cr(b.e.bf()));
      return true;
    default:
      break;
  }
  if (b.e.field(26, 30) != 2) return false;  // addpcis
  const std::int64_t d = sign_extend(b.e.field(16, 25) << 6 | b.e.field(11, 15) << 1 | b.e.field(31, 31), 16);
  b.op(Op::set, Builder::reg(b.e.rt()), Builder::imm(static_cast<std::int64_t>(b.decoded.address) + 4 + d * 65536));
  return true;
}

}  // namespace

bool lift_integer(Builder& b) {
  switch (b.e.opcd()) {
    case 7:
      plain(b);
      b.op(Op::mul, Builder::reg(b.e.rt()), Builder::reg(b.e.ra()), Builder::imm(b.e.si()));
      return true;
    case 8:  // subfic
      plain(b);
      b.op(Op::sub, Builder::reg(b.e.rt()), Builder::imm(b.e.si()), Builder::reg(b.e.ra()));
      b.clobber(xer);
      return true;
    case 10:
      compare(b, Operand::value(b.e.ui()), true);
      return true;
    case 11:
      compare(b, Builder::imm(b.e.si()), false);
      return true;
    case 12:
    case 13:  // addic, addic.: here RA = 0 means r0
      plain(b);
      b.op(Op::add, Builder::reg(b.e.rt()), Builder::reg(b.e.ra()), Builder::imm(b.e.si()));
      b.clobber(xer);
      if (b.e.opcd() == 13) b.record(gpr(b.e.rt()));
      return true;
    case 14:
      add_immediate(b, false);
      return true;
    case 15:
      add_immediate(b, true);
      return true;
    case 19:
      return lift_19(b);
    case 20:
      rlwimi(b);
      return true;
    case 21:
      rlwinm(b);
      return true;
    case 23:  // rlwnm: by a register
      plain(b);
      b.clobber(gpr(b.e.ra()));
      if (b.e.rc()) b.record(gpr(b.e.ra()));
      return true;
    case 24:
      logical_immediate(b, Op::or_, false);
      return true;
    case 25:
      logical_immediate(b, Op::or_, true);
      return true;
    case 26:
      logical_immediate(b, Op::xor_, false);
      return true;
    case 27:
      logical_immediate(b, Op::xor_, true);
      return true;
    case 28:
      logical_immediate(b, Op::and_, false);
      return true;
    case 29:
      logical_immediate(b, Op::and_, true);
      return true;
    case 30:
      return rotate_double(b);
    case 31:
      return lift_31(b);
    default:
      return false;
  }
}

}  // namespace trapline::ppc
