// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: Power ISA 3.1 Book I sections 3.3.2 to 3.3.6 (fixed point), 4.6.2 and 4.6.3 (floating point), 6.7
// (vector), 7.6 (VSX); Book II section 4.4 (atomic operations, load and reserve) and 4.3 (dcbz).
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "disasm/arch/powerpc/builder.h"
#include "disasm/arch/powerpc/relocate.h"

namespace trapline::ppc {
namespace {

enum Shape : std::uint16_t {
  none = 0,
  update = 1,       // RA = address afterwards
  sign = 2,         // the loaded value is sign-extended
  reversed = 4,     // bytes swapped
  conditional = 8,  // store conditional: cr0 says whether it stored
  reserve = 16,     // load and reserve
  other_file = 32,  // the register is a floating-point, vector or VSX one
  align = 64,       // the low bits of the address are ignored
  ra_only = 128,    // the address is (RA|0): RB is something else
  fetch_op = 256,   // reads, computes, writes
};

struct Access {
  std::uint16_t code;  // primary or extended opcode
  std::uint8_t bytes;  // all that is moved
  bool store;
  std::uint16_t shape = none;
  std::uint8_t registers = 1;
};

// Primary opcodes with a 16-bit displacement.
constexpr std::array d_forms = {
    Access{32, 4, false},
    Access{33, 4, false, update},
    Access{34, 1, false},
    Access{35, 1, false, update},
    Access{36, 4, true},
    Access{37, 4, true, update},
    Access{38, 1, true},
    Access{39, 1, true, update},
    Access{40, 2, false},
    Access{41, 2, false, update},
    Access{42, 2, false, sign},
    Access{43, 2, false, sign | update},
    Access{44, 2, true},
    Access{45, 2, true, update},
    Access{48, 4, false, other_file},
    Access{49, 4, false, other_file | update},
    Access{50, 8, false, other_file},
    Access{51, 8, false, other_file | update},
    Access{52, 4, true, other_file},
    Access{53, 4, true, other_file | update},
    Access{54, 8, true, other_file},
    Access{55, 8, true, other_file | update},
};

// Opcode 31, bits 21 to 30.
constexpr std::array x_forms = {
    // load and reserve, store conditional
    Access{20, 4, false, reserve},
    Access{52, 1, false, reserve},
    Access{84, 8, false, reserve},
    Access{116, 2, false, reserve},
    Access{276, 16, false, reserve, 2},
    Access{150, 4, true, conditional},
    Access{182, 16, true, conditional, 2},
    Access{214, 8, true, conditional},
    Access{694, 1, true, conditional},
    Access{726, 2, true, conditional},
    // atomic memory operations
    Access{582, 4, false, fetch_op | ra_only},
    Access{614, 8, false, fetch_op | ra_only},
    Access{710, 4, true, fetch_op | ra_only},
    Access{742, 8, true, fetch_op | ra_only},
    // fixed point
    Access{21, 8, false},
    Access{53, 8, false, update},
    Access{23, 4, false},
    Access{55, 4, false, update},
    Access{87, 1, false},
    Access{119, 1, false, update},
    Access{279, 2, false},
    Access{311, 2, false, update},
    Access{341, 4, false, sign},
    Access{373, 4, false, sign | update},
    Access{343, 2, false, sign},
    Access{375, 2, false, sign | update},
    Access{532, 8, false, reversed},
    Access{534, 4, false, reversed},
    Access{790, 2, false, reversed},
    Access{149, 8, true},
    Access{181, 8, true, update},
    Access{151, 4, true},
    Access{183, 4, true, update},
    Access{215, 1, true},
    Access{247, 1, true, update},
    Access{407, 2, true},
    Access{439, 2, true, update},
    Access{660, 8, true, reversed},
    Access{662, 4, true, reversed},
    Access{918, 2, true, reversed},
    // caching inhibited; external control of the older 32-bit processors (eciwx, ecowx)
    Access{789, 4, false},
    Access{821, 2, false},
    Access{853, 1, false},
    Access{885, 8, false},
    Access{917, 4, true},
    Access{949, 2, true},
    Access{981, 1, true},
    Access{1013, 8, true},
    Access{310, 4, false},
    Access{438, 4, true},
    // floating point
    Access{535, 4, false, other_file},
    Access{567, 4, false, other_file | update},
    Access{599, 8, false, other_file},
    Access{631, 8, false, other_file | update},
    Access{855, 4, false, other_file},
    Access{887, 4, false, other_file},
    Access{663, 4, true, other_file},
    Access{695, 4, true, other_file | update},
    Access{727, 8, true, other_file},
    Access{759, 8, true, other_file | update},
    Access{983, 4, true, other_file},
    // vector
    Access{7, 1, false, other_file},
    Access{39, 2, false, other_file | align},
    Access{71, 4, false, other_file | align},
    Access{103, 16, false, other_file | align},
    Access{359, 16, false, other_file | align},
    Access{135, 1, true, other_file},
    Access{167, 2, true, other_file | align},
    Access{199, 4, true, other_file | align},
    Access{231, 16, true, other_file | align},
    Access{487, 16, true, other_file | align},
    // VSX; of the forms with a length in RB the most that they move
    Access{12, 4, false, other_file},
    Access{76, 4, false, other_file},
    Access{140, 4, true, other_file},
    Access{268, 16, false, other_file},
    Access{269, 16, false, other_file | ra_only},
    Access{301, 16, false, other_file | ra_only},
    Access{332, 8, false, other_file},
    Access{364, 4, false, other_file},
    Access{396, 16, true, other_file},
    Access{397, 16, true, other_file | ra_only},
    Access{429, 16, true, other_file | ra_only},
    Access{524, 4, false, other_file},
    Access{588, 8, false, other_file},
    Access{652, 4, true, other_file},
    Access{716, 8, true, other_file},
    Access{780, 16, false, other_file},
    Access{812, 16, false, other_file},
    Access{844, 16, false, other_file},
    Access{876, 16, false, other_file},
    Access{908, 16, true, other_file},
    Access{940, 16, true, other_file},
    Access{972, 16, true, other_file},
    Access{1004, 16, true, other_file},
    Access{781, 1, false, other_file},
    Access{813, 2, false, other_file},
    Access{909, 1, true, other_file},
    Access{941, 2, true, other_file},
    Access{333, 32, false, other_file, 2},
    Access{461, 32, true, other_file, 2},
    Access{13, 1, false, other_file},
    Access{45, 2, false, other_file},
    Access{77, 4, false, other_file},
    Access{109, 8, false, other_file},
    Access{141, 1, true, other_file},
    Access{173, 2, true, other_file},
    Access{205, 4, true, other_file},
    Access{237, 8, true, other_file},
};

// Prefixed loads and stores: opcode of the suffix. Type 2 (MLS) means the same as without prefix, type 0 (8LS) not.
constexpr std::array mls_forms = {
    Access{32, 4, false},
    Access{34, 1, false},
    Access{36, 4, true},
    Access{38, 1, true},
    Access{40, 2, false},
    Access{42, 2, false, sign},
    Access{44, 2, true},
    Access{48, 4, false, other_file},
    Access{50, 8, false, other_file},
    Access{52, 4, true, other_file},
    Access{54, 8, true, other_file},
};
constexpr std::array eightls_forms = {
    Access{41, 4, false, sign},
    Access{42, 8, false, other_file},
    Access{43, 4, false, other_file},
    Access{46, 8, true, other_file},
    Access{47, 4, true, other_file},
    Access{50, 16, false, other_file},
    Access{51, 16, false, other_file},
    Access{54, 16, true, other_file},
    Access{55, 16, true, other_file},
    Access{56, 16, false, none, 2},
    Access{57, 8, false},
    Access{58, 32, false, other_file, 2},
    Access{60, 16, true, none, 2},
    Access{61, 8, true},
    Access{62, 32, true, other_file, 2},
};

const Access* find(std::span<const Access> table, unsigned code) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const Access& a) { return a.code == code; });
  return it == table.end() ? nullptr : &*it;
}

