// SPDX-License-Identifier: Apache-2.0
//
// The state of a path against brute force: a state that was told answers may claim only what holds for every content of
// the registers that agrees with all of them.
#include "cfg/state.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "assemble.h"
#include "cfg/machine.h"
#include "disasm/arch/arch.h"
#include "random.h"

namespace trapline {
namespace {

using test::Random;
using test::Target;

// An image for its architecture's facts, and a state at the entry of a function.
struct Bench {
  explicit Bench(Target target, const Contract& at_entry = function())
      : image(test::assemble(target, target == Target::arm           ? "f: bx lr"
                                     : target == Target::powerpc64le ? "f: blr"
                                                                     : "f: ret")),
        facts(image->arch().facts()),
        pool(facts.register_bytes),
        setting{pool, *image, facts, image->elf().little_endian},
        state(setting, at_entry) {}
  static Contract function() {
    Contract c;
    c.kind = ContractKind::function;
    return c;
  }
  Place place(std::string_view name) const {
    for (std::size_t i = 0; i < facts.places.size(); ++i)
      if (facts.places[i].name == name) return static_cast<Place>(i);
    FAIL("no such place");
    return no_place;
  }
  ValueId get(std::string_view name) const { return state.get(setting, place(name)); }
  ValueId plus(ValueId a, std::int64_t n) { return compute(Op::add, a, pool.constant(static_cast<std::uint64_t>(n))); }
  ValueId compute(Op op, ValueId a, ValueId b, unsigned width = 0, unsigned lsb = 0, unsigned bits = 0) {
    MicroOp m;
    m.op = op;
    m.width = static_cast<std::uint8_t>(width == 0 ? facts.register_bytes : width);
    m.lsb = static_cast<std::uint8_t>(lsb);
    m.bits = static_cast<std::uint8_t>(bits);
    return pool.compute(m, a, b);
  }
  ValueId load(ValueId at, unsigned width) { return state.load(setting, at, width, moment()); }
  void store(ValueId at, unsigned width, ValueId v) { state.store(setting, at, width, v, moment()); }
  Moment moment() {
    ++stamp;
    return {0x1000 + 4 * std::uint64_t{stamp}, stamp};
  }
  Question ask(Rel rel, ValueId a, ValueId b, unsigned width = 0) const {
    Predicate p;
    p.rel = rel;
    p.width = static_cast<std::uint8_t>(width == 0 ? facts.register_bytes : width);
    return state.question(setting, p, a, b);
  }
  Answer answer(const Question& q) const { return state.answer(setting, q); }
  void assume(const Question& q, bool holds) { state.assume(setting, q, holds); }

