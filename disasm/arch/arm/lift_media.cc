// SPDX-License-Identifier: Apache-2.0
//
// Multiplies and the media instructions (ARM ARM DDI 0406, A5.2.5, A5.2.7, A5.4). Most results are not followed: what
// matters on an entry path are bit fields and extensions.
#include "disasm/arch/arm/bits.h"
#include "disasm/arch/arm/lift.h"

namespace trapline::arm_arch {

// cond 0000 op S Rd Ra Rm 1001 Rn
void Lifter::multiply() {
  const unsigned what = bits(w_, 23, 21);
  const Operand rd = reg(bits(w_, 19, 16));
  const Operand ra = reg(bits(w_, 15, 12));
  const Operand rm = reg(bits(w_, 11, 8));
  const Operand rn = reg(bits(w_, 3, 0));
  other();
  const bool s = bit(w_, 20);
  switch (what) {
    case 0:
      op(Op::mul, rd, rn, rm);
      break;  // mul
    case 1:
    case 3: {  // mla, mls
      const Operand product = temp();
      op(Op::mul, product, rn, rm);
      what == 1 ? op(Op::add, rd, product, ra) : op(Op::sub, rd, ra, product);
      break;
    }
    default:  // umaal, umull, umlal, smull, smlal: RdHi in bits 19 to 16, RdLo in bits 15 to 12
      clobber(rd);
      clobber(ra);
      if (s) clobber_flags();
      return;
  }
  if (s && what < 2) op(Op::test, Operand::reg(flags), rd);
}

// smlaxy, smulwy, smlawy, smlalxy, smulxy: cond 0001 0 op 0 Rd Ra Rm 1 M N 0 Rn
void Lifter::halfword_multiply() {
  other();
  clobber(reg(bits(w_, 19, 16)));
  if (bits(w_, 22, 21) == 2) clobber(reg(bits(w_, 15, 12)));  // smlalxy writes both halves
}

void Lifter::bit_field() {
  // cond 0111 1 op widthm1|msb Rd lsb .01 Rn
  const Operand rd = reg(bits(w_, 15, 12));
  const unsigned rn = bits(w_, 3, 0);
  const unsigned lsb = bits(w_, 11, 7);
  const unsigned high = bits(w_, 20, 16);
  if (bits(w_, 22, 21) == 2) {  // bfi, bfc
    if (high < lsb) return;     // unpredictable
    other();
    return field(Op::insert, rd, rd, rn == 15 ? Operand::value(0) : reg(rn), lsb, high - lsb + 1);
  }
  if (lsb + high + 1 > 32) return;  // unpredictable
  other();
  field(Op::extract, rd, reg(rn), {}, lsb, high + 1);
  if (!bit(w_, 22)) field(Op::sext, rd, rd, {}, 0, high + 1);  // sbfx
}

// sxtb, sxth, uxtb, uxth and the forms that add: cond 0110 1 op Rn Rd rotate 00 0111 Rm
void Lifter::extend() {
  const unsigned what = bits(w_, 22, 20);
  const unsigned rn = bits(w_, 19, 16);
  const Operand rd = reg(bits(w_, 15, 12));
  const unsigned rotate = 8 * bits(w_, 11, 10);
  other();
  if ((what & 3) < 2) return clobber(rd);  // the 16-bit pairs
  const unsigned width = (what & 3) == 2 ? 8 : 16;
  Operand source = reg(bits(w_, 3, 0));
  if (rotate != 0) {
    const Operand turned = temp();
    op(Op::ror, turned, source, Operand::value(rotate));
    source = turned;
  }
  const Operand result = rn == 15 ? rd : temp();
  field(what < 4 ? Op::sext : Op::zext, result, source, {}, 0, width);
  if (rn != 15) op(Op::add, rd, reg(rn), result);
}

// cond 011 op1 .... .... .... op2 1 .... (A5.4)
void Lifter::media() {
  const unsigned op1 = bits(w_, 24, 20);
  const unsigned op2 = bits(w_, 7, 5);
  if (op1 == 0x1f && op2 == 7) return trap();                      // udf: BUG()
  if (op1 >= 0x1a && (op2 & 3) == 2) return bit_field();           // sbfx, ubfx
  if ((op1 & 0x1e) == 0x1c && (op2 & 3) == 0) return bit_field();  // bfi, bfc
  if ((op1 & 0x18) == 0x08 && op2 == 3 && (op1 & 3) != 1) return extend();
  // Everything else computes something into Rd, bits 15 to 12 or (multiplies, divides) 19 to 16.
  other();
  if ((op1 & 0x18) == 0x10 || op1 == 0x18) {
    clobber(reg(bits(w_, 19, 16)));
    if ((op1 & 0x1c) == 0x14 && op1 == 0x14) clobber(reg(bits(w_, 15, 12)));  // smlald, smlsld
    return;
  }
  clobber(reg(bits(w_, 15, 12)));
}

}  // namespace trapline::arm_arch