constexpr std::uint16_t address_temp = 0, value_temp = 1, part_temp = 2;

void traffic(Builder& b, const Access& a) {
  MemoryTraffic& m = b.insn.memory;
  m.atomic = (a.shape & (reserve | conditional | fetch_op)) != 0;
  if (!a.store || (a.shape & fetch_op)) {
    m.loads = true;
    m.registers_loaded = a.registers;
    m.bytes_loaded = a.bytes;
  }
  if (a.store || (a.shape & fetch_op)) {
    m.stores = true;
    m.registers_stored = a.registers;
    m.bytes_stored = a.bytes;
  }
  b.insn.flow = Flow::next;
  b.cls(m.loads && m.stores ? InsnClass::load_store : m.loads ? InsnClass::load : InsnClass::store);
}

Operand plus(Builder& b, Operand base, std::uint64_t offset) {
  if (offset == 0) return base;
  b.op(Op::add, Operand::tmp(part_temp), base, Operand::value(offset));
  return Operand::tmp(part_temp);
}

// Memory at `at`, more than one general register or none of ours: touched in pieces, values not followed.
void touch(Builder& b, Operand at, unsigned bytes, bool store) {
  for (unsigned done = 0; done < bytes;) {
    const std::uint8_t piece = static_cast<std::uint8_t>(std::min<unsigned>(bytes - done, b.width));
    const Operand where = plus(b, at, done);
    if (store) {
      b.op(Op::clobber, Operand::tmp(value_temp));
      b.op_width(Op::store, piece, {}, where, Operand::tmp(value_temp));
    } else {
      b.op_width(Op::load, piece, Operand::tmp(value_temp), where);
    }
    done += piece;
  }
}