  std::unique_ptr<Image> image;
  const Facts& facts;
  ValuePool pool;
  Setting setting;
  State state;
  std::uint32_t stamp = 0;
};

bool relation(Rel rel, std::uint64_t a, std::uint64_t b, unsigned width) {
  const unsigned shift = 64 - 8 * width;
  a <<= shift, b <<= shift;
  const std::int64_t sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  switch (rel) {
    case Rel::eq:
      return a == b;
    case Rel::ne:
      return a != b;
    case Rel::lt:
      return sa < sb;
    case Rel::ge:
      return sa >= sb;
    case Rel::gt:
      return sa > sb;
    case Rel::le:
      return sa <= sb;
    case Rel::ltu:
      return a < b;
    case Rel::geu:
      return a >= b;
    case Rel::gtu:
      return a > b;
    case Rel::leu:
      return a <= b;
    default:
      return false;
  }
}

constexpr Rel orders[] = {Rel::eq, Rel::ne, Rel::lt, Rel::ge, Rel::gt, Rel::le, Rel::ltu, Rel::geu, Rel::gtu, Rel::leu};

// Registers with every combination of some interesting numbers, and values computed from them.
class Worlds {
 public:
  Worlds(Bench& bench, std::vector<std::string> registers, Random& r) : bench_(bench) {
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < (registers.size() == 1 ? 120 : 14); ++i) numbers.push_back(r.number() & bench.pool.mask());
    for (std::uint64_t n : {0ull, 1ull, ~0ull}) numbers.push_back(n & bench.pool.mask());
    for (const std::string& name : registers) values_.push_back(bench.get(name));
    for (std::uint64_t first : numbers) {
      if (registers.size() == 1)
        worlds_.push_back({first});
      else
        for (std::uint64_t second : numbers) worlds_.push_back({first, second});
    }
  }
  std::size_t constant(std::uint64_t c) {
    return add(bench_.pool.constant(c), [c, this](const auto&) { return c & bench_.pool.mask(); });
  }
  // One more value, computed from earlier ones.
  void grow(Random& r) {
    const std::size_t a = r.below(static_cast<unsigned>(values_.size()));
    const std::uint64_t c = r.number() & bench_.pool.mask();
    const unsigned bits = bench_.facts.register_bytes * 8u;
    const unsigned by = r.below(bits), lsb = r.below(bits), count = 1 + r.below(bits - lsb);
    const ValueId v = values_[a], k = bench_.pool.constant(c);
    const std::uint64_t mask = bench_.pool.mask();
    switch (r.below(9)) {
      case 0:
        add(bench_.compute(Op::and_, v, k), [=](const auto& w) { return w[a] & c; });
        break;
      case 1:
        add(bench_.compute(Op::or_, v, k), [=](const auto& w) { return w[a] | c; });
        break;
      case 2:
        add(bench_.compute(Op::xor_, v, k), [=](const auto& w) { return w[a] ^ c; });
        break;
      case 3:
        add(bench_.compute(Op::shl, v, bench_.pool.constant(by)), [=](const auto& w) { return w[a] << by & mask; });
        break;
      case 4:
        add(bench_.compute(Op::shr, v, bench_.pool.constant(by)), [=](const auto& w) { return w[a] >> by; });
        break;
      case 5:
        add(bench_.compute(Op::add, v, k), [=](const auto& w) { return (w[a] + c) & mask; });
        break;
      case 6:
        add(bench_.compute(Op::extract, v, no_value, 0, lsb, count),
            [=](const auto& w) { return w[a] >> lsb & low_bits(count); });
        break;
      case 7: {
        const unsigned low = 1 + r.below(bits);
        add(bench_.compute(Op::sext, v, no_value, 0, 0, low), [=](const auto& w) {
          const unsigned up = 64 - low;
          return static_cast<std::uint64_t>(static_cast<std::int64_t>(w[a] << up) >> up) & mask;
        });
        break;
      }
      default: {  // half as wide as a register
        const unsigned half = bench_.facts.register_bytes / 2u;
        const Op op = r.one_in(2) ? Op::or_ : Op::xor_;
        add(bench_.compute(op, v, k, half),
            [=](const auto& w) { return (op == Op::or_ ? w[a] | c : w[a] ^ c) & low_bits(half * 8); });
      }
    }
  }
  std::size_t size() const { return values_.size(); }
  ValueId value(std::size_t i) const { return values_[i]; }
  const std::vector<std::vector<std::uint64_t>>& all() const { return worlds_; }
  void keep(const std::function<bool(const std::vector<std::uint64_t>&)>& which) {
    std::erase_if(worlds_, [&](const auto& w) { return !which(w); });
  }

 private:
  std::size_t add(ValueId v, const std::function<std::uint64_t(const std::vector<std::uint64_t>&)>& number) {
    values_.push_back(v);
    for (auto& w : worlds_) w.push_back(number(w));
    return values_.size() - 1;
  }
  Bench& bench_;
  std::vector<ValueId> values_;
  std::vector<std::vector<std::uint64_t>> worlds_;  // numbers of all values
};

// Asks and tells random questions; every claim must hold in every world that is left. Returns how many were decided by
// what the state had been told.
int interrogate(Target target, const std::vector<std::string>& registers, std::uint64_t seed) {
  Random r(seed);
  Bench bench(target);
  Worlds worlds(bench, registers, r);
  for (int i = 0; i < 3; ++i) worlds.constant(r.number());
  for (unsigned i = 0, n = 2 + r.below(6); i < n; ++i) worlds.grow(r);
  int decided = 0;
  for (int turn = 0; turn < 10 && !worlds.all().empty(); ++turn) {
    const std::size_t a = r.below(static_cast<unsigned>(worlds.size()));
    const std::size_t b = r.below(static_cast<unsigned>(worlds.size()));
    const unsigned width = r.one_in(3) ? bench.facts.register_bytes / 2u : bench.facts.register_bytes;
    const Rel rel = r.pick(orders);
    const Question q = bench.ask(rel, worlds.value(a), worlds.value(b), width);
    auto holds_in = [&](const auto& w) { return relation(rel, w[a], w[b], width); };
    const Answer answer = bench.answer(q);
    if (answer.known()) {
      for (const auto& w : worlds.all()) {
        INFO("seed ", seed, " turn ", turn, " relation ", static_cast<int>(rel), " width ", width, " of ", w[a],
             " and ", w[b]);
        REQUIRE(answer.holds == holds_in(w));
      }
      if (answer.by == Answer::By::facts) ++decided;
      continue;
    }
    const bool truth = holds_in(worlds.all()[r.below(static_cast<unsigned>(worlds.all().size()))]);
    bench.assume(q, truth);
    worlds.keep([&](const auto& w) { return holds_in(w) == truth; });
    // It must now answer what it was told, mirrored and negated as well.
    const Answer again = bench.answer(q);
    REQUIRE(again.known());
    REQUIRE(again.holds == truth);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      const KnownBits k = bench.state.known(bench.setting, worlds.value(i));
      const std::optional<std::uint64_t> bound = bench.state.upper_bound(bench.setting, worlds.value(i));
      for (const auto& w : worlds.all()) {
        const bool lies =
            (w[i] & k.zeros) != 0 || (~w[i] & k.ones & bench.pool.mask()) != 0 || (bound && w[i] > *bound);
        if (lies) FAIL("seed ", seed, " turn ", turn, " value ", i, " = ", w[i]);
      }
    }
  }
  return decided;
}

