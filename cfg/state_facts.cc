// SPDX-License-Identifier: Apache-2.0
//
// Questions: what a conditional instruction asks, whether the path has answered it before, and what an answer teaches.
#include <algorithm>

#include "cfg/state.h"

namespace trapline {

namespace {

enum Outcome : std::uint8_t { less = 1, equal = 2, greater = 4, any = 7 };

struct Wanted {
  bool is_unsigned;
  std::uint8_t outcomes;
};

std::optional<Wanted> wanted(Rel rel) {
  switch (rel) {
    case Rel::eq:
      return Wanted{false, equal};
    case Rel::ne:
      return Wanted{false, less | greater};
    case Rel::lt:
      return Wanted{false, less};
    case Rel::ge:
      return Wanted{false, equal | greater};
    case Rel::gt:
      return Wanted{false, greater};
    case Rel::le:
      return Wanted{false, less | equal};
    case Rel::ltu:
      return Wanted{true, less};
    case Rel::geu:
      return Wanted{true, equal | greater};
    case Rel::gtu:
      return Wanted{true, greater};
    case Rel::leu:
      return Wanted{true, less | equal};
    default:
      return std::nullopt;
  }
}

Rel as_unsigned(Rel rel) {
  switch (rel) {
    case Rel::lt:
      return Rel::ltu;
    case Rel::ge:
      return Rel::geu;
    case Rel::gt:
      return Rel::gtu;
    case Rel::le:
      return Rel::leu;
    default:
      return rel;
  }
}

std::int64_t as_signed(std::uint64_t v, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(v);
  std::uint64_t sign = 1ull << (bits - 1);
  return static_cast<std::int64_t>(((v & low_bits(bits)) ^ sign) - sign);
}

std::uint8_t outcome(std::uint64_t a, std::uint64_t b, unsigned bits, bool is_unsigned) {
  if (is_unsigned) return a < b ? less : a == b ? equal : greater;
  std::int64_t sa = as_signed(a, bits), sb = as_signed(b, bits);
  return sa < sb ? less : sa == sb ? equal : greater;
}

// Opaque questions: those whose answer is neither eq, ne nor an order of two values.
constexpr std::uint8_t tag_negative = 0xf0, tag_overflow = 0xf1;

// Flags that were not made by comparing two values known here: each pair of opposite conditions is a question of its
// own. Zero and carry may both be set, and neither.
std::uint8_t tag_of_flags(Rel rel) {
  switch (rel) {
    case Rel::eq:
    case Rel::ne:
      return tag_equality;
    case Rel::ltu:
    case Rel::geu:
      return 0xf3;
    case Rel::gtu:
    case Rel::leu:
      return 0xf4;
    case Rel::lt:
    case Rel::ge:
      return 0xf5;
    default:
      return 0xf6;  // gt, le
  }
}

bool is_negated(Rel rel) {
  return rel == Rel::ne || rel == Rel::geu || rel == Rel::leu || rel == Rel::ge || rel == Rel::le;
}

}  // namespace

Rel mirrored(Rel rel) {
  switch (rel) {
    case Rel::lt:
      return Rel::gt;
    case Rel::gt:
      return Rel::lt;
    case Rel::le:
      return Rel::ge;
    case Rel::ge:
      return Rel::le;
    case Rel::ltu:
      return Rel::gtu;
    case Rel::gtu:
      return Rel::ltu;
    case Rel::leu:
      return Rel::geu;
    case Rel::geu:
      return Rel::leu;
    default:
      return rel;
  }
}

std::optional<bool> decide(const Question& q, std::uint64_t a, std::uint64_t b) {
  std::optional<Wanted> w = wanted(q.rel);
  if (!w || q.b == no_value) return std::nullopt;
  const std::uint64_t m = low_bits(q.width * 8u);
  return (outcome(a & m, b & m, q.width * 8u, w->is_unsigned) & w->outcomes) != 0;
}

std::optional<bool> decided_by_structure(const ValuePool& pool, const Question& q) {
  const std::optional<Wanted> w = wanted(q.rel);
  if (!w || q.b == no_value) return std::nullopt;
  const std::uint64_t m = low_bits(q.width * 8u);
  const KnownBits a = pool.known(q.a), b = pool.known(q.b);
  if (a.all(m) && b.all(m)) return decide(q, a.ones, b.ones);
  const bool differ = ((a.ones & b.zeros) | (a.zeros & b.ones)) & m;
  if (differ && (q.rel == Rel::eq || q.rel == Rel::ne)) return q.rel == Rel::ne;
  // The sign alone.
  const std::uint64_t sign = 1ull << (q.width * 8u - 1);
  if (b.all(m) && (b.ones & m) == 0 && (q.rel == Rel::lt || q.rel == Rel::ge) && a.all(sign))
    return ((a.ones & sign) != 0) == (q.rel == Rel::lt);
  return std::nullopt;
}

Question State::question(const Setting& s, const Predicate& p, ValueId a, ValueId b) const {
  Question q;
  q.rel = p.rel;
  q.tag = p.tag;
  q.width = p.width;
  auto narrow = [&](ValueId v) {
    MicroOp op;
    op.op = Op::zext;
    op.bits = static_cast<std::uint8_t>(q.width * 8);
    return q.width >= s.facts.register_bytes ? v : s.pool.compute(op, v, no_value);
  };
  bool order = wanted(p.rel).has_value();
  if (p.flags != no_place) {
    ValueId flags = get(s, p.flags);
    const Value f = s.pool[flags];
    q.a = flags;
    q.b = no_value;
    bool equality = p.rel == Rel::eq || p.rel == Rel::ne;
    bool sign = p.rel == Rel::negative || p.rel == Rel::nonnegative;
    if (f.kind == ValueKind::op && f.op == Op::compare && order) {
      if (f.bits == 1) q.rel = as_unsigned(q.rel);  // the comparison, not the branch, says that the order is unsigned
      q.width = f.width;
      q.a = narrow(f.a);
      q.b = narrow(f.b);
    } else if (f.kind == ValueKind::op && f.op == Op::test) {
      bool is_signed = order && !wanted(p.rel)->is_unsigned && (equality || f.bits != 1);
      if (is_signed || sign) {
        q.width = f.width;
        q.a = narrow(f.a);
        q.b = s.pool.constant(0);
        if (sign) q.rel = p.rel == Rel::negative ? Rel::lt : Rel::ge;
      }
    } else if (f.kind == ValueKind::op && f.op == Op::compare_add && equality) {
      q.width = f.width;
      MicroOp neg;
      neg.op = Op::sub;
      neg.width = f.width;
      q.a = narrow(f.a);
      q.b = narrow(s.pool.compute(neg, s.pool.constant(0), f.b));
    }
  } else {
    q.a = order ? narrow(a) : a;
    q.b = order ? narrow(b) : no_value;
  }
  if (q.b == no_value) {
    if (order) {
      q.tag = tag_of_flags(q.rel);
      q.rel = is_negated(q.rel) ? Rel::opaque_not : Rel::opaque;
    }
    if (q.rel == Rel::negative || q.rel == Rel::nonnegative) q.tag = tag_negative;
    if (q.rel == Rel::overflow || q.rel == Rel::no_overflow) q.tag = tag_overflow;
    if (q.rel == Rel::nonnegative || q.rel == Rel::no_overflow || q.rel == Rel::opaque_not)
      q.rel = Rel::opaque_not;
    else if (q.rel == Rel::negative || q.rel == Rel::overflow || q.rel == Rel::opaque)
      q.rel = Rel::opaque;
    return q;
  }
  bool a_const = s.pool.as_constant(q.a).has_value(), b_const = s.pool.as_constant(q.b).has_value();
  if ((a_const && !b_const) || (!b_const && q.a > q.b)) {
    std::swap(q.a, q.b);
    q.rel = mirrored(q.rel);
  }
  return q;
}

KnownBits State::known(const Setting& s, ValueId value, int depth) const {
  KnownBits k = s.pool.known(value);
  if (refined_.empty()) return k;
  for (const Refined& r : refined_) {
    if (r.value != value) continue;
    k.zeros |= r.bits.zeros;
    k.ones |= r.bits.ones;
  }
  const Value& v = s.pool[value];
  if (depth == 0) return k;
  if (v.kind == ValueKind::after_c) {
    KnownBits inner = known(s, v.a, depth - 1);
    k.zeros |= inner.zeros & v.imm;
    k.ones |= inner.ones & v.imm;
  }
  if (v.kind != ValueKind::op) return k;
  std::optional<std::uint64_t> c = s.pool.as_constant(v.b);
  KnownBits a = known(s, v.a, depth - 1);
  const std::uint64_t m = low_bits(v.width * 8u) & s.pool.mask();
  switch (v.op) {
    case Op::and_:
      if (c) k.zeros |= a.zeros, k.ones |= a.ones & *c;
      break;
    case Op::or_:
      if (c) k.zeros |= a.zeros & ~*c, k.ones |= a.ones & m;
      break;
    case Op::xor_:
      if (c) {
        k.zeros |= (a.zeros & ~*c) | (a.ones & *c);
        k.ones |= ((a.ones & ~*c) | (a.zeros & *c)) & m;
      }
      break;
    case Op::shl:
      if (c && *c < 64) k.zeros |= a.zeros << *c, k.ones |= (a.ones << *c) & m;
      break;
    case Op::shr:
      if (c && *c < 64) k.zeros |= (a.zeros & m) >> *c, k.ones |= (a.ones & m) >> *c;
      break;
    case Op::extract:
      k.zeros |= (a.zeros >> (v.lsb & 63)) & low_bits(v.bits);
      k.ones |= (a.ones >> (v.lsb & 63)) & low_bits(v.bits);
      break;
    default:
      break;
  }
  return k;
}

std::optional<std::uint64_t> State::upper_bound(const Setting& s, ValueId value) const {
  std::optional<std::uint64_t> bound;
  for (const PairFact& f : pairs_) {
    if (f.a != value || f.b == no_value || (f.outcomes_unsigned & greater) != 0) continue;
    std::optional<std::uint64_t> c = s.pool.as_constant(f.b);
    if (!c) continue;
    std::uint64_t limit = (f.outcomes_unsigned & equal) != 0 || *c == 0 ? *c : *c - 1;
    if (!bound || limit < *bound) bound = limit;
  }
  return bound;
}

Answer State::answer(const Setting& s, const Question& q) const {
  std::optional<Wanted> w = wanted(q.rel);
  if (!w) {
    for (const OpaqueFact& f : opaques_)
      if (f.a == q.a && f.tag == q.tag) return {Answer::By::facts, f.holds == (q.rel == Rel::opaque)};
    return {};
  }
  if (q.b != no_value) {
    std::optional<std::uint64_t> a = s.pool.as_constant(q.a), b = s.pool.as_constant(q.b);
    if (a && b) return {Answer::By::constants, (outcome(*a, *b, q.width * 8u, w->is_unsigned) & w->outcomes) != 0};
    bool equality = q.rel == Rel::eq || q.rel == Rel::ne;
    if (q.a == q.b) return {Answer::By::constants, (w->outcomes & equal) != 0};
    KnownBits ka = known(s, q.a), kb = known(s, q.b);
    const std::uint64_t m = low_bits(q.width * 8u);
    if (equality && (((ka.ones & kb.zeros) | (ka.zeros & kb.ones)) & m) != 0)
      return {Answer::By::facts, q.rel == Rel::ne};
    if (equality && ka.all(m) && kb.all(m) && ((ka.ones ^ kb.ones) & m) == 0)
      return {Answer::By::facts, q.rel == Rel::eq};
    if (w->is_unsigned) {
      std::uint64_t a_low = ka.ones & m, a_high = ~ka.zeros & m, b_low = kb.ones & m, b_high = ~kb.zeros & m;
      if (a_high < b_low) return {Answer::By::facts, (w->outcomes & less) != 0};
      if (a_low > b_high) return {Answer::By::facts, (w->outcomes & greater) != 0};
    } else if (!equality) {
      std::uint64_t sign = 1ull << (q.width * 8u - 1);
      if (b && *b == 0) {  // the sign alone
        if ((ka.ones & sign) != 0) return {Answer::By::facts, (w->outcomes & less) != 0};
        if ((ka.zeros & sign) != 0 && (w->outcomes == less || w->outcomes == (equal | greater)))
          return {Answer::By::facts, w->outcomes != less};
      }
    }
  }
  for (const PairFact& f : pairs_) {
    if (f.a != q.a || f.b != q.b || f.width != q.width) continue;
    std::uint8_t possible = w->is_unsigned ? f.outcomes_unsigned : f.outcomes_signed;
    if ((possible & w->outcomes) == 0) return {Answer::By::facts, false};
    if ((possible & ~w->outcomes) == 0) return {Answer::By::facts, true};
  }
  return {};
}

namespace {

// Answers that a path remembers. To forget the oldest only means to ask again; kernel entry code needs some tens.
constexpr std::size_t max_facts = 128;

template <typename Fact>
void remember(std::vector<Fact>& facts, const Fact& fact) {
  if (facts.size() >= max_facts) facts.erase(facts.begin());
  facts.push_back(fact);
}

}  // namespace

void State::assume(const Setting& s, const Question& q, bool holds) {
  std::optional<Wanted> w = wanted(q.rel);
  if (!w) {
    remember(opaques_, {q.a, q.tag, holds == (q.rel == Rel::opaque)});
    resolve_selects(s);
    return;
  }
  PairFact fact{q.a, q.b, q.width, any, any};
  auto it = std::find_if(pairs_.begin(), pairs_.end(),
                         [&](const PairFact& f) { return f.a == q.a && f.b == q.b && f.width == q.width; });
  if (it != pairs_.end()) fact = *it;
  std::uint8_t left = holds ? w->outcomes : static_cast<std::uint8_t>(any & ~w->outcomes);
  (w->is_unsigned ? fact.outcomes_unsigned : fact.outcomes_signed) &= left;
  // Equality is one thing in both orders.
  for (int i = 0; i < 2; ++i) {
    std::uint8_t& x = i == 0 ? fact.outcomes_signed : fact.outcomes_unsigned;
    std::uint8_t& y = i == 0 ? fact.outcomes_unsigned : fact.outcomes_signed;
    if ((x & equal) == 0) y &= less | greater;
    if (x == equal) y &= equal;
  }
  if (it != pairs_.end())
    *it = fact;
  else
    remember(pairs_, fact);

  if (q.b != no_value) {
    const std::uint64_t m = low_bits(q.width * 8u) & s.pool.mask();
    if (std::optional<std::uint64_t> c = s.pool.as_constant(q.b)) {
      if (fact.outcomes_signed == equal) {
        refine(s, q.a, {~*c & m, *c & m}, 5);
      } else if ((fact.outcomes_signed & equal) == 0) {
        // Not equal to c where one bit only is unknown: that bit is the other one.
        KnownBits k = known(s, q.a);
        std::uint64_t open = ~(k.zeros | k.ones) & m;
        if (open != 0 && (open & (open - 1)) == 0 && (k.ones & ~open & m) == (*c & ~open & m))
          refine(s, q.a, {open & *c, open & ~*c}, 5);
      }
      const std::uint64_t sign = 1ull << (q.width * 8u - 1);
      if (*c == 0 && fact.outcomes_signed == less) refine(s, q.a, {0, sign}, 5);
      if (*c == 0 && (fact.outcomes_signed & less) == 0) refine(s, q.a, {sign, 0}, 5);
    }
  }
  resolve_selects(s);
}

void State::refine(const Setting& s, ValueId value, KnownBits bits, int depth) {
  bits.zeros &= s.pool.mask();
  bits.ones &= s.pool.mask();
  if ((bits.zeros | bits.ones) == 0) return;
  auto it = std::find_if(refined_.begin(), refined_.end(), [&](const Refined& r) { return r.value == value; });
  if (it == refined_.end()) {
    remember(refined_, {value, bits});
  } else {
    it->bits.zeros |= bits.zeros;
    it->bits.ones |= bits.ones;
  }
  const Value v = s.pool[value];
  if (depth == 0) return;
  if (v.kind == ValueKind::after_c) return refine(s, v.a, {bits.zeros & v.imm, bits.ones & v.imm}, depth - 1);
  if (v.kind != ValueKind::op) return;
  std::optional<std::uint64_t> c = s.pool.as_constant(v.b);
  bits.zeros &= low_bits(v.width * 8u);  // the bits above are zero whatever the operands are
  bits.ones &= low_bits(v.width * 8u);
  switch (v.op) {
    case Op::and_:
      if (c) refine(s, v.a, {bits.zeros & *c, bits.ones & *c}, depth - 1);
      break;
    case Op::or_:
      if (c) refine(s, v.a, {bits.zeros & ~*c, bits.ones & ~*c}, depth - 1);
      break;
    case Op::xor_:
      if (c) refine(s, v.a, {(bits.zeros & ~*c) | (bits.ones & *c), (bits.ones & ~*c) | (bits.zeros & *c)}, depth - 1);
      break;
    case Op::shl:
      if (c && *c < 64) refine(s, v.a, {(bits.zeros & low_bits(v.width * 8u)) >> *c, bits.ones >> *c}, depth - 1);
      break;
    case Op::shr:
      if (c && *c < 64) {
        std::uint64_t m = low_bits(v.width * 8u) & ~low_bits(static_cast<unsigned>(*c));
        refine(s, v.a, {(bits.zeros << *c) & m, (bits.ones << *c) & m}, depth - 1);
      }
      break;
    case Op::extract: {
      std::uint64_t field = low_bits(v.bits);
      refine(s, v.a, {(bits.zeros & field) << (v.lsb & 63), (bits.ones & field) << (v.lsb & 63)}, depth - 1);
      break;
    }
    case Op::sext:
      refine(s, v.a, {bits.zeros & low_bits(v.bits), bits.ones & low_bits(v.bits)}, depth - 1);
      break;
    default:
      break;
  }
}

void State::resolve_selects(const Setting& s) {
  if (!s.pool.has_selects()) return;
  auto resolved = [&](ValueId v) {
    for (int i = 0; i < 8 && s.pool[v].kind == ValueKind::select; ++i) {
      const Value node = s.pool[v];
      Answer known_answer = answer(s, s.pool.question_of(node));
      if (!known_answer.known()) break;
      v = known_answer.holds ? node.a : node.b;
    }
    return v;
  };
  for (ValueId& v : places_)
    if ((v & of_event) == 0) v = resolved(v);
  for (Cell& c : cells_)
    if ((c.value & of_event) == 0) c.value = resolved(c.value);
}

}  // namespace trapline
