// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/arm/lift.h"

#include <bit>

#include "disasm/arch/arm/bits.h"

namespace trapline::arm_arch {

Lifter::Lifter(const Image& image, const Decoded& decoded, bool thumb)
    : image_(image), in_(decoded), thumb_(thumb), w_(decoded.word) {
  out_.address = decoded.address;
  out_.size = decoded.size;
  out_.word = decoded.word;
  pc_ = decoded.address + (thumb ? 4 : 8);
}

Insn Lifter::run() {
  if (in_.size == 0) return out_;
  if (!in_.valid && !only_before_v8()) return out_;
  if (!thumb_) {
    mode_ = mode_at(image_, in_.address);
    arm();
    finish();
    return out_;
  }
  if (const std::optional<unsigned> cond = it_condition(image_, in_.address)) {
    in_it_block_ = true;
    condition(*cond);
  }
  if (in_.size == 2) {
    thumb16(static_cast<std::uint16_t>(w_));
  } else {
    thumb32();
  }
  finish();
  return out_;
}

// Encodings that LLVM's ARMv8 does not decode, but older processors have: coprocessors 0 to 7 (iWMMXt, older floating
// point) and swp.
bool Lifter::only_before_v8() const {
  if (thumb_ || in_.size != 4) return false;
  const bool coprocessor_space = bits(w_, 27, 26) == 3 && bits(w_, 27, 24) != 0xf;
  const bool swap = (w_ & 0x0fb00ff0) == 0x01000090 && bits(w_, 31, 28) != 0xf;
  return coprocessor_space || swap;
}

// What the decoding left open although LLVM knows it: memory traffic from LLVM's hints, results unknown.
void Lifter::finish() {
  if (out_.flow == Flow::next && in_.may_affect_flow) {
    // The program counter where the manual calls it unpredictable: data, or a word that nobody should execute.
    Insn undecoded;
    undecoded.address = out_.address;
    undecoded.size = out_.size;
    undecoded.word = out_.word;
    out_ = undecoded;
    return;
  }
  if (out_.flow != Flow::unknown || !in_.valid) return;
  fall_back(in_.may_load && in_.may_store ? InsnClass::load_store
            : in_.may_load                ? InsnClass::load
            : in_.may_store               ? InsnClass::store
                                          : InsnClass::other);
}

Operand Lifter::read(unsigned n) const { return n == 15 ? Operand::value(pc_) : reg(n); }

Operand Lifter::temp() { return Operand::tmp(temps_++); }

void Lifter::op(Op what, Operand dst, Operand a, Operand b, unsigned width) {
  MicroOp m;
  m.op = what;
  m.width = static_cast<std::uint8_t>(width);
  m.dst = dst;
  m.a = a;
  m.b = b;
  if (what == Op::test) m.bits = 1;
  out_.ops.push_back(m);
}

void Lifter::field(Op what, Operand dst, Operand a, Operand b, unsigned lsb, unsigned width_in_bits) {
  op(what, dst, a, b);
  out_.ops.back().lsb = static_cast<std::uint8_t>(lsb);
  out_.ops.back().bits = static_cast<std::uint8_t>(width_in_bits);
}

namespace {
bool is_constant(const Operand& o) { return o.kind == Operand::Kind::imm; }
}  // namespace

Operand Lifter::summed(Operand a, Operand b, bool add) {
  if (is_constant(b) && b.imm == 0) return a;
  if (is_constant(a) && is_constant(b)) return Operand::value(add ? a.imm + b.imm : a.imm - b.imm);
  const Operand t = temp();
  sum(t, a, b, add);
  return t;
}

void Lifter::sum(Operand dst, Operand a, Operand b, bool add) {
  if (is_constant(a) && is_constant(b)) {
    set(dst, Operand::value(add ? a.imm + b.imm : a.imm - b.imm));
    return;
  }
  // An internal address may be wider than the machine's (see Image); a sum with one is not cut to four bytes then.
  const bool address = pc_ >> 32 != 0 && ((is_constant(a) && a.imm == pc_) || (is_constant(b) && b.imm == pc_));
  op(add ? Op::add : Op::sub, dst, a, b, address ? 8 : 4);
}

void Lifter::other(InsnClass cls) {
  out_.flow = Flow::next;
  out_.cls = cls;
}

void Lifter::condition(unsigned cond) {
  static constexpr Rel relations[] = {Rel::eq,          Rel::ne,       Rel::geu,         Rel::ltu, Rel::negative,
                                      Rel::nonnegative, Rel::overflow, Rel::no_overflow, Rel::gtu, Rel::leu,
                                      Rel::ge,          Rel::lt,       Rel::gt,          Rel::le};
  if (cond >= 14) return;
  Predicate p;
  p.rel = relations[cond];
  p.flags = flags;
  p.width = 4;
  p.guards_effects = true;
  out_.when = p;
}

// Shift types 0 to 3: LSL, LSR, ASR, ROR; amount as encoded (DecodeImmShift, A8.4.3).
Operand Lifter::shifted(unsigned rm, unsigned type, unsigned amount) {
  const Operand m = read(rm);
  if (type == 0 && amount == 0) return m;
  const Operand t = temp();
  switch (type) {
    case 0:
      op(Op::shl, t, m, Operand::value(amount));
      break;
    case 1:
      if (amount == 0) return Operand::value(0);  // LSR #32
      op(Op::shr, t, m, Operand::value(amount));
      break;
    case 2:
      op(Op::sar, t, m, Operand::value(amount == 0 ? 31 : amount));
      break;  // ASR #32 leaves the sign
    default:
      if (amount == 0) {
        clobber(t);  // RRX takes the carry in
      } else {
        op(Op::ror, t, m, Operand::value(amount));
      }
  }
  return t;
}

Operand Lifter::shifted_by_register(unsigned rm, unsigned type, unsigned rs) {
  static constexpr Op shifts[] = {Op::shl, Op::shr, Op::sar, Op::ror};
  const Operand amount = temp();
  field(Op::extract, amount, read(rs), {}, 0, 8);
  const Operand t = temp();
  op(shifts[type], t, read(rm), amount);
  return t;
}

void Lifter::alu_flags(Alu what, Operand a, Operand b, Operand result) {
  const Operand f = Operand::reg(flags);
  switch (what) {
    case Alu::sub:
    case Alu::cmp:
      op(Op::compare, f, a, b);
      break;
    case Alu::rsb:
      op(Op::compare, f, b, a);
      break;
    case Alu::add:
    case Alu::cmn:
      op(Op::compare_add, f, a, b);
      break;
    case Alu::adc:
    case Alu::sbc:
    case Alu::rsc:
      clobber(f);
      break;
    default:
      op(Op::test, f, result);
      break;
  }
}

void Lifter::alu(Alu what, bool sets_flags, unsigned rd, unsigned rn, Operand b) {
  if (out_.cls == InsnClass::unknown) other();
  const bool unary = what == Alu::mov || what == Alu::mvn;
  const Operand a = unary ? Operand{} : read(rn);
  const bool compares = what == Alu::tst || what == Alu::teq || what == Alu::cmp || what == Alu::cmn;
  if (what == Alu::cmp || what == Alu::cmn) return alu_flags(what, a, b, {});
  const bool arithmetic = what == Alu::sub || what == Alu::rsb || what == Alu::add;
  // Flags come from the operands, which the result may overwrite; for rd = pc the S bit means something else.
  if (sets_flags && arithmetic && rd != 15) alu_flags(what, a, b, {});
  const Operand result = compares || rd == 15 ? temp() : reg(rd);
  switch (what) {
    case Alu::and_:
    case Alu::tst:
      op(Op::and_, result, a, b);
      break;
    case Alu::eor:
    case Alu::teq:
      op(Op::xor_, result, a, b);
      break;
    case Alu::sub:
      sum(result, a, b, false);
      break;
    case Alu::rsb:
      sum(result, b, a, false);
      break;
    case Alu::add:
      sum(result, a, b);
      break;
    case Alu::orr:
      op(Op::or_, result, a, b);
      break;
    case Alu::mov:
      set(result, b);
      break;
    case Alu::mvn:
      op(Op::not_, result, b);
      break;
    case Alu::bic:
    case Alu::orn: {
      Operand inverse = Operand::value(~b.imm & 0xffffffffu);
      if (!is_constant(b)) {
        inverse = temp();
        op(Op::not_, inverse, b);
      }
      op(what == Alu::bic ? Op::and_ : Op::or_, result, a, inverse);
      break;
    }
    default:
      clobber(result);
      break;  // adc, sbc, rsc: the carry is not followed
  }
  if (compares || (sets_flags && !arithmetic && rd != 15)) alu_flags(what, a, b, result);
  if (rd == 15 && !compares) write_result(15, result);
}

// `value` goes to rd. Writing the program counter is a jump.
void Lifter::write_result(unsigned rd, Operand value) {
  if (rd != 15) {
    set(reg(rd), value);
    return;
  }
  jump_to(value, false);
}

void Lifter::load_value(Operand dst, Operand address, unsigned width, bool sign) {
  op(Op::load, dst, address, {}, width);
  if (sign) field(Op::sext, dst, dst, {}, 0, 8 * width);
}

void Lifter::memory_load(unsigned registers, unsigned bytes) {
  out_.memory.loads = true;
  out_.memory.registers_loaded = static_cast<std::uint8_t>(registers);
  out_.memory.bytes_loaded = static_cast<std::uint16_t>(bytes);
}

void Lifter::memory_store(unsigned registers, unsigned bytes) {
  out_.memory.stores = true;
  out_.memory.registers_stored = static_cast<std::uint8_t>(registers);
  out_.memory.bytes_stored = static_cast<std::uint16_t>(bytes);
}

void Lifter::transfer(const Transfer& t) {
  other(t.load ? InsnClass::load : InsnClass::store);
  const bool pair = t.rt2 != Transfer::no_register;
  const unsigned count = pair ? 2 : 1;
  (t.load ? memory_load(count, count * t.width) : memory_store(count, count * t.width));

  Operand base = t.rn == 15 ? Operand::value(pc_ & ~std::uint64_t{3}) : reg(t.rn);
  Operand updated = summed(base, t.offset, t.add);
  if (t.rn == 15 && is_constant(updated)) updated = Operand::value(image_.resolve(updated.imm, in_.address));
  Operand address = t.pre ? updated : base;
  if (!t.pre && t.load && t.writeback) {
    address = temp();
    set(address, base);
  }
  const Operand second = pair ? summed(address, Operand::value(t.width)) : Operand{};
  const bool moves_base = t.writeback && t.rn != 15;
  if (!t.load) {
    op(Op::store, {}, address, read(t.rt), t.width);
    if (pair) op(Op::store, {}, second, read(t.rt2), t.width);
    if (moves_base) set(reg(t.rn), updated);
    return;
  }
  if (moves_base) set(reg(t.rn), updated);
  if (t.rt == 15) {
    const Operand target = temp();
    load_value(target, address, t.width, false);
    const bool popped = t.rn == 13 && !t.pre;
    jump_to(target, popped, t.rn == 15 && !is_constant(t.offset));
    out_.cls = InsnClass::load;
    return;
  }
  load_value(reg(t.rt), address, t.width, t.sign);
  if (pair) load_value(reg(t.rt2), second, t.width, false);
}

void Lifter::block(const Block& b) {
  other(b.load ? InsnClass::load : InsnClass::store);
  const unsigned count = static_cast<unsigned>(std::popcount(b.list));
  (b.load ? memory_load(count, 4 * count) : memory_store(count, 4 * count));
  const bool returns = b.caret && b.load && bit(b.list, 15);
  const Mode bank = b.caret && !returns ? Mode::usr : mode_;

  const Operand base = read(b.rn);
  const unsigned below = b.up ? 0 : 4 * count;
  const std::int64_t first = (b.before == b.up ? 4 : 0) - static_cast<std::int64_t>(below);
  const bool base_changes = b.load && (b.writeback || bit(b.list, b.rn));
  const std::uint64_t distance = static_cast<std::uint64_t>(first < 0 ? -first : first);
  Operand low = summed(base, Operand::value(distance), first >= 0);
  if (first == 0 && base_changes) {
    low = temp();
    set(low, base);
  }
  if (b.load && b.writeback) sum(reg(b.rn), base, Operand::value(4 * count), b.up);
  const Operand next = temp();
  const Operand target = temp();
  unsigned offset = 0;
  for (unsigned n = 0; n < 16; ++n) {
    if (!bit(b.list, n)) continue;
    if (offset != 0) op(Op::add, next, low, Operand::value(offset));
    const Operand address = offset == 0 ? low : next;
    const Operand value = n == 15 ? (b.load ? target : Operand::value(pc_)) : Operand::reg(banked(n, bank));
    b.load ? op(Op::load, value, address) : op(Op::store, {}, address, value);
    offset += 4;
  }
  if (!b.load && b.writeback) sum(reg(b.rn), base, Operand::value(4 * count), b.up);
  if (!b.load || !bit(b.list, 15)) return;
  returns ? exception_return(target, saved_status(mode_)) : jump_to(target, true);
  out_.cls = InsnClass::load;
}

void Lifter::load_exclusive(unsigned rt, unsigned rt2, unsigned rn, unsigned width, unsigned offset, bool exclusive) {
  Transfer t{.load = true,
             .width = static_cast<std::uint8_t>(width),
             .rt = static_cast<std::uint8_t>(rt),
             .rt2 = static_cast<std::uint8_t>(rt2),
             .rn = static_cast<std::uint8_t>(rn),
             .offset = Operand::value(offset)};
  transfer(t);
  out_.memory.atomic = exclusive;
}

void Lifter::store_exclusive(unsigned status, unsigned rt, unsigned rt2, unsigned rn, unsigned width, unsigned offset,
                             bool exclusive) {
  Transfer t{.load = false,
             .width = static_cast<std::uint8_t>(width),
             .rt = static_cast<std::uint8_t>(rt),
             .rt2 = static_cast<std::uint8_t>(rt2),
             .rn = static_cast<std::uint8_t>(rn),
             .offset = Operand::value(offset)};
  transfer(t);
  out_.memory.atomic = exclusive;
  if (exclusive) clobber(reg(status));
}

void Lifter::jump(std::uint64_t target) {
  out_.cls = InsnClass::branch;
  out_.target = target;
  out_.flow = target == in_.address && !out_.when ? Flow::halt : Flow::jump;
}

void Lifter::call(std::uint64_t target) {
  out_.cls = InsnClass::call;
  out_.flow = Flow::call;
  out_.target = target;
  out_.sets_link = true;
  set(reg(14), Operand::value((in_.address + in_.size) | (thumb_ ? 1u : 0u)));
}

void Lifter::jump_to(Operand where, bool is_return, bool via_table) {
  out_.cls = is_return ? InsnClass::ret : InsnClass::branch;
  if (is_constant(where)) return jump(image_.resolve(where.imm & ~std::uint64_t{1}, in_.address));
  out_.flow = is_return ? Flow::ret : Flow::indirect_jump;
  out_.jump_to = where;
  out_.via_table = via_table;
}

void Lifter::call_to(Operand where) {
  Operand target = where;
  if (where.kind == Operand::Kind::place && where.index == place(14)) {
    target = temp();  // blx lr: the link register is overwritten before the jump
    set(target, where);
  }
  out_.cls = InsnClass::call;
  out_.flow = Flow::indirect_call;
  out_.jump_to = target;
  out_.sets_link = true;
  set(reg(14), Operand::value((in_.address + in_.size) | (thumb_ ? 1u : 0u)));
}

void Lifter::exception_return(Operand where, Place status) {
  set(Operand::reg(pc), where);
  out_.cls = InsnClass::ret;
  out_.flow = Flow::exception_return;
  out_.jump_to = where;
  out_.status = status;
  // The stubs set the saved mode to SVC and "return" into the kernel.
  out_.returns_by = in_stubs(image_, in_.address) ? ReturnsBy::kernel_entry : ReturnsBy::status;
}

void Lifter::trap() {
  out_.cls = InsnClass::system;
  out_.system = true;
  out_.flow = Flow::trap;
}

void Lifter::fall_back(InsnClass cls) {
  other(cls);
  out_.memory.loads = cls == InsnClass::load || cls == InsnClass::load_store;
  out_.memory.stores = cls == InsnClass::store || cls == InsnClass::load_store;
  if (in_.may_affect_flow) {  // nothing that is known; better undecoded than wrong
    out_.flow = Flow::unknown;
    out_.cls = InsnClass::unknown;
    return;
  }
  for (const std::string_view name : in_.defs) {
    if (name == "SP") clobber(reg(13));
    if (name == "LR") clobber(reg(14));
    if (name == "CPSR") clobber_flags();
    if (name.size() < 2 || name[0] != 'R' || name[1] < '0' || name[1] > '9') continue;
    unsigned n = 0;
    for (const char c : name.substr(1)) {
      if (c < '0' || c > '9') break;  // a pair, R0_R1: both halves
      n = n * 10 + static_cast<unsigned>(c - '0');
    }
    if (n > 12) continue;
    clobber(reg(n));
    if (name.find('_') != std::string_view::npos && n < 12) clobber(reg(n + 1));
  }
}

namespace {
// Relocation types (ELF for the ARM architecture, 5.6.1).
enum : std::uint32_t {
  r_arm_pc24 = 1,
  r_arm_thm_call = 10,
  r_arm_plt32 = 27,
  r_arm_call = 28,
  r_arm_jump24 = 29,
  r_arm_thm_jump24 = 30,
  r_arm_movw_abs_nc = 43,
  r_arm_movt_abs = 44,
  r_arm_thm_movw_abs_nc = 47,
  r_arm_thm_movt_abs = 48,
  r_arm_thm_jump19 = 51,
  r_arm_thm_jump11 = 102
};
}  // namespace

std::uint64_t Lifter::branch_target(std::int64_t displacement) const {
  for (const Decoded::Fix& fix : in_.fixes) {
    switch (fix.type) {
      case r_arm_pc24:
      case r_arm_plt32:
      case r_arm_call:
      case r_arm_jump24:
      case r_arm_thm_call:
      case r_arm_thm_jump24:
      case r_arm_thm_jump19:
      case r_arm_thm_jump11:
        // The addend counts from the program counter as it reads (-8, in Thumb state -4).
        return (fix.target + (pc_ - in_.address)) & ~std::uint64_t{1};
      default:
        break;
    }
  }
  return image_.resolve(pc_ + static_cast<std::uint64_t>(displacement), in_.address);
}

std::optional<std::uint64_t> Lifter::half_address() const {
  for (const Decoded::Fix& fix : in_.fixes) {
    switch (fix.type) {
      case r_arm_movw_abs_nc:
      case r_arm_movt_abs:
      case r_arm_thm_movw_abs_nc:
      case r_arm_thm_movt_abs:
        return fix.target;
      default:
        break;
    }
  }
  return std::nullopt;
}

std::uint64_t Lifter::literal(std::int64_t displacement) const {
  return image_.resolve((pc_ & ~std::uint64_t{3}) + static_cast<std::uint64_t>(displacement), in_.address);
}

}  // namespace trapline::arm_arch
