// SPDX-License-Identifier: Apache-2.0
#include "cfg/value.h"

#include <algorithm>

namespace trapline {

namespace {

std::uint64_t width_mask(unsigned width) { return low_bits(width * 8); }

std::uint64_t sign_extend(std::uint64_t v, unsigned bits) {
  if (bits == 0 || bits >= 64) return v;
  std::uint64_t sign = 1ull << (bits - 1);
  return ((v & low_bits(bits)) ^ sign) - sign;
}

MicroOp shaped(Op op, unsigned width) {
  MicroOp m;
  m.op = op;
  m.width = static_cast<std::uint8_t>(width);
  return m;
}

}  // namespace

std::uint64_t fold_constants(const MicroOp& op, std::uint64_t a, std::uint64_t b, std::uint64_t mask) {
  const unsigned bits = op.width * 8u;
  const std::uint64_t m = width_mask(op.width);
  const std::uint64_t s = b & 0xff;
  switch (op.op) {
    case Op::set:
      return a & m & mask;
    case Op::add:
      return (a + b) & m & mask;
    case Op::sub:
      return (a - b) & m & mask;
    case Op::and_:
      return a & b & m & mask;
    case Op::or_:
      return (a | b) & m & mask;
    case Op::xor_:
      return (a ^ b) & m & mask;
    case Op::not_:
      return ~a & m & mask;
    case Op::shl:
      return s >= bits ? 0 : ((a & m) << s) & m & mask;
    case Op::shr:
      return s >= bits ? 0 : ((a & m) >> s) & mask;
    case Op::sar: {
      std::uint64_t v = sign_extend(a & m, bits);
      unsigned n = s >= bits ? bits - 1 : static_cast<unsigned>(s);
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(v) >> n) & m & mask;
    }
    case Op::ror: {
      unsigned n = static_cast<unsigned>(s % bits);
      std::uint64_t v = a & m;
      return n == 0 ? v & mask : ((v >> n) | (v << (bits - n))) & m & mask;
    }
    case Op::mul:
      return (a * b) & m & mask;
    case Op::extract:
      return (op.lsb >= 64 ? 0 : (a >> op.lsb) & low_bits(op.bits)) & mask;
    case Op::insert: {
      std::uint64_t field = op.lsb >= 64 ? 0 : low_bits(op.bits) << op.lsb;
      return ((a & ~field) | ((b << (op.lsb & 63)) & field)) & mask;
    }
    case Op::sext:
      return sign_extend(a, op.bits) & mask;
    case Op::zext:
      return a & low_bits(op.bits) & mask;
    default:
      return 0;
  }
}

ValuePool::ValuePool(unsigned register_bytes) : register_bytes_(register_bytes), mask_(width_mask(register_bytes)) {
  table_.assign(4096, no_value);
  recent_constants_.fill(no_value);
}

std::uint64_t ValuePool::hash(const Value& v) {
  std::uint64_t h = static_cast<std::uint64_t>(v.kind) | static_cast<std::uint64_t>(v.op) << 8 |
                    static_cast<std::uint64_t>(v.width) << 16 | static_cast<std::uint64_t>(v.lsb) << 24 |
                    static_cast<std::uint64_t>(v.bits) << 32;
  auto mix = [&h](std::uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  mix(v.a);
  mix(v.b);
  mix(v.imm);
  return h;
}

void ValuePool::grow() {
  table_.assign(table_.size() * 2, no_value);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t id = 0; id < values_.size(); ++id) {
    std::size_t at = hash(values_[id]) & mask;
    while (table_[at] != no_value) at = (at + 1) & mask;
    table_[at] = static_cast<ValueId>(id);
  }
}