TEST_CASE("a state claims nothing that some content of the registers contradicts") {
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    decided += interrogate(Target::loongarch64, {"a0"}, seed);
    decided += interrogate(Target::loongarch64, {"a0", "a1"}, seed);
    decided += interrogate(Target::arm, {"r0"}, seed);
    decided += interrogate(Target::arm, {"r0", "r1"}, seed);
  }
  CHECK(decided > 1000);
}

TEST_CASE("answers imply each other") {
  Bench b(Target::loongarch64);
  const ValueId x = b.get("a0"), y = b.get("a1");
  auto known = [&](Rel rel, ValueId l, ValueId r, bool holds) {
    const Answer a = b.answer(b.ask(rel, l, r));
    return a.known() && a.holds == holds;
  };
  SUBCASE("less than") {
    b.assume(b.ask(Rel::lt, x, y), true);
    CHECK(known(Rel::ge, x, y, false));
    CHECK(known(Rel::gt, y, x, true));
    CHECK(known(Rel::le, y, x, false));
    CHECK(known(Rel::eq, x, y, false));
    CHECK(known(Rel::ne, y, x, true));
    CHECK(known(Rel::le, x, y, true));
    CHECK_FALSE(b.answer(b.ask(Rel::ltu, x, y)).known());    // the unsigned order is another
    CHECK_FALSE(b.answer(b.ask(Rel::lt, x, y, 4)).known());  // and so is that of the low halves
  }
  SUBCASE("not less and not greater is equal, in both orders") {
    b.assume(b.ask(Rel::ltu, x, y), false);
    CHECK_FALSE(b.answer(b.ask(Rel::eq, x, y)).known());
    b.assume(b.ask(Rel::gtu, x, y), false);
    CHECK(known(Rel::eq, x, y, true));
    CHECK(known(Rel::lt, y, x, false));
    CHECK(known(Rel::ge, y, x, true));
  }
  SUBCASE("equality with a constant makes bits known") {
    b.assume(b.ask(Rel::eq, x, b.pool.constant(0x15)), true);
    CHECK(b.state.known(b.setting, x).ones == 0x15);
    CHECK(known(Rel::eq, b.compute(Op::and_, x, b.pool.constant(4)), b.pool.constant(0), false));
    CHECK(known(Rel::ltu, x, b.pool.constant(0x16), true));
    CHECK(known(Rel::ltu, x, b.pool.constant(0x15), false));
  }
  SUBCASE("bits of one value under several masks") {
    b.assume(b.ask(Rel::eq, b.compute(Op::and_, x, b.pool.constant(6)), b.pool.constant(0)), true);
    CHECK(known(Rel::eq, b.compute(Op::and_, x, b.pool.constant(2)), b.pool.constant(0), true));
    CHECK(known(Rel::ne, b.compute(Op::extract, x, no_value, 0, 2, 1), b.pool.constant(0), false));
    CHECK_FALSE(b.answer(b.ask(Rel::eq, b.compute(Op::and_, x, b.pool.constant(10)), b.pool.constant(0))).known());
  }
  SUBCASE("one bit that is not zero is one") {
    b.assume(b.ask(Rel::eq, b.compute(Op::and_, x, b.pool.constant(8)), b.pool.constant(0)), false);
    CHECK(b.state.known(b.setting, x).ones == 8);
    CHECK(known(Rel::eq, b.compute(Op::and_, x, b.pool.constant(0xc)), b.pool.constant(0), false));
  }
  SUBCASE("the sign") {
    b.assume(b.ask(Rel::lt, x, b.pool.constant(0)), true);
    CHECK(known(Rel::eq, b.compute(Op::shr, x, b.pool.constant(63)), b.pool.constant(1), true));
    CHECK(known(Rel::ge, x, b.pool.constant(0), false));
    CHECK(known(Rel::gtu, x, b.pool.constant(~0ull >> 1), true));
  }
  SUBCASE("the sign of a half") {
    b.assume(b.ask(Rel::ge, x, b.pool.constant(0), 4), true);
    CHECK((b.state.known(b.setting, x).zeros & 0x80000000) != 0);
    CHECK((b.state.known(b.setting, x).zeros & (1ull << 63)) == 0);
  }
  SUBCASE("constants need no fact") {
    const Answer a = b.answer(b.ask(Rel::ltu, b.pool.constant(3), b.pool.constant(~0ull)));
    CHECK(a.by == Answer::By::constants);
    CHECK(a.holds);
    CHECK_FALSE(b.answer(b.ask(Rel::lt, b.pool.constant(3), b.pool.constant(~0ull))).holds);
  }
}

