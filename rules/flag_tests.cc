// SPDX-License-Identifier: Apache-2.0
//
// A word counts as that of the thread flags when it is loaded from where the architecture says that thread_info has it:
// through a register that leads there, or the bottom of the stack. What is computed from it keeps what it was made of
// (cfg/value.h), so that a test of a shifted and masked copy is brought back to bits of the word.
#include "rules/flag_tests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>

namespace trapline {

namespace {

constexpr int max_depth = 24;  // of a value

// The stack pointer with at least 4 KiB worth of low bits cleared. Structure: (sp >> n) << n, or sp & mask.
bool is_stack_bottom(const PathView& view, ValueId base) {
  const ValuePool& pool = view.state().setting().pool;
  const Value& v = pool[base];
  constexpr std::uint64_t page_bits = 0xfff;
  if (v.kind != ValueKind::op || (pool.known(base).zeros & page_bits) != page_bits) return false;
  ValueId inner = no_value;
  if (v.op == Op::and_ && pool.as_constant(v.b)) inner = v.a;
  if (v.op == Op::shl && pool[v.a].kind == ValueKind::op && pool[v.a].op == Op::shr && pool[v.a].b == v.b)
    inner = pool[v.a].a;
  if (v.op == Op::insert && pool.as_constant(v.b) == std::uint64_t{0} && v.lsb == 0) inner = v.a;
  if (inner == no_value) return false;
  const Address at = view.state().remembered(pool.as_address(inner));
  if (at.base == no_value) return false;
  const Value& root = pool[at.base];
  if (root.kind == ValueKind::entry && root.imm == view.facts().stack_pointer) return true;
  return view.state().frame() && at.base == view.state().frame()->base;
}

bool is_thread_info(const PathView& view, ValueId base) {
  const FinishedPath& end = view.state().end();
  if (std::find(end.current.begin(), end.current.end(), base) != end.current.end()) return true;
  const ThreadFlags& facts = view.facts().thread_flags;
  const Value& v = view.state().setting().pool[base];
  if (view.state().built() && v.kind == ValueKind::entry &&
      std::find(facts.at_exit.begin(), facts.at_exit.end(), static_cast<Place>(v.imm)) != facts.at_exit.end())
    return true;
  if (v.kind == ValueKind::cell && v.a == no_value && !facts.variables.empty()) {
    const Symbol* symbol = view.routine().image().symbol_at(v.imm);
    if (symbol != nullptr &&
        std::find(facts.variables.begin(), facts.variables.end(), symbol->name) != facts.variables.end())
      return true;
  }
  return facts.under_stack && is_stack_bottom(view, base);
}

// Brings the question whether `mask` of a value is zero back to bits of the words that it is made of.
class Tracer {
 public:
  Tracer(const PathView& view, std::span<const FlagWord> words)
      : view_(view), pool_(view.state().setting().pool), words_(words) {}

  std::map<ValueId, std::uint64_t> bits;  // of the value of each word
  bool exact = true;

  void trace(ValueId id, std::uint64_t mask, int depth = max_depth) {
    if (id == no_value || (mask & ~pool_.known(id).zeros) == 0) return;
    id = view_.state().remembered(id);
    const Value& v = pool_[id];
    if (v.kind != ValueKind::op || depth == 0) return leaf(id, mask);
    const std::optional<std::uint64_t> c = v.b == no_value ? std::nullopt : pool_.as_constant(v.b);
    const unsigned width = v.width * 8u;
    const std::uint64_t within = low_bits(width) & pool_.mask();
    mask &= within;
    const unsigned by = static_cast<unsigned>(c.value_or(0) & 0xff);
    switch (v.op) {
      case Op::and_:
        if (c) return trace(v.a, mask & *c, depth - 1);
        break;
      case Op::or_:
        if (c && (*c & mask) != 0) break;  // always set
        trace(v.a, mask, depth - 1);
        if (!c) trace(v.b, mask, depth - 1);
        return;
      case Op::xor_:
        if (c && (*c & mask) == 0) return trace(v.a, mask, depth - 1);
        break;
      case Op::shl:
        if (c && by < width) return trace(v.a, mask >> by, depth - 1);
        break;
      case Op::shr:
        if (c && by < width) return trace(v.a, (mask << by) & within, depth - 1);
        break;
      case Op::sar:
        if (c && by < width) {
          const std::uint64_t sign = std::uint64_t{1} << (width - 1);
          const bool copies = by != 0 && (mask & ~(within >> by)) != 0;
          return trace(v.a, ((mask << by) & within) | (copies ? sign : 0), depth - 1);
        }
        break;
      case Op::ror:
        if (c) {
          const unsigned n = by % width;
          return trace(v.a, n == 0 ? mask : ((mask << n) | (mask >> (width - n))) & within, depth - 1);
        }
        break;
      case Op::extract:
        return trace(v.a, (mask & low_bits(v.bits)) << (v.lsb & 63), depth - 1);
      case Op::insert: {
        const std::uint64_t field = low_bits(v.bits) << (v.lsb & 63);
        trace(v.a, mask & ~field, depth - 1);
        return trace(v.b, (mask & field) >> (v.lsb & 63), depth - 1);
      }
      case Op::sext: {
        const std::uint64_t low = low_bits(v.bits);
        const std::uint64_t sign = v.bits == 0 ? 0 : std::uint64_t{1} << (v.bits - 1);
        return trace(v.a, (mask & low) | ((mask & ~low) != 0 ? sign : 0), depth - 1);
      }
      case Op::zext:
        return trace(v.a, mask & low_bits(v.bits), depth - 1);
      case Op::set:
        return trace(v.a, mask, depth - 1);
      default:
        break;
    }
    inexact(id);
  }

