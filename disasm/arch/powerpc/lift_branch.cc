// SPDX-License-Identifier: Apache-2.0
//
// Branches (Power ISA 3.1 Book I chapter 2), system calls and exception returns (Book III chapter 4), traps.
#include "disasm/arch/powerpc/builder.h"
#include "disasm/arch/powerpc/lift.h"
#include "disasm/arch/powerpc/relocate.h"

namespace trapline::ppc {
namespace {

// BO, bit 0 the most significant of five: 0: do not look at the condition; 1: the condition that is wanted;
// 2: do not count; 3: wanted is CTR = 0; 4: hint.
struct BranchOptions {
  unsigned bo;
  bool tests_condition() const { return (bo & 16) == 0; }
  bool wants_true() const { return (bo & 8) != 0; }
  bool counts() const { return (bo & 4) == 0; }
  bool wants_zero() const { return (bo & 2) != 0; }
};

Predicate condition_predicate(unsigned bi, bool wants_true) {
  Predicate p;
  const Place field = cr(bi >> 2);
  switch (bi & 3) {
    case 0:
      p.rel = wants_true ? Rel::lt : Rel::ge;
      break;
    case 1:
      p.rel = wants_true ? Rel::gt : Rel::le;
      break;
    case 2:
      p.rel = wants_true ? Rel::eq : Rel::ne;
      break;
    default:  // summary overflow: known to nobody, but the same question about the same field has the same answer
      p.rel = wants_true ? Rel::opaque : Rel::opaque_not;
      p.a = Operand::reg(field);
      p.tag = 3;
      return p;
  }
  p.flags = field;
  return p;
}

// Fills Insn::when from BO and BI, and counts CTR down. The count happens whether or not the branch is taken.
void condition(Builder& b) {
  const BranchOptions options{b.e.bo()};
  if (options.counts()) b.op(Op::sub, Operand::reg(ctr), Operand::reg(ctr), Operand::value(1));
  if (options.tests_condition() && options.counts()) {
    // Both at once: no single relation says it, and the counter differs each time.
    b.op(Op::clobber, Operand::tmp(15));
    Predicate p;
    p.rel = Rel::opaque;
    p.a = Operand::tmp(15);
    p.tag = static_cast<std::uint8_t>(b.e.bo());
    b.insn.when = p;
  } else if (options.tests_condition()) {
    b.insn.when = condition_predicate(b.e.bi(), options.wants_true());
  } else if (options.counts()) {
    Predicate p;
    p.rel = options.wants_zero() ? Rel::eq : Rel::ne;
    p.a = Operand::reg(ctr);
    p.b = Operand::value(0);
    p.width = b.width;
    b.insn.when = p;
  }
}

// The address behind a link-setting branch. A call that is stepped over loses it again; bcl 20,31 to learn the own
// address does not.
void set_link(Builder& b) {
  b.insn.sets_link = b.e.lk();
  if (b.e.lk()) b.op(Op::set, Operand::reg(lr), Operand::value(b.decoded.address + 4));
}

void direct(Builder& b, std::int64_t displacement) {
  const std::uint64_t here = b.decoded.address;
  const std::uint64_t encoded =
      b.e.aa() ? static_cast<std::uint64_t>(displacement) : here + static_cast<std::uint64_t>(displacement);
  b.insn.target = branch_target(b, b.width == 4 ? encoded & 0xffffffff : encoded);
  set_link(b);
  b.insn.flow = b.e.lk() ? Flow::call : Flow::jump;
  b.cls(b.e.lk() ? InsnClass::call : InsnClass::branch);
  if (b.insn.flow == Flow::jump && !b.insn.when && b.insn.target == here) b.insn.flow = Flow::halt;
}

void indirect(Builder& b, Place through) {
  b.insn.jump_to = Operand::reg(through);
  if (b.e.lk()) {
    b.insn.flow = Flow::indirect_call;
    b.cls(InsnClass::call);
    if (through == lr) {  // blrl: the old link register is the target, the new one the return address
      b.op(Op::set, Operand::tmp(14), Operand::reg(lr));
      b.insn.jump_to = Operand::tmp(14);
    }
    set_link(b);
  } else if (through == lr && b.e.bh() == 0) {  // BH other than 0: "not a subroutine return"
    b.insn.flow = Flow::ret;
    b.cls(InsnClass::ret);
  } else {
    b.insn.flow = Flow::indirect_jump;
    b.cls(InsnClass::branch);
  }
}

void exception_return(Builder& b, Place address, Place status) {
  b.insn.flow = Flow::exception_return;
  b.cls(InsnClass::ret);
  b.insn.status = status;
  b.insn.returns_by = status == no_place ? ReturnsBy::none : ReturnsBy::status;
  if (address != no_place) b.insn.jump_to = Operand::reg(address);
}

bool lift_xl(Builder& b) {
  switch (b.e.xo()) {
    case 16:
      condition(b);
      indirect(b, lr);
      return true;
    case 528:
      condition(b);
      indirect(b, ctr);
      return true;
    case 560:
      condition(b);
      indirect(b, tar);
      return true;
    case 18:
      exception_return(b, srr0, srr1);
      return true;  // rfid
    case 50:
      exception_return(b, srr0, srr1);
      return true;  // rfi
    case 82:
      exception_return(b, lr, ctr);
      return true;  // rfscv: LR and CTR are the return state
    case 274:
      exception_return(b, hsrr0, hsrr1);
      return true;  // hrfid
    case 51:
      exception_return(b, csrr0, csrr1);
      return true;  // rfci
    case 39:
      exception_return(b, dsrr0, dsrr1);
      return true;  // rfdi
    case 38:
      exception_return(b, mcsrr0, mcsrr1);
      return true;  // rfmci
    case 102:
    case 306:
      exception_return(b, no_place, no_place);
      return true;  // rfgi, urfid
    case 146:       // rfebb: a user program's return from an event-based branch
      b.insn.flow = Flow::indirect_jump;
      b.cls(InsnClass::branch);
      return true;
    default:
      return false;
  }
}

// sc comes back; what it changes is the Linux system call ABI (Documentation/arch/powerpc/syscall64-abi.rst). For
// the hypercalls of the kernel (sc 1) the PAPR promises no less than that.
void system_call(Builder& b, bool vectored) {
  b.insn.flow = Flow::syscall;
  b.cls(InsnClass::system);
  for (unsigned n = 3; n <= 12; ++n) b.clobber(gpr(n));
  b.clobber({r0, ctr, xer, cr(0)});
  if (vectored || b.e.field(20, 26) != 0) b.clobber({cr(1), cr(5), cr(6), cr(7)});
  if (vectored) b.clobber(lr);
}

// A trap on a condition is an assertion (BUG_ON, WARN_ON: `tdnei rX,0`): a path goes on where it does not fire, and
// where a WARN fires it comes back, so the instruction falls through. One that always fires is a BUG or a WARN.
void trap(Builder& b, bool same_register) {
  const unsigned to = b.e.to();
  const bool always = (to & 0x1c) == 0x1c || (to & 7) == 7 || (same_register && (to & 4) != 0);
  b.insn.flow = always && !trap_is_warning(b.image, b.decoded.address) ? Flow::trap : Flow::next;
  b.cls(InsnClass::other);
}

}  // namespace

bool lift_branch(Builder& b) {
  switch (b.e.opcd()) {
    case 2:
    case 3:
      trap(b, false);
      return true;
    case 16:
      condition(b);
      direct(b, b.e.bd());
      return true;
    case 17:
      system_call(b, b.e.field(30, 31) == 1);
      return true;
    case 18:
      direct(b, b.e.li());
      return true;
    case 19:
      return lift_xl(b);
    case 31:
      if (b.e.xo() != 4 && b.e.xo() != 68) return false;
      trap(b, b.e.ra() == b.e.rb());
      return true;
    default:
      return false;
  }
}

}  // namespace trapline::ppc