// Flags of the ARM kind: N, Z, C, V and what the conditions ask of them (ARM ARM, A8.3).
struct Nzcv {
  bool n, z, c, v;
};
bool condition(Rel rel, const Nzcv& f) {
  switch (rel) {
    case Rel::eq:
      return f.z;
    case Rel::ne:
      return !f.z;
    case Rel::geu:
      return f.c;
    case Rel::ltu:
      return !f.c;
    case Rel::negative:
      return f.n;
    case Rel::nonnegative:
      return !f.n;
    case Rel::overflow:
      return f.v;
    case Rel::no_overflow:
      return !f.v;
    case Rel::gtu:
      return f.c && !f.z;
    case Rel::leu:
      return !f.c || f.z;
    case Rel::ge:
      return f.n == f.v;
    case Rel::lt:
      return f.n != f.v;
    case Rel::gt:
      return !f.z && f.n == f.v;
    default:
      return f.z || f.n != f.v;  // le
  }
}
constexpr Rel conditions[] = {Rel::eq,          Rel::ne,       Rel::geu,         Rel::ltu, Rel::negative,
                              Rel::nonnegative, Rel::overflow, Rel::no_overflow, Rel::gtu, Rel::leu,
                              Rel::ge,          Rel::lt,       Rel::gt,          Rel::le};

Nzcv flags_of_sum(std::uint32_t a, std::uint32_t b, bool carry) {
  const std::uint64_t wide = std::uint64_t{a} + b + (carry ? 1 : 0);
  const std::uint32_t sum = static_cast<std::uint32_t>(wide);
  return {sum >> 31 != 0, sum == 0, wide >> 32 != 0, ((a ^ sum) & (b ^ sum)) >> 31 != 0};
}

// What the flags hold: unknown, of r0 - r1, of r0 + r1, of r0 (with a carry that nobody knows).
enum class Made { unknown, compare, compare_add, test };

int interrogate_flags(Made made, std::uint64_t seed) {
  Random r(seed);
  Bench b(Target::arm);
  const Place flags = static_cast<Place>([&] {
    for (std::size_t i = 0; i < b.facts.places.size(); ++i)
      if (b.facts.places[i].kind == PlaceKind::flags) return i;
    return std::size_t{0};
  }());
  ValueId x = b.get("r0"), y = b.get("r1");
  const bool constant = r.one_in(2);
  const std::uint32_t c = static_cast<std::uint32_t>(r.one_in(3) ? 0 : r.number());
  if (constant) y = b.pool.constant(c);
  if (made == Made::compare) b.state.set(b.setting, flags, b.compute(Op::compare, x, y));
  if (made == Made::compare_add) b.state.set(b.setting, flags, b.compute(Op::compare_add, x, y));
  if (made == Made::test) b.state.set(b.setting, flags, b.compute(Op::test, x, no_value));
  std::vector<Nzcv> worlds;
  for (int i = 0; i < 400; ++i) {
    std::uint32_t p = static_cast<std::uint32_t>(r.number()), q = constant ? c : static_cast<std::uint32_t>(r.number());
    if (made != Made::unknown && r.one_in(6)) p = made == Made::compare_add ? 0 - q : q;
    if (made == Made::compare)
      worlds.push_back(flags_of_sum(p, ~q, true));
    else if (made == Made::compare_add)
      worlds.push_back(flags_of_sum(p, q, false));
    else if (made == Made::test)
      worlds.push_back({p >> 31 != 0, p == 0, r.one_in(2), false});
    else
      worlds.push_back({r.one_in(2), r.one_in(2), r.one_in(2), r.one_in(2)});
  }
  int decided = 0;
  for (int turn = 0; turn < 8 && !worlds.empty(); ++turn) {
    Predicate p;
    p.rel = r.pick(conditions);
    p.flags = flags;
    p.width = 4;
    const Question q = b.state.question(b.setting, p, no_value, no_value);
    const Answer a = b.answer(q);
    if (a.known()) {
      ++decided;
      for (const Nzcv& w : worlds) {
        if (a.holds != condition(p.rel, w))
          FAIL("seed ", seed, " made ", static_cast<int>(made), " relation ", static_cast<int>(p.rel), " nzcv ", w.n,
               w.z, w.c, w.v);
      }
      continue;
    }
    const bool truth = condition(p.rel, worlds[r.below(static_cast<unsigned>(worlds.size()))]);
    b.assume(q, truth);
    std::erase_if(worlds, [&](const Nzcv& w) { return condition(p.rel, w) != truth; });
    REQUIRE(b.answer(q).known());
    REQUIRE(b.answer(q).holds == truth);
  }
  return decided;
}