  // The value decides in a way that is no mask.
  void inexact(ValueId id) {
    const FlagWord* word = made_from(view_, words_, id);
    if (word == nullptr) return;
    exact = false;
    bits[word->value] |= 0;
  }

 private:
  void leaf(ValueId id, std::uint64_t mask) {
    if (std::any_of(words_.begin(), words_.end(), [id](const FlagWord& w) { return w.value == id; }))
      bits[id] |= mask;
    else
      inexact(id);
  }

  const PathView& view_;
  const ValuePool& pool_;
  std::span<const FlagWord> words_;
};

// A question as "is any of these bits set?": the answer that means no.
struct MaskQuestion {
  ValueId value = no_value;
  std::uint64_t mask = 0;
  bool holds_when_none = false;
};

std::optional<MaskQuestion> as_mask(const ValuePool& pool, const Question& q) {
  const std::optional<std::uint64_t> c = q.b == no_value ? std::nullopt : pool.as_constant(q.b);
  if (!c) return std::nullopt;
  const std::uint64_t all = low_bits(q.width * 8u), value = *c & all;
  const std::uint64_t sign = std::uint64_t{1} << (q.width * 8u - 1);
  const std::uint64_t open = all & ~pool.known(q.a).zeros;
  switch (q.rel) {
    case Rel::eq:
    case Rel::ne:
      if (value == 0) return MaskQuestion{q.a, all, q.rel == Rel::eq};
      // The one bit that may be set, is.
      if (value == open && std::has_single_bit(open)) return MaskQuestion{q.a, open, q.rel == Rel::ne};
      return std::nullopt;
    case Rel::lt:
    case Rel::ge:
      if (value == 0) return MaskQuestion{q.a, sign, q.rel == Rel::ge};
      return std::nullopt;
    case Rel::gt:
    case Rel::le:
      if (value == 0 && (open & sign) == 0) return MaskQuestion{q.a, all, q.rel == Rel::le};
      return std::nullopt;
    case Rel::ltu:
    case Rel::geu:
      if (std::has_single_bit(value)) return MaskQuestion{q.a, all & ~(value - 1), q.rel == Rel::ltu};
      return std::nullopt;
    case Rel::gtu:
    case Rel::leu:
      if (((value + 1) & value) == 0) return MaskQuestion{q.a, all & ~value, q.rel == Rel::leu};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Flags that two tests made, the second only if the first found nothing (ARM `tst`, `tsteq`): equal says that neither
// found anything. Puts the tested values into `out`; false: the flags are made otherwise.
bool chained(const ValuePool& pool, ValueId flags, std::vector<MaskQuestion>& out, int depth = 8) {
  const Value& v = pool[flags];
  if (depth == 0) return false;
  if (v.kind == ValueKind::op && v.op == Op::test) {
    out.push_back({v.a, low_bits(v.width * 8u), true});
    return true;
  }
  if (v.kind != ValueKind::select) return false;
  const std::optional<MaskQuestion> first = as_mask(pool, pool.question_of(v));
  const Value& before = pool[v.b];
  // The flags that stay where the predicate fails are those that the predicate asked.
  if (!first || !first->holds_when_none || before.kind != ValueKind::op || before.op != Op::test ||
      before.a != first->value)
    return false;
  out.push_back(*first);
  return chained(pool, v.a, out, depth - 1);
}

void add_tests(const PathView& view, std::span<const FlagWord> words, const AskedQuestion& asked,
               std::vector<FlagTest>& out) {
  const ValuePool& pool = view.state().setting().pool;
  Tracer tracer(view, words);
  bool none = false;
  std::vector<MaskQuestion> parts;
  const bool opaque = asked.question.rel == Rel::opaque || asked.question.rel == Rel::opaque_not;
  if (const std::optional<MaskQuestion> mask = as_mask(pool, asked.question)) {
    tracer.trace(mask->value, mask->mask);
    none = asked.holds == mask->holds_when_none;
  } else if (opaque && asked.question.tag == tag_equality && chained(pool, asked.question.a, parts)) {
    for (const MaskQuestion& part : parts) tracer.trace(part.value, part.mask);
    none = asked.holds == (asked.question.rel == Rel::opaque);
  } else {
    tracer.inexact(asked.question.a);
    if (asked.question.b != no_value) tracer.inexact(asked.question.b);
  }
  for (const auto& [value, mask] : tracer.bits) {
    FlagTest test;
    test.step = asked.step;
    test.test = test_step(view, asked.step);
    test.word = value;
    test.none = none;
    test.exact = tracer.exact;
    for (const FlagWord& word : words) {
      if (word.value != value || word.step > asked.step) continue;
      test.loaded = word.step;
      test.mask = mask << word.shift;
    }
    // Where something else is asked as well, "none" is true of both, and "some" is taken as said of both.
    out.push_back(test);
  }
}

}  // namespace

std::vector<FlagWord> flag_words(const PathView& view) {
  const ThreadFlags& facts = view.facts().thread_flags;
  std::vector<FlagWord> words;
  if (!facts.offset) return words;
  const EndState& state = view.state();
  for (const MemoryEvent& e : state.end().memory) {
    if (e.store || e.value == no_value || e.at.base == no_value) continue;
    const std::int64_t in = e.at.offset - static_cast<std::int64_t>(*facts.offset);
    if (in < 0 || in + e.width > facts.width) continue;
    if (!is_thread_info(view, state.remembered(e.at.base)) && !is_thread_info(view, e.at.base)) continue;
    const std::int64_t byte = state.setting().little_endian ? in : facts.width - e.width - in;
    words.push_back({e.value, e.step, static_cast<unsigned>(byte * 8)});
  }
  return words;
}

const FlagWord* made_from(const PathView& view, std::span<const FlagWord> words, ValueId value) {
  std::vector<ValueId> all;
  leaves(view.state().setting().pool, value, all);
  for (const FlagWord& word : words)
    if (std::find(all.begin(), all.end(), word.value) != all.end()) return &word;
  return nullptr;
}

std::vector<FlagTest> flag_tests(const PathView& view) {
  std::vector<FlagTest> tests;
  const std::vector<FlagWord> words = flag_words(view);
  if (words.empty()) return tests;
  for (const AskedQuestion& asked : view.state().end().asked) add_tests(view, words, asked, tests);
  return tests;
}

std::uint32_t test_step(const PathView& view, std::uint32_t step) {
  Code& code = view.routine().code;
  const Insn& branch = code.insn(view.address_of(step));
  if (!branch.when) return step;
  const Predicate& when = *branch.when;
  const Place place = when.flags != no_place                ? when.flags
                      : when.a.kind == Operand::Kind::place ? static_cast<Place>(when.a.index)
                                                            : no_place;
  if (place == no_place) return step;
  // A branch that makes what it asks (bdnz) is its own test.
  for (std::uint32_t at = when.guards_effects ? step : step + 1; at-- > 0;) {
    const Insn& insn = code.insn(view.address_of(at));
    if (!view.path().steps[at].executed) continue;
    for (const MicroOp& op : insn.ops) {
      if (op.dst.kind != Operand::Kind::place || op.dst.index != place) continue;
      // A register that was loaded and not masked: the branch is the test.
      return op.op == Op::load ? step : at;
    }
  }
  return step;
}

std::string bit_ranges(std::uint64_t mask) {
  std::vector<std::string> parts;
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int count = std::countr_one(mask >> first);
    parts.push_back(count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1));
    mask &= count >= 64 ? 0 : ~(low_bits(static_cast<unsigned>(count)) << first);
  }
  if (parts.size() < 2) return parts.empty() ? std::string("none") : parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

}  // namespace trapline