std::size_t ValuePool::slot(const Value& v) {
  if (values_.size() * 2 >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash(v) & mask;
  while (table_[at] != no_value && !(values_[table_[at]] == v)) at = (at + 1) & mask;
  return at;
}

ValueId ValuePool::intern(const Value& v, KnownBits known) {
  ValueId& id = table_[slot(v)];
  return id != no_value ? id : id = append(v, known);
}

ValueId ValuePool::append(const Value& v, KnownBits known) {
  values_.push_back(v);
  known_.push_back(known);
  return static_cast<ValueId>(values_.size() - 1);
}

std::uint32_t ValuePool::event(std::uint64_t address, std::uint32_t stamp) {
  if (!events_.empty() && events_.back() == std::pair(address, stamp))
    return static_cast<std::uint32_t>(events_.size() - 1);
  const std::uint64_t key = address * 0x9e3779b97f4a7c15ull + stamp;
  auto [it, fresh] = event_index_.try_emplace(key, static_cast<std::uint32_t>(events_.size()));
  if (!fresh && events_[it->second] == std::pair(address, stamp)) return it->second;
  events_.emplace_back(address, stamp);
  return it->second = static_cast<std::uint32_t>(events_.size() - 1);
}

ValueId ValuePool::constant(std::uint64_t v) {
  v &= mask_;
  ValueId& recent = recent_constants_[v * 0x9e3779b97f4a7c15ull >> 54];
  if (recent != no_value && values_[recent].imm == v) return recent;
  Value n;
  n.kind = ValueKind::constant;
  n.imm = v;
  return recent = intern(n, {~v, v});
}

ValueId ValuePool::entry(Place place) {
  Value n;
  n.kind = ValueKind::entry;
  n.imm = place;
  return intern(n, {~mask_, 0});
}

ValueId ValuePool::opaque(std::uint64_t address, std::uint32_t step, std::uint32_t number) {
  Value n;
  n.kind = ValueKind::opaque;
  n.a = step;
  n.b = number;
  n.imm = address;
  return intern(n, {~mask_, 0});
}

ValueId ValuePool::cell(Address address, unsigned width, std::uint32_t step) {
  Value n;
  n.kind = ValueKind::cell;
  n.width = static_cast<std::uint8_t>(width);
  n.a = address.base;
  n.b = step;
  n.imm = static_cast<std::uint64_t>(address.offset);
  return intern(n, {~width_mask(width), 0});
}

ValueId ValuePool::load(ValueId address, unsigned width, std::uint32_t step) {
  Value n;
  n.kind = ValueKind::load;
  n.width = static_cast<std::uint8_t>(width);
  n.a = address;
  n.b = step;
  return intern(n, {~width_mask(width), 0});
}

ValueId ValuePool::after_c(ValueId v, std::uint32_t step, std::uint64_t kept) {
  Value n;
  n.kind = ValueKind::after_c;
  n.a = v;
  n.b = step;
  n.imm = kept;
  KnownBits k = known_[v];
  return intern(n, {k.zeros & (kept | ~mask_), k.ones & kept});
}

ValueId ValuePool::result(std::uint64_t call, std::uint32_t step) {
  Value n;
  n.kind = ValueKind::result;
  n.a = step;
  n.imm = call;
  return intern(n, {~mask_, 0});
}

ValueId ValuePool::select(const Question& question, ValueId if_true, ValueId if_false) {
  if (if_true == if_false) return if_true;
  std::size_t number = 0;
  while (number < questions_.size() && !(questions_[number] == question)) ++number;
  if (number == questions_.size()) questions_.push_back(question);
  Value n;
  n.kind = ValueKind::select;
  n.a = if_true;
  n.b = if_false;
  n.imm = number;
  KnownBits t = known_[if_true], f = known_[if_false];
  return intern(n, {t.zeros & f.zeros, t.ones & f.ones});
}

// Sums keep their constant on the right: (x + c1) + c2 becomes x + (c1 + c2).
ValueId ValuePool::add(ValueId a, ValueId b, bool subtract) {
  std::optional<std::uint64_t> ca = as_constant(a), cb = as_constant(b);
  if (!subtract && ca && !cb) {
    std::swap(a, b);
    std::swap(ca, cb);
  }
  MicroOp op = shaped(Op::add, register_bytes_);
  if (cb) {
    std::uint64_t c = (subtract ? 0 - *cb : *cb) & mask_;
    if (c == 0) return a;
    const Value va = values_[a];  // a copy: making values moves them
    if (va.kind == ValueKind::op && va.op == Op::add && va.width == register_bytes_)
      if (std::optional<std::uint64_t> inner = as_constant(va.b)) return add(va.a, constant(*inner + c), false);
    return fold(op, a, c == *cb ? b : constant(c));
  }
  if (subtract) {
    // (x + c) - x, and x - x.
    Address l = as_address(a), r = as_address(b);
    if (l.base == r.base && l.base != no_value) return constant(static_cast<std::uint64_t>(l.offset - r.offset));
    return fold(shaped(Op::sub, register_bytes_), a, b);
  }
  // Constants float to the outside of sums of two bases; operands are ordered so that a + b and b + a are one value.
  Address l = as_address(a), r = as_address(b);
  if (l.base != no_value && r.base != no_value && (l.offset != 0 || r.offset != 0))
    return add(add(l.base, r.base, false), constant(static_cast<std::uint64_t>(l.offset + r.offset)), false);
  if (a > b) std::swap(a, b);
  return fold(op, a, b);
}

ValueId ValuePool::compute(const MicroOp& given, ValueId a, ValueId b) {
  MicroOp op = given;
  op.dst = op.a = op.b = {};
  if (op.op == Op::sext || op.op == Op::zext || op.op == Op::extract || op.op == Op::insert)
    op.width = static_cast<std::uint8_t>(register_bytes_);
  if (b == no_value) b = constant(0);
  std::optional<std::uint64_t> ca = as_constant(a), cb = as_constant(b);
  const std::uint64_t m = width_mask(op.width) & mask_;
  const bool full = m == mask_;
  const bool flags = op.op == Op::compare || op.op == Op::compare_add || op.op == Op::test;
  if (ca && cb && !flags) return constant(fold_constants(op, *ca, *cb, mask_));
  switch (op.op) {
    case Op::set:
      if (full) return a;
      return compute(shaped(Op::and_, register_bytes_), a, constant(m));
    case Op::add:
    case Op::sub:
      if (full) return add(a, b, op.op == Op::sub);
      break;
    case Op::and_:
    case Op::or_:
    case Op::xor_:
      if (ca || (!cb && a > b)) {
        std::swap(a, b);
        std::swap(ca, cb);
      }
      if (a == b) return op.op == Op::xor_ ? constant(0) : full ? a : fold(op, a, b);
      if (cb && op.op == Op::and_) {
        std::uint64_t c = *cb & m;
        if (c == 0) return constant(0);
        KnownBits k = known_[a];
        if ((~k.zeros & mask_ & ~c) == 0) return a;  // nothing is masked off
        const Value va = values_[a];                 // a copy: making values moves them
        if (va.kind == ValueKind::after_c && (c & ~va.imm) == 0) return compute(op, va.a, b);
        if (va.kind == ValueKind::op && va.op == Op::and_)
          // A mask of what another mask has removed is zero, and keeps what it was made of: somebody tests it.
          if (std::optional<std::uint64_t> inner = as_constant(va.b); inner && (*inner & c) != 0)
            return compute(op, va.a, constant(*inner & c));
        return fold(shaped(Op::and_, register_bytes_), a, constant(c));
      }
      if (cb && (*cb & m) == 0 && full) return a;
      break;
    case Op::shl:
    case Op::shr:
    case Op::sar:
    case Op::ror:
      if (cb && (*cb & 0xff) == 0 && full) return a;
      break;
    case Op::extract:
      // What was masked or inserted around a field does not change it (PowerPC: CR from and to a register).
      if (const Value va = values_[a]; va.kind == ValueKind::op && op.lsb < 64) {
        const std::uint64_t field = low_bits(op.bits) << op.lsb;
        if (va.op == Op::insert && va.lsb < 64) {
          const std::uint64_t inserted = low_bits(va.bits) << va.lsb;
          if ((field & inserted) == 0) return compute(op, va.a, no_value);
          if (va.lsb == op.lsb && va.bits == op.bits)
            return compute(shaped(Op::and_, register_bytes_), va.b, constant(low_bits(op.bits)));
        }
        if (va.op == Op::and_)
          if (std::optional<std::uint64_t> kept = as_constant(va.b); kept && (field & ~*kept) == 0)
            return compute(op, va.a, no_value);
      }
      // A field at bit 0 is a mask; keeping one form makes tests of the same bits the same value.
      if (op.lsb == 0) return compute(shaped(Op::and_, register_bytes_), a, constant(low_bits(op.bits)));
      break;
    case Op::zext:
      return compute(shaped(Op::and_, register_bytes_), a, constant(low_bits(op.bits)));
    case Op::sext: {
      if (op.bits >= register_bytes_ * 8) return a;
      KnownBits k = known_[a];
      std::uint64_t high = mask_ & ~low_bits(op.bits - 1u);
      if ((k.zeros & high) == high) return a;
      const Value va = values_[a];  // a copy: making values moves them
      if (va.kind == ValueKind::op && va.op == Op::sext && va.bits <= op.bits) return a;
      if (va.kind == ValueKind::op && va.op == Op::and_)
        if (std::optional<std::uint64_t> kept = as_constant(va.b); kept && (~*kept & low_bits(op.bits)) == 0)
          return compute(op, va.a, b);
      break;
    }
    default:
      break;
  }
  bool unary = op.op == Op::not_ || op.op == Op::extract || op.op == Op::sext || (op.op == Op::test && op.bits != 1);
  return fold(op, a, unary ? no_value : b);
}

ValueId ValuePool::fold(const MicroOp& op, ValueId a, ValueId b) {
  Value n;
  n.kind = ValueKind::op;
  n.op = op.op;
  n.width = op.width;
  n.lsb = op.lsb;
  n.bits = op.bits;
  n.a = a;
  n.b = b;
  ValueId& id = table_[slot(n)];
  return id != no_value ? id : id = append(n, known_of(n));
}

KnownBits ValuePool::known_of(const Value& v) const {
  const std::uint64_t m = width_mask(v.width) & mask_;
  KnownBits a = known_[v.a];
  KnownBits b = v.b == no_value ? KnownBits{} : known_[v.b];
  std::optional<std::uint64_t> cb = v.b == no_value ? std::nullopt : as_constant(v.b);
  KnownBits k{~m, 0};
  const unsigned bits = v.width * 8u;
  switch (v.op) {
    case Op::and_:
      k = {a.zeros | b.zeros, a.ones & b.ones};
      break;
    case Op::or_:
      k = {a.zeros & b.zeros, a.ones | b.ones};
      break;
    case Op::xor_:
      k = {(a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros)};
      break;
    case Op::not_:
      k = {a.ones, a.zeros};
      break;
    case Op::shl:
      if (cb && *cb < bits) k = {(a.zeros << *cb) | low_bits(static_cast<unsigned>(*cb)), a.ones << *cb};
      break;
    case Op::shr:
      if (cb && *cb < bits) k = {((a.zeros & m) >> *cb) | ~(m >> *cb), (a.ones & m) >> *cb};
      break;
    case Op::add: {
      // Low bits that are zero in both stay zero.
      std::uint64_t low = a.zeros & b.zeros;
      unsigned n = 0;
      while (n < 64 && (low >> n & 1)) ++n;
      k.zeros = low_bits(n);
      break;
    }
    case Op::extract:
      k = {(a.zeros >> (v.lsb & 63)) | ~low_bits(v.bits), (a.ones >> (v.lsb & 63)) & low_bits(v.bits)};
      break;
    case Op::insert: {
      std::uint64_t field = low_bits(v.bits) << (v.lsb & 63);
      k = {(a.zeros & ~field) | ((b.zeros << (v.lsb & 63)) & field),
           (a.ones & ~field) | ((b.ones << (v.lsb & 63)) & field)};
      break;
    }
    default:
      break;
  }
  k.zeros |= ~m;
  k.ones &= m;
  return k;
}

void ValuePool::parts(ValueId v, std::vector<ValueId>& out, std::size_t limit) const {
  if (v == no_value || out.size() >= limit || std::find(out.begin(), out.end(), v) != out.end()) return;
  const Value& n = values_[v];
  if (n.kind == ValueKind::constant) return;
  out.push_back(v);
  if (n.kind == ValueKind::op || n.kind == ValueKind::load) {
    parts(n.a, out, limit);
    if (n.kind == ValueKind::op) parts(n.b, out, limit);
  }
}

}  // namespace trapline