TEST_CASE("conditions on flags are never answered wrongly") {
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    decided += interrogate_flags(Made::compare, seed);
    decided += interrogate_flags(Made::compare_add, seed);
    decided += interrogate_flags(Made::test, seed);
    decided += interrogate_flags(Made::unknown, seed);
  }
  CHECK(decided > 1000);
}

TEST_CASE("a comparison that is marked unsigned is asked in the unsigned order") {
  Bench b(Target::powerpc64le);
  const Place cr = b.place("cr0");
  MicroOp m;
  m.op = Op::compare;
  m.width = 4;
  m.bits = 1;
  const ValueId x = b.get("r3");
  b.state.set(b.setting, cr, b.pool.compute(m, x, b.pool.constant(7)));
  Predicate p;
  p.rel = Rel::gt;
  p.flags = cr;
  const Question above = b.state.question(b.setting, p, no_value, no_value);
  CHECK(above.rel == Rel::gtu);
  CHECK(above.width == 4);
  b.assume(above, false);
  CHECK(b.state.upper_bound(b.setting, above.a) == std::optional<std::uint64_t>(7));
}

TEST_CASE("opaque questions: one bit, one answer") {
  Bench b(Target::powerpc64le);
  Predicate so;
  so.rel = Rel::opaque;
  so.flags = b.place("cr0");
  so.tag = 3;
  Predicate not_so = so;
  not_so.rel = Rel::opaque_not;
  Predicate other = so;
  other.tag = 2;
  const Question q = b.state.question(b.setting, so, no_value, no_value);
  CHECK_FALSE(b.answer(q).known());
  b.assume(q, false);
  CHECK(b.answer(q).known());
  CHECK_FALSE(b.answer(q).holds);
  CHECK(b.answer(b.state.question(b.setting, not_so, no_value, no_value)).holds);
  CHECK_FALSE(b.answer(b.state.question(b.setting, other, no_value, no_value)).known());
}

TEST_CASE("a selected value is resolved when its question is answered") {
  Bench b(Target::arm);
  const ValueId x = b.get("r0"), other = b.get("r3");
  const Question q = b.ask(Rel::eq, x, b.pool.constant(0));
  b.state.set(b.setting, b.place("r1"), b.pool.select(q, b.pool.constant(1), other));
  const ValueId at = b.plus(b.get("sp"), -8);
  b.store(at, 4, b.get("r1"));
  CHECK_FALSE(b.state.constant(b.setting, b.place("r1")).has_value());
  State no = b.state;
  b.assume(q, true);
  CHECK(b.state.constant(b.setting, b.place("r1")) == std::optional<std::uint64_t>(1));
  CHECK(b.pool.as_constant(b.load(at, 4)) == std::optional<std::uint64_t>(1));
  no.assume(b.setting, b.ask(Rel::ne, x, b.pool.constant(0)), true);
  CHECK(no.get(b.setting, b.place("r1")) == other);
}

// Memory.