void load_register(Builder& b, const Access& a, Operand at) {
  const Operand dst = Builder::reg(b.e.rt());
  if (a.shape & reversed) {
    b.op_width(Op::load, a.bytes, Operand::tmp(value_temp), at);
    b.op(Op::clobber, dst);
    return;
  }
  b.op_width(Op::load, a.bytes, dst, at);
  if ((a.shape & sign) && a.bytes < b.width) b.op_bits(Op::sext, 0, a.bytes * 8u, dst, dst);
}

void store_register(Builder& b, const Access& a, Operand at) {
  Operand value = Builder::reg(b.e.rt());
  if (a.shape & (reversed | conditional)) {  // a conditional store may also leave the memory as it was
    value = Operand::tmp(value_temp);
    b.op(Op::clobber, value);
  }
  b.op_width(Op::store, a.bytes, {}, at, value);
}

void access(Builder& b, const Access& a, Operand at) {
  traffic(b, a);
  if (a.shape & align) {
    b.op(Op::and_, Operand::tmp(address_temp), at, Builder::imm(-std::int64_t{a.bytes}));
    at = Operand::tmp(address_temp);
  }
  if (a.shape & fetch_op) {
    touch(b, at, a.bytes, false);
    touch(b, at, a.bytes, true);
    if (!a.store) b.clobber(gpr(b.e.rt()));
  } else if ((a.shape & other_file) || a.bytes > b.width) {
    touch(b, at, a.bytes, a.store);
    if (!(a.shape & other_file) && !a.store) {  // lq, lqarx: an even and an odd register
      b.clobber(gpr(b.e.rt()));
      b.clobber(gpr((b.e.rt() + 1) & 31));
    }
  } else if (a.store) {
    store_register(b, a, at);
  } else {
    load_register(b, a, at);
  }
  if (a.shape & conditional) b.clobber(cr(0));
  if ((a.shape & update) && b.e.ra() != 0) b.op(Op::set, Builder::reg(b.e.ra()), at);
}

// base + displacement; with `in_temp` in a temporary even where the base alone would do.
Operand sum(Builder& b, Operand base, Operand offset, bool in_temp) {
  const bool zero_base = base.kind == Operand::Kind::imm && base.imm == 0;
  const bool zero_offset = offset.kind == Operand::Kind::imm && offset.imm == 0;
  if (!in_temp && zero_offset) return base;
  if (!in_temp && zero_base) return offset;
  b.op(Op::add, Operand::tmp(address_temp), base, offset);
  return Operand::tmp(address_temp);
}

void displaced(Builder& b, const Access& a, std::int64_t displacement) {
  const Immediate d = low_immediate(b, displacement);
  const Operand base = d.absolute ? Operand::value(0) : Builder::reg_or_zero(b.e.ra());
  access(b, a, sum(b, base, Builder::imm(d.value), (a.shape & update) != 0));
}

void indexed(Builder& b, const Access& a) {
  const Operand base = Builder::reg_or_zero(b.e.ra());
  if (a.shape & ra_only) return access(b, a, base);
  access(b, a, sum(b, base, Builder::reg(b.e.rb()), (a.shape & update) != 0));
}

