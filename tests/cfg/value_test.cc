// SPDX-License-Identifier: Apache-2.0
//
// Values against plain arithmetic. What an operation means is taken from the comments of disasm/insn.h and written down
// here a second time, in another way: `meaning` knows nothing of ValuePool.
#include "cfg/value.h"

#include <doctest/doctest.h>
#include <algorithm>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "random.h"

namespace trapline {
namespace {

using test::Random;

MicroOp make(Op op, unsigned width, unsigned lsb = 0, unsigned bits = 0) {
  MicroOp m;
  m.op = op;
  m.width = static_cast<std::uint8_t>(width);
  m.lsb = static_cast<std::uint8_t>(lsb);
  m.bits = static_cast<std::uint8_t>(bits);
  return m;
}

// One bit of a number.
bool bit(std::uint64_t v, unsigned n) { return n < 64 && (v >> n & 1) != 0; }

// A number from its bits, of which there are `count`.
template <typename Bits>
std::uint64_t from_bits(unsigned count, const Bits& bits) {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < count; ++i)
    if (bits(i)) v |= std::uint64_t{1} << i;
  return v;
}

std::uint64_t meaning(const MicroOp& op, std::uint64_t a, std::uint64_t b, unsigned register_bytes) {
  const unsigned n = op.width * 8u, all = register_bytes * 8;
  const unsigned by = static_cast<unsigned>(b & 0xff);
  auto cut = [](std::uint64_t v, unsigned bits) { return from_bits(bits, [&](unsigned i) { return bit(v, i); }); };
  switch (op.op) {
    case Op::set:
      return cut(a, n);
    case Op::add:
      return cut(a + b, n);
    case Op::sub:
      return cut(a - b, n);
    case Op::mul:
      return cut(a * b, n);
    case Op::and_:
      return from_bits(n, [&](unsigned i) { return bit(a, i) && bit(b, i); });
    case Op::or_:
      return from_bits(n, [&](unsigned i) { return bit(a, i) || bit(b, i); });
    case Op::xor_:
      return from_bits(n, [&](unsigned i) { return bit(a, i) != bit(b, i); });
    case Op::not_:
      return from_bits(n, [&](unsigned i) { return !bit(a, i); });
    case Op::shl:
      return from_bits(n, [&](unsigned i) { return i >= by && bit(a, i - by); });
    case Op::shr:
      return from_bits(n, [&](unsigned i) { return i + by < n && bit(a, i + by); });
    case Op::sar:
      return from_bits(n, [&](unsigned i) { return bit(a, i + by < n ? i + by : n - 1); });
    case Op::ror:
      return from_bits(n, [&](unsigned i) { return bit(a, (i + by) % n); });
    case Op::extract:
      return from_bits(op.bits, [&](unsigned i) { return bit(a, op.lsb + i); });
    case Op::insert:
      return from_bits(all, [&](unsigned i) {
        const bool inside = i >= op.lsb && i < unsigned{op.lsb} + op.bits;
        return inside ? bit(b, i - op.lsb) : bit(a, i);
      });
    case Op::sext:
      return from_bits(all, [&](unsigned i) { return bit(a, i < op.bits ? i : op.bits - 1u); });
    case Op::zext:
      return cut(a, op.bits);
    default:
      return 0;
  }
}

// An operation that the lifters may emit, and whether it has a second operand.
struct Shape {
  MicroOp op;
  bool binary = false;
  bool shift = false;
};

Shape random_shape(Random& r, unsigned register_bytes) {
  constexpr std::array ops{Op::set,  Op::add,     Op::add,    Op::sub,  Op::sub, Op::mul, Op::and_,
                           Op::and_, Op::or_,     Op::xor_,   Op::not_, Op::shl, Op::shr, Op::sar,
                           Op::ror,  Op::extract, Op::insert, Op::sext, Op::zext};
  const Op op = r.pick(ops);
  const unsigned all = register_bytes * 8;
  unsigned width = register_bytes;
  if (r.one_in(3)) width = 1u << r.below(register_bytes == 8 ? 4 : 3);
  Shape s;
  s.shift = op == Op::shl || op == Op::shr || op == Op::sar || op == Op::ror;
  s.binary = s.shift || op == Op::add || op == Op::sub || op == Op::mul || op == Op::and_ || op == Op::or_ ||
             op == Op::xor_ || op == Op::insert;
  if (op == Op::extract || op == Op::insert) {
    const unsigned lsb = r.below(all);
    s.op = make(op, register_bytes, lsb, 1 + r.below(all - lsb));
  } else if (op == Op::sext || op == Op::zext) {
    s.op = make(op, register_bytes, 0, 1 + r.below(all));
  } else {
    s.op = make(op, width);
  }
  return s;
}

// Values made from up to two leaves, with what they are for given numbers in the leaves.
struct Expressions {
  struct Node {
    ValueId id;
    Shape shape;         // of an operation
    int a = -1, b = -1;  // indices of operands; -1: a leaf or a constant
    int leaf = -1;
    std::uint64_t constant = 0;
  };
  ValuePool pool;
  unsigned register_bytes;
  std::vector<Node> nodes;