TEST_CASE("what was stored is loaded, whole and in part, in both byte orders") {
  for (Target target : {Target::loongarch64, Target::powerpc64}) {
    const bool little = target == Target::loongarch64;
    auto image = test::assemble(target, little ? "f: ret" : "f: blr");
    const Facts& facts = image->arch().facts();
    ValuePool pool(8);
    const Setting s{pool, *image, facts, image->elf().little_endian};
    State state(s, Bench::function());
    const ValueId sp = state.get(s, facts.stack_pointer);
    Moment m{0x100, 1};
    state.store(s, sp, 8, pool.constant(0x0102030405060708), m);
    for (unsigned width : {1u, 2u, 4u, 8u})
      for (unsigned at = 0; at + width <= 8; at += width) {
        MicroOp add;
        add.op = Op::add;
        std::uint64_t expected = 0;  // byte i of memory is 8 - i in little-endian order, i + 1 in big-endian order
        for (unsigned i = 0; i < width; ++i) {
          const std::uint64_t byte = little ? 8 - (at + i) : at + i + 1;
          expected |= byte << 8 * (little ? i : width - 1 - i);
        }
        const ValueId v = state.load(s, pool.compute(add, sp, pool.constant(at)), width, m);
        INFO("width ", width, " at ", at, little ? " little" : " big");
        CHECK(pool.as_constant(v) == std::optional<std::uint64_t>(expected));
      }
  }
}

TEST_CASE("a narrow store keeps the low bytes only") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp"), x = b.get("a0");
  b.store(sp, 1, x);
  CHECK(b.load(sp, 1) == b.compute(Op::and_, x, b.pool.constant(0xff)));
  // A word that is stored and loaded with its sign is what it was, when it was sign-extended before.
  const ValueId word = b.compute(Op::sext, x, no_value, 0, 0, 32);
  b.store(sp, 4, word);
  CHECK(b.compute(Op::sext, b.load(sp, 4), no_value, 0, 0, 32) == word);
}

TEST_CASE("overlapping stores and loads") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp"), x = b.get("a0"), y = b.get("a1");
  SUBCASE("a narrow store changes the wide word around it") {
    b.store(sp, 8, x);
    b.store(b.plus(sp, 4), 2, y);
    CHECK(b.load(sp, 8) != x);
    CHECK(b.load(b.plus(sp, 4), 2) == b.compute(Op::and_, y, b.pool.constant(0xffff)));
    CHECK(b.load(sp, 4) != b.compute(Op::zext, y, no_value, 0, 0, 32));
  }
  SUBCASE("a wide store changes the narrow words inside it") {
    b.store(b.plus(sp, 4), 4, y);
    b.store(sp, 8, x);
    CHECK(b.load(sp, 8) == x);
    CHECK(b.load(b.plus(sp, 4), 4) != y);
  }
  SUBCASE("straddling") {
    b.store(sp, 8, x);
    b.store(b.plus(sp, 8), 8, y);
    b.store(b.plus(sp, 4), 8, b.pool.constant(0));
    CHECK(b.load(sp, 8) != x);
    CHECK(b.load(b.plus(sp, 8), 8) != y);
  }
  SUBCASE("a wide load over a narrow cell is not that cell") {
    const ValueId narrow = b.load(sp, 4);
    const ValueId wide = b.load(sp, 8);
    CHECK(narrow != wide);
  }
  SUBCASE("memory that nobody wrote is the same twice") {
    CHECK(b.load(b.plus(sp, 16), 8) == b.load(b.plus(sp, 16), 8));
    CHECK(b.load(b.plus(sp, 16), 8) != b.load(b.plus(sp, 24), 8));
  }
}

// Two cells of different width at one address may both become unknown in one step; they are not equal then.
TEST_CASE("words of different width at one address stay apart when both become unknown") {
  Bench b(Target::loongarch64);
  const ValueId p = b.get("a0"), q = b.get("a1");
  b.store(p, 4, b.get("a2"));
  b.store(p, 8, b.get("a3"));  // the narrow word is unknown now
  b.store(q, 8, b.get("a4"));  // may be the same memory: both are unknown
  CHECK(b.load(p, 8) != b.load(p, 4));
}

TEST_CASE("two bases may be one object, but not the stack") {
  Bench b(Target::loongarch64);
  const ValueId p = b.get("a0"), q = b.get("a1"), sp = b.get("sp");
  b.store(p, 8, b.get("a2"));
  b.store(sp, 8, b.get("a3"));
  b.store(b.plus(q, 64), 8, b.get("a4"));
  CHECK(b.load(p, 8) != b.get("a2"));
  CHECK(b.load(sp, 8) == b.get("a3"));
  const ValueId now = b.load(p, 8);
  b.store(b.plus(sp, 8), 8, b.get("a5"));
  CHECK(b.load(p, 8) == now);
  b.store(b.plus(p, 8), 8, b.get("a5"));  // the same base at another offset: not the same word
  CHECK(b.load(p, 8) == now);
}