// lmw, stmw: RT to r31, four bytes each.
void multiple(Builder& b, bool store) {
  const unsigned first = b.e.rt();
  const Immediate d = low_immediate(b, b.e.si());
  const Operand at = sum(b, Builder::reg_or_zero(b.e.ra()), Builder::imm(d.value), true);
  const auto count = static_cast<std::uint8_t>(32 - first);
  traffic(b, {0, static_cast<std::uint8_t>(count * 4), store, none, count});
  for (unsigned n = first; n < 32; ++n) {
    const Operand where = plus(b, at, (n - first) * 4);
    if (store)
      b.op_width(Op::store, 4, {}, where, Builder::reg(n));
    else
      b.op_width(Op::load, 4, Builder::reg(n), where);
  }
}

// lswi, stswi: NB bytes (32 for 0) into RT and on, around r31, four a register. Little-endian machines trap on them.
void string_immediate(Builder& b, bool store) {
  const unsigned bytes = b.e.rb() == 0 ? 32 : b.e.rb();
  const auto registers = static_cast<std::uint8_t>((bytes + 3) / 4);
  traffic(b, {0, static_cast<std::uint8_t>(bytes), store, none, registers});
  const Operand at = sum(b, Builder::reg_or_zero(b.e.ra()), Operand::value(0), true);
  for (unsigned i = 0; i < registers; ++i) {
    const Operand reg = Builder::reg((b.e.rt() + i) & 31);
    const unsigned piece = std::min(bytes - i * 4, 4u);
    const Operand where = plus(b, at, i * 4);
    if (piece == 4 && store)
      b.op_width(Op::store, 4, {}, where, reg);
    else if (piece == 4)
      b.op_width(Op::load, 4, reg, where);
    else
      touch(b, where, piece, store);
    if (piece != 4 && !store) b.op(Op::clobber, reg);
  }
}

// lswx, stswx: as many bytes as XER says, which the bytes here cannot tell.
void string_indexed(Builder& b, bool store) {
  traffic(b, {0, 0, store, none, 0});
  touch(b, sum(b, Builder::reg_or_zero(b.e.ra()), Builder::reg(b.e.rb()), false), 1, store);
  if (!store)
    for (unsigned i = 0; i < 8; ++i) b.clobber(gpr((b.e.rt() + i) & 31));
}

// dcbz: one block of zeros. Its size is the machine's: 128 bytes on all 64-bit Book3S, 32 on the 6xx.
void zero_block(Builder& b) {
  const unsigned block = b.width == 8 ? 128 : 32;
  traffic(b, {0, static_cast<std::uint8_t>(block), true, none, 0});
  const Operand ea = sum(b, Builder::reg_or_zero(b.e.ra()), Builder::reg(b.e.rb()), true);
  b.op(Op::and_, Operand::tmp(address_temp), ea, Builder::imm(-std::int64_t{block}));
  for (unsigned done = 0; done < block; done += b.width)
    b.op(Op::store, {}, plus(b, Operand::tmp(address_temp), done), Operand::value(0));
}

bool lift_prefixed(Builder& b) {
  const Encoding p{b.prefix};
  const unsigned type = p.field(6, 7);
  const bool pc_relative = p.bit(11);
  std::int64_t d = sign_extend(std::uint64_t{p.field(14, 31)} << 16 | b.e.field(16, 31), 34);
  Operand base = pc_relative ? Operand::value(b.decoded.address) : Builder::reg_or_zero(b.e.ra());
  for (const Decoded::Fix& fix : b.decoded.fixes) {
    if (fix.type != 132) continue;  // R_PPC64_PCREL34
    base = Operand::value(0);
    d = static_cast<std::int64_t>(fix.target);
  }
  if (base.kind == Operand::Kind::imm) {
    base.imm += static_cast<std::uint64_t>(d);
    d = 0;
  }
  if (type == 2 && b.e.opcd() == 14) {  // paddi
    b.insn.flow = Flow::next;
    b.cls(InsnClass::other);
    b.op(Op::add, Builder::reg(b.e.rt()), base, Builder::imm(d));
    return true;
  }
  const Access* a = nullptr;
  if (type == 2) a = find(mls_forms, b.e.opcd());
  if (type == 0) a = find(eightls_forms, b.e.opcd());
  if (a == nullptr) return false;
  access(b, *a, sum(b, base, Builder::imm(d), false));
  return true;
}