  Expressions(unsigned bytes, unsigned leaves) : pool(bytes), register_bytes(bytes) {
    for (unsigned i = 0; i < leaves; ++i) {
      Node n{};
      n.id = pool.entry(static_cast<Place>(i + 1));
      n.leaf = static_cast<int>(i);
      nodes.push_back(n);
    }
  }
  int constant(std::uint64_t v) {
    Node n{};
    n.id = pool.constant(v);
    n.constant = v & low_bits(register_bytes * 8);
    nodes.push_back(n);
    return static_cast<int>(nodes.size()) - 1;
  }
  void grow(Random& r) {
    Node n{};
    n.shape = random_shape(r, register_bytes);
    n.a = static_cast<int>(r.below(static_cast<unsigned>(nodes.size())));
    if (n.shape.shift && !r.one_in(4))
      n.b = constant(r.below(n.shape.op.width * 8u));
    else if (n.shape.binary)
      n.b = r.one_in(2) ? constant(r.number()) : static_cast<int>(r.below(static_cast<unsigned>(nodes.size())));
    n.id = pool.compute(n.shape.op, nodes[static_cast<std::size_t>(n.a)].id,
                        n.b < 0 ? no_value : nodes[static_cast<std::size_t>(n.b)].id);
    nodes.push_back(n);
  }
  std::vector<std::uint64_t> numbers(const std::vector<std::uint64_t>& leaves) const {
    std::vector<std::uint64_t> v;
    for (const Node& n : nodes) {
      if (n.leaf >= 0)
        v.push_back(leaves[static_cast<std::size_t>(n.leaf)] & low_bits(register_bytes * 8));
      else if (n.a < 0)
        v.push_back(n.constant);
      else
        v.push_back(meaning(n.shape.op, v[static_cast<std::size_t>(n.a)],
                            n.b < 0 ? 0 : v[static_cast<std::size_t>(n.b)], register_bytes));
    }
    return v;
  }
};

std::string shown(const MicroOp& op) {
  return "op " + std::to_string(static_cast<int>(op.op)) + " width " + std::to_string(op.width) + " lsb " +
         std::to_string(op.lsb) + " bits " + std::to_string(op.bits);
}

constexpr auto no_memory = [](std::uint64_t, unsigned) -> std::optional<std::uint64_t> { return std::nullopt; };

TEST_CASE("constants fold as the operations say") {
  Random r(1);
  for (unsigned bytes : {4u, 8u}) {
    ValuePool pool(bytes);
    for (int i = 0; i < 20000; ++i) {
      const Shape s = random_shape(r, bytes);
      const std::uint64_t a = r.number() & low_bits(bytes * 8), b = r.number() & low_bits(bytes * 8);
      const ValueId v = pool.compute(s.op, pool.constant(a), s.binary ? pool.constant(b) : no_value);
      INFO(shown(s.op), " of ", a, " and ", b);
      REQUIRE(pool.as_constant(v).has_value());
      REQUIRE(*pool.as_constant(v) == meaning(s.op, a, s.binary ? b : 0, bytes));
    }
  }
}

TEST_CASE("one byte, every number") {
  ValuePool pool(4);
  for (Op op : {Op::add, Op::sub, Op::mul, Op::and_, Op::or_, Op::xor_, Op::shl, Op::shr, Op::sar, Op::ror}) {
    for (std::uint64_t a = 0; a < 256; ++a)
      for (std::uint64_t b = 0; b < 256; b += 5) {
        const MicroOp m = make(op, 1);
        if (*pool.as_constant(pool.compute(m, pool.constant(a), pool.constant(b))) != meaning(m, a, b, 4))
          FAIL(shown(m), " of ", a, " and ", b);
      }
  }
}

TEST_CASE("known bits never lie, and one value is one number") {
  Random r(2);
  for (int round = 0; round < 1500; ++round) {
    Expressions e(round % 2 == 0 ? 8 : 4, 1 + r.below(2));
    for (unsigned i = 0, n = 4 + r.below(12); i < n; ++i) e.grow(r);
    for (int sample = 0; sample < 12; ++sample) {
      const std::vector<std::uint64_t> numbers = e.numbers({r.number(), r.number()});
      for (std::size_t i = 0; i < e.nodes.size(); ++i) {
        const KnownBits k = e.pool.known(e.nodes[i].id);
        const std::optional<std::uint64_t> c = e.pool.as_constant(e.nodes[i].id);
        bool lies = (numbers[i] & k.zeros) != 0 || (~numbers[i] & k.ones) != 0 || (c && *c != numbers[i]);
        for (std::size_t j = 0; j < i; ++j) lies = lies || (e.nodes[j].id == e.nodes[i].id && numbers[j] != numbers[i]);
        if (lies) FAIL("round ", round, " node ", i, " ", shown(e.nodes[i].shape.op), " = ", numbers[i]);
      }
    }
  }
}

TEST_CASE("evaluate agrees with arithmetic") {
  Random r(3);
  int evaluated = 0;
  for (int round = 0; round < 800; ++round) {
    Expressions e(round % 2 == 0 ? 8 : 4, 1);
    for (unsigned i = 0, n = 4 + r.below(10); i < n; ++i) e.grow(r);
    const ValueId leaf = e.nodes.front().id;
    for (int sample = 0; sample < 8; ++sample) {
      const std::uint64_t x = r.number() & low_bits(e.register_bytes * 8);
      const std::vector<std::uint64_t> numbers = e.numbers({x});
      for (std::size_t i = 0; i < e.nodes.size(); ++i) {
        std::optional<std::uint64_t> v = e.pool.evaluate(e.nodes[i].id, leaf, x, no_memory);
        if (v != std::optional(numbers[i])) FAIL("round ", round, " ", shown(e.nodes[i].shape.op), " = ", numbers[i]);
        ++evaluated;
      }
    }
  }
  CHECK(evaluated > 50000);
}

TEST_CASE("evaluate refuses other unknowns and reads memory by the callback") {
  ValuePool pool(8);
  const ValueId x = pool.entry(1), y = pool.entry(2);
  const MicroOp add = make(Op::add, 8);
  CHECK(!pool.evaluate(pool.compute(add, x, y), x, 5, no_memory));
  const ValueId address = pool.compute(add, pool.compute(make(Op::shl, 8), x, pool.constant(2)), pool.constant(0x1000));
  const ValueId loaded = pool.load(address, 4, 0);
  CHECK(!pool.evaluate(loaded, x, 3, no_memory));
  auto memory = [](std::uint64_t at, unsigned width) -> std::optional<std::uint64_t> {
    if (width != 4) return std::nullopt;
    return at == 0x100c ? std::optional<std::uint64_t>(77) : std::nullopt;
  };
  CHECK(pool.evaluate(loaded, x, 3, memory) == std::optional<std::uint64_t>(77));
  CHECK(!pool.evaluate(loaded, x, 4, memory));
}

// A value that was doubled 20 times reaches its leaf in 2^20 ways: evaluating must not try each.
TEST_CASE("evaluate takes a bounded time on shared parts") {
  ValuePool pool(8);
  const ValueId x = pool.entry(1);
  ValueId v = pool.load(x, 8, 0);
  for (int i = 0; i < 20; ++i) v = pool.compute(make(Op::add, 8), v, v);
  int reads = 0;
  auto memory = [&reads](std::uint64_t, unsigned) -> std::optional<std::uint64_t> {
    ++reads;
    return 1;
  };
  const std::optional<std::uint64_t> got = pool.evaluate(v, x, 0x1000, memory);
  if (got) CHECK(*got == 1 << 20);
  CHECK(reads < 10'000);
}

TEST_CASE("sums have one form") {
  ValuePool pool(8);
  const MicroOp add = make(Op::add, 8), sub = make(Op::sub, 8);
  const ValueId x = pool.entry(1), y = pool.entry(2);
  auto c = [&](std::uint64_t v) { return pool.constant(v); };
  const ValueId x24 = pool.compute(add, x, c(24));
  CHECK(pool.compute(add, c(24), x) == x24);
  CHECK(pool.compute(add, pool.compute(add, x, c(16)), c(8)) == x24);
  CHECK(pool.compute(sub, pool.compute(add, x, c(32)), c(8)) == x24);
  CHECK(pool.compute(sub, x24, c(24)) == x);
  CHECK(pool.as_constant(pool.compute(sub, x24, x)) == std::optional<std::uint64_t>(24));
  CHECK(pool.as_constant(pool.compute(sub, x, x24)) == std::optional<std::uint64_t>(~0ull - 23));
  CHECK(pool.compute(add, x, y) == pool.compute(add, y, x));
  CHECK(pool.compute(add, x24, y) == pool.compute(add, x, pool.compute(add, y, c(24))));
  CHECK(pool.as_address(x24).base == x);
  CHECK(pool.as_address(x24).offset == 24);
  CHECK(pool.as_address(pool.compute(sub, x, c(320))).offset == -320);
  CHECK(pool.as_address(c(0xffffffff80000000)).base == no_value);
  // On 32 bits a sum turns over at 2^32, and so does an offset.
  ValuePool narrow(4);
  const ValueId z = narrow.entry(1);
  const ValueId minus16 = narrow.compute(make(Op::add, 4), z, narrow.constant(0xfffffff0));
  CHECK(narrow.as_address(minus16).offset == -16);
  CHECK(narrow.compute(make(Op::add, 4), minus16, narrow.constant(16)) == z);
}

TEST_CASE("masks have one form") {
  ValuePool pool(8);
  const ValueId x = pool.entry(1);
  const MicroOp mask = make(Op::and_, 8);
  const ValueId low3 = pool.compute(mask, x, pool.constant(7));
  CHECK(pool.compute(make(Op::extract, 8, 0, 3), x, no_value) == low3);
  CHECK(pool.compute(make(Op::zext, 8, 0, 3), x, no_value) == low3);
  CHECK(pool.compute(mask, pool.compute(mask, x, pool.constant(0xf)), pool.constant(0x37)) == low3);
  CHECK(pool.compute(mask, low3, pool.constant(0xff)) == low3);
  // Nothing is left, and what it was made of is remembered.
  const ValueId nothing = pool.compute(mask, low3, pool.constant(8));
  CHECK(pool.known(nothing) == KnownBits{~std::uint64_t{0}, 0});
  std::vector<ValueId> parts;
  pool.parts(nothing, parts, 8);
  CHECK(std::find(parts.begin(), parts.end(), x) != parts.end());
  CHECK(pool.compute(make(Op::set, 8), x, no_value) == x);
  CHECK(pool.compute(make(Op::set, 4), x, no_value) == pool.compute(mask, x, pool.constant(0xffffffff)));
  // What C may have changed, seen through a mask of bits that it keeps, is what it was.
  const ValueId after = pool.after_c(x, 9, 3);
  CHECK(pool.compute(mask, after, pool.constant(3)) == pool.compute(mask, x, pool.constant(3)));
  CHECK(pool.compute(mask, after, pool.constant(7)) != low3);
}

TEST_CASE("select of two equal values is that value") {
  ValuePool pool(8);
  const ValueId x = pool.entry(1);
  Question q;
  q.a = x;
  q.b = pool.constant(0);
  CHECK(pool.select(q, x, x) == x);
  const ValueId s = pool.select(q, pool.constant(5), pool.constant(4));
  CHECK(pool.known(s).ones == 4);
  CHECK((pool.known(s).zeros & 1) == 0);
  CHECK((pool.known(s).zeros & 2) != 0);
  CHECK(pool.question_of(pool[s]) == q);
}

TEST_CASE("many values stay apart while the table grows") {
  ValuePool pool(8);
  std::vector<ValueId> ids;
  for (std::uint64_t i = 0; i < 50000; ++i) ids.push_back(pool.constant(i * 0x10001));
  for (std::uint64_t i = 0; i < 50000; ++i) REQUIRE(pool.constant(i * 0x10001) == ids[i]);
  CHECK(pool.opaque(1, 2, 3) != pool.opaque(1, 3, 2));
  CHECK(pool.opaque_of_event(pool.event(0x100, 1), 7) == pool.opaque(0x100, 1, 7));
  CHECK(pool.event(0x100, 1) == pool.event(0x100, 1));
  CHECK(pool.event(0x100, 1) != pool.event(0x100, 2));
}

}  // namespace
}  // namespace trapline