// A sum of the stack pointer and an index is an address on the stack.
TEST_CASE("an indexed store to the stack may hit any word of it") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp");
  b.store(b.plus(sp, 8), 8, b.get("a3"));
  const ValueId index = b.compute(Op::and_, b.get("a0"), b.pool.constant(0x18));
  b.store(b.compute(Op::add, sp, index), 8, b.get("a4"));
  CHECK(b.load(b.plus(sp, 8), 8) != b.get("a3"));
}

TEST_CASE("a call loses memory, clobbered registers and nothing else") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp"), s0 = b.get("s0"), a0 = b.get("a0"), t0 = b.get("t0"), tp = b.get("tp");
  b.store(sp, 8, s0);
  const ValueId untouched = b.load(b.plus(sp, 8), 8);
  const Moment call = b.moment();
  b.state.after_call(b.setting, call, true);
  CHECK(b.get("s0") == s0);
  CHECK(b.get("sp") == sp);
  CHECK(b.get("tp") == tp);
  CHECK(b.get("a0") != a0);
  CHECK(b.pool[b.get("a0")].kind == ValueKind::result);
  CHECK(b.get("t0") != t0);
  CHECK(b.get("t0") != b.get("t1"));
  CHECK(b.get("ra") != b.get("t1"));
  CHECK(b.load(sp, 8) != s0);
  CHECK(b.load(b.plus(sp, 8), 8) != untouched);
  const ValueId first = b.get("a0"), t1 = b.get("t1");
  b.state.after_call(b.setting, b.moment(), true);
  CHECK(b.get("a0") != first);
  CHECK(b.get("t1") != t1);
}

TEST_CASE("the privilege bits of the saved status survive calls") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp");
  const ValueId prmd = b.state.get(b.setting, b.facts.status);
  b.store(b.plus(sp, 288), 8, prmd);
  for (int i = 0; i < 3; ++i) b.state.after_call(b.setting, b.moment(), true);
  const ValueId now = b.load(b.plus(sp, 288), 8);
  CHECK(now != prmd);
  const ValueId mask = b.pool.constant(b.facts.privilege_mask);
  CHECK(b.compute(Op::and_, now, mask) == b.compute(Op::and_, prmd, mask));
  CHECK(b.compute(Op::and_, now, b.pool.constant(4)) != b.compute(Op::and_, prmd, b.pool.constant(4)));
  // What was decided about these bits before the call holds behind it.
  b.assume(b.ask(Rel::eq, b.compute(Op::and_, prmd, mask), b.pool.constant(0)), false);
  const Answer a = b.answer(b.ask(Rel::eq, b.compute(Op::and_, now, mask), b.pool.constant(0)));
  CHECK(a.known());
  CHECK_FALSE(a.holds);
}

TEST_CASE("an interrupt window loses scratch registers, not the frame") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp");
  Place scratch = no_place;
  for (std::size_t i = 0; i < b.facts.places.size(); ++i)
    if (b.facts.places[i].kind == PlaceKind::scratch && !b.facts.places[i].survives_irq)
      scratch = static_cast<Place>(i);
  REQUIRE(scratch != no_place);
  b.state.set(b.setting, scratch, b.get("a0"));
  b.store(sp, 8, b.get("a1"));
  b.store(b.get("tp"), 8, b.get("a2"));
  b.state.after_irq_window(b.setting, b.moment());
  CHECK(b.state.get(b.setting, scratch) != b.get("a0"));
  CHECK(b.load(sp, 8) == b.get("a1"));
  CHECK(b.load(b.get("tp"), 8) != b.get("a2"));
}

TEST_CASE("constants in the image are read, and only in memory that does not change") {
  auto image = test::assemble(Target::loongarch64, R"(
    .text
f:  ret
    .word 0x11223344
    .section .rodata
r:  .dword 0x0102030405060708
    .data
d:  .word 5
  )");
  ValuePool pool(8);
  const Setting s{pool, *image, image->arch().facts(), true};
  State state(s, Bench::function());
  auto at = [&](std::uint64_t address, unsigned width) {
    return pool.as_constant(state.load(s, pool.constant(address), width, {1, 1}));
  };
  CHECK(at(test::address_of(*image, "f") + 4, 4) == std::optional<std::uint64_t>(0x11223344));
  CHECK(at(test::address_of(*image, "r") + 4, 4) == std::optional<std::uint64_t>(0x01020304));
  CHECK_FALSE(at(test::address_of(*image, "d"), 4).has_value());
}

// Loops: what a turn changes is forgotten, for whoever comes to the head.