// Opcodes 56 to 62 and 6: DS and DQ forms. (LLVM does not decode lfdp and stfdp.)
bool lift_double(Builder& b) {
  const unsigned low2 = b.e.field(30, 31), low3 = b.e.field(29, 31), low4 = b.e.field(28, 31);
  const std::int64_t ds = b.e.ds(), dq = b.e.dq();
  const std::uint8_t scalar_bytes = low2 == 2 ? 8 : 4;
  switch (b.e.opcd()) {
    case 6:
      if (low4 > 1) return false;
      displaced(b, {0, 32, low4 == 1, other_file, 2}, dq);  // lxvp, stxvp
      return true;
    case 56:
      displaced(b, {0, 16, false, none, 2}, dq);
      return true;  // lq
    case 57:
      if (low2 < 2) return false;
      displaced(b, {0, scalar_bytes, false, other_file}, ds);  // lxsd, lxssp
      return true;
    case 58:
      if (low2 == 3) return false;
      if (low2 == 2)
        displaced(b, {0, 4, false, sign}, ds);  // lwa
      else
        displaced(b, {0, 8, false, static_cast<std::uint16_t>(low2 == 1 ? update : none)}, ds);
      return true;
    case 61:
      if (low2 == 0) return false;
      if (low2 == 1)
        displaced(b, {0, 16, low3 == 5, other_file}, dq);  // lxv, stxv
      else
        displaced(b, {0, scalar_bytes, true, other_file}, ds);  // stxsd, stxssp
      return true;
    case 62:
      if (low2 == 3) return false;
      if (low2 == 2)
        displaced(b, {0, 16, true, none, 2}, ds);  // stq
      else
        displaced(b, {0, 8, true, static_cast<std::uint16_t>(low2 == 1 ? update : none)}, ds);
      return true;
    default:
      return false;
  }
}

// Vectors of 64-bit kernels fetch the run-time address of the kernel from the PACA and put the offset of the handler
// in: `ld r10,PACAKBASE(r13); ori r10,r10,handler@l; mtctr r10; bctr` (LOAD_HANDLER of exceptions-64s.S, with an addis
// for far ones). In the image the kernel is where it was linked, so the load gives the address of its first byte.
std::optional<std::uint64_t> loaded_kernel_base(const Builder& b) {
  if (b.width != 8 || b.e.opcd() != 58 || b.e.field(30, 31) != 0 || b.e.ra() != r13 || b.e.rt() == r13) return {};
  const std::uint64_t here = b.decoded.address;
  const Encoding ori{static_cast<std::uint32_t>(b.image.read(here + 4, 4).value_or(0))};
  if (ori.opcd() != 24 || ori.rt() != b.e.rt() || ori.ra() != b.e.rt()) return {};
  std::uint64_t offset = ori.ui();
  Encoding after{static_cast<std::uint32_t>(b.image.read(here + 8, 4).value_or(0))};
  if (after.opcd() == 15 && after.rt() == b.e.rt() && after.ra() == b.e.rt()) {
    offset += static_cast<std::uint64_t>(after.si() * 65536);
    after.word = static_cast<std::uint32_t>(b.image.read(here + 12, 4).value_or(0));
  }
  const bool to_ctr = after.opcd() == 31 && after.xo() == 467 && after.rt() == b.e.rt() && after.spr() == 9;
  const Symbol* start = b.image.find_symbol("_stext");
  if (!to_ctr || start == nullptr || b.image.symbol_at(start->address + offset) == nullptr) return {};
  return start->address;
}

}  // namespace

bool lift_memory(Builder& b) {
  if (b.prefix != 0) return lift_prefixed(b);
  const unsigned opcd = b.e.opcd();
  if (const Access* a = find(d_forms, opcd)) {
    displaced(b, *a, b.e.si());
    return true;
  }
  if (opcd == 46 || opcd == 47) {
    multiple(b, opcd == 47);
    return true;
  }
  if (lift_double(b)) {
    if (const std::optional<std::uint64_t> base = loaded_kernel_base(b))
      b.op(Op::set, Builder::reg(b.e.rt()), Operand::value(*base));
    return true;
  }
  if (opcd != 31) return false;
  if (const Access* a = find(x_forms, b.e.xo())) {
    indexed(b, *a);
    return true;
  }
  switch (b.e.xo()) {
    case 533:
      string_indexed(b, false);
      return true;
    case 661:
      string_indexed(b, true);
      return true;
    case 597:
      string_immediate(b, false);
      return true;
    case 725:
      string_immediate(b, true);
      return true;
    case 774:
      traffic(b, {0, 128, false, none, 0});
      return true;  // copy
    case 902:       // paste.
      traffic(b, {0, 128, true, none, 0});
      b.clobber(cr(0));
      return true;
    case 1014:
      zero_block(b);
      return true;
    default:
      return false;
  }
}

}  // namespace trapline::ppc