TEST_CASE("forget loses what differs, and keeps the rest") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp"), a0 = b.get("a0"), s0 = b.get("s0");
  b.store(sp, 8, b.get("a1"));
  b.store(b.plus(sp, 8), 8, b.get("a2"));
  const State head = b.state;
  b.state.set(b.setting, b.place("a0"), b.plus(a0, 8));
  b.store(sp, 8, b.get("a3"));
  b.store(b.plus(sp, 16), 8, b.get("a3"));
  State::Difference all;
  CHECK(head.learn(b.setting, b.state, all));
  CHECK_FALSE(head.learn(b.setting, b.state, all));
  // Another walk comes to the head, with a stack pointer that is lower, and other content.
  Bench& c = b;
  State other = head;
  const ValueId low = c.plus(sp, -64);
  other.set(c.setting, c.place("sp"), low);
  other.set(c.setting, c.place("a0"), c.pool.constant(1));
  other.store(c.setting, low, 8, c.pool.constant(2), c.moment());
  other.store(c.setting, c.plus(low, 8), 8, c.pool.constant(3), c.moment());
  other.store(c.setting, c.plus(low, 16), 8, c.pool.constant(4), c.moment());
  other.forget(c.setting, all, c.moment());
  CHECK_FALSE(other.constant(c.setting, c.place("a0")).has_value());
  CHECK(other.get(c.setting, c.place("s0")) == s0);
  CHECK_FALSE(c.pool.as_constant(other.load(c.setting, low, 8, c.moment())).has_value());
  CHECK(c.pool.as_constant(other.load(c.setting, c.plus(low, 8), 8, c.moment())) == std::optional<std::uint64_t>(3));
  CHECK_FALSE(c.pool.as_constant(other.load(c.setting, c.plus(low, 16), 8, c.moment())).has_value());
}

TEST_CASE("forget after a turn with a call loses all memory but what is written alike") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp"), a1 = b.get("a1"), s0 = b.get("s0");
  b.store(sp, 8, a1);
  b.store(b.plus(sp, 8), 8, s0);
  const State head = b.state;
  b.state.after_call(b.setting, b.moment(), true);
  b.store(b.plus(sp, 8), 8, s0);
  State other = head;
  State::Difference d;
  head.learn(b.setting, b.state, d);
  other.forget(b.setting, d, b.moment());
  CHECK(other.load(b.setting, sp, 8, b.moment()) != a1);
  CHECK(other.load(b.setting, b.plus(sp, 8), 8, b.moment()) == s0);
  CHECK(other.get(b.setting, b.place("a0")) != head.get(b.setting, b.place("a0")));
}

// A pointer into the frame that a loop moves may point to any word of the frame.
TEST_CASE("a store through a forgotten pointer into the stack may hit any word of it") {
  Bench b(Target::loongarch64);
  const ValueId sp = b.get("sp");
  b.store(b.plus(sp, 8), 8, b.get("a3"));
  b.state.set(b.setting, b.place("t0"), sp);
  const State head = b.state;
  b.store(b.get("t0"), 8, b.pool.constant(0));
  b.state.set(b.setting, b.place("t0"), b.plus(sp, 8));
  State::Difference d;
  head.learn(b.setting, b.state, d);
  State other = head;
  other.forget(b.setting, d, b.moment());
  other.store(b.setting, other.get(b.setting, b.place("t0")), 8, b.pool.constant(0), b.moment());
  CHECK(other.load(b.setting, b.plus(sp, 8), 8, b.moment()) != b.get("a3"));
}

TEST_CASE("join keeps what both sides have") {
  Bench b(Target::loongarch64);
  State left = b.state, right = b.state;
  const Question q = b.ask(Rel::eq, b.get("a0"), b.pool.constant(0));
  const Question p = b.ask(Rel::ltu, b.get("a1"), b.get("a2"));
  left.assume(b.setting, q, true);
  right.assume(b.setting, q, false);
  left.assume(b.setting, p, true);
  right.assume(b.setting, p, true);
  left.set(b.setting, b.place("t0"), b.pool.constant(1));
  right.set(b.setting, b.place("t0"), b.pool.constant(2));
  const Moment m = b.moment();
  CHECK(left.join(b.setting, right, m));
  CHECK_FALSE(left.join(b.setting, right, m));  // it comes to rest
  CHECK_FALSE(left.answer(b.setting, q).known());
  CHECK(left.answer(b.setting, p).known());
  CHECK_FALSE(left.constant(b.setting, b.place("t0")).has_value());
  CHECK(left.get(b.setting, b.place("s0")) == b.get("s0"));
}

}  // namespace
}  // namespace trapline
