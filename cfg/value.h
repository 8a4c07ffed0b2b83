// SPDX-License-Identifier: Apache-2.0
//
// Values that run along a path. A value is a node in a pool, made once: two places hold the same value exactly when
// their ids are equal, and a shifted, masked or inserted copy keeps what it was made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "disasm/insn.h"

namespace trapline {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = 0xffffffff;

enum class ValueKind : std::uint8_t {
  constant,  // imm
  entry,     // what the place `imm` held at the entry
  opaque,    // made by the instruction at address `imm`, step `a`, result number `b`: not followed further
  cell,      // memory at base value `a` + offset `imm`, `width` bytes, as it was at step `b`
  load,      // memory at the computed address `a`, `width` bytes, as it was at step `b`
  after_c,   // what C left of value `a` in a cell, call at step `b`: only the bits in `imm` are known to be kept
  result,    // result register of the call at address `imm`, step `a`
  op,        // `op` of a and b (b may be no_value)
  select,    // a when the predicate number `imm` holds, else b
};

struct Value {
  ValueKind kind = ValueKind::opaque;
  Op op = Op::set;
  std::uint8_t width = 8;
  std::uint8_t lsb = 0;
  std::uint8_t bits = 0;
  ValueId a = no_value;
  ValueId b = no_value;
  std::uint64_t imm = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

// Bits of a value that are known to be zero and known to be one.
struct KnownBits {
  std::uint64_t zeros = 0;
  std::uint64_t ones = 0;
  bool all(std::uint64_t mask) const { return ((zeros | ones) & mask) == mask; }
  friend bool operator==(const KnownBits&, const KnownBits&) = default;
};

// A question about two values, or about an opaque one. The relation is normalised: see ValuePool::question.
struct Question {
  Rel rel = Rel::eq;
  ValueId a = no_value;
  ValueId b = no_value;  // no_value: a flags value whose making is not known, or an opaque question
  std::uint8_t width = 8;
  std::uint8_t tag = 0;
  friend bool operator==(const Question&, const Question&) = default;
};

// Question::tag of an opaque question whether flags, of which it is not known how they were made, say "equal".
inline constexpr std::uint8_t tag_equality = 0xf2;

// base + offset, as an address is taken apart. base is no_value for an absolute address.
struct Address {
  ValueId base = no_value;
  std::int64_t offset = 0;
};

class ValuePool {
 public:
  // `register_bytes`: arithmetic without an explicit width is modulo 2^(8 * register_bytes).
  explicit ValuePool(unsigned register_bytes);

  ValueId constant(std::uint64_t v);
  ValueId entry(Place place);
  ValueId opaque(std::uint64_t address, std::uint32_t step, std::uint32_t number);
  ValueId cell(Address address, unsigned width, std::uint32_t step);
  ValueId load(ValueId address, unsigned width, std::uint32_t step);
  ValueId after_c(ValueId v, std::uint32_t step, std::uint64_t kept);
  ValueId result(std::uint64_t call, std::uint32_t step);
  ValueId select(const Question& question, ValueId if_true, ValueId if_false);
  // Computes `op`, folding constants and putting sums, masks and shifts into a normal form.
  ValueId compute(const MicroOp& op, ValueId a, ValueId b);

  const Value& operator[](ValueId id) const { return values_[id]; }
  std::optional<std::uint64_t> as_constant(ValueId id) const {
    if (id == no_value || values_[id].kind != ValueKind::constant) return std::nullopt;
    return values_[id].imm;
  }
  Address as_address(ValueId id) const {
    const Value& v = values_[id];
    if (v.kind == ValueKind::constant) return {no_value, static_cast<std::int64_t>(v.imm)};
    if (v.kind == ValueKind::op && v.op == Op::add && v.width == register_bytes_)
      if (std::optional<std::uint64_t> c = as_constant(v.b)) return {v.a, as_signed(*c)};
    return {id, 0};
  }
  bool has_selects() const { return !questions_.empty(); }
  const Question& question_of(const Value& select) const { return questions_[select.imm]; }
  // An event that makes unknown values in many places at once (a call, a join). Its number stands for opaque(address,
  // stamp, place) until somebody looks at a place: see State.
  std::uint32_t event(std::uint64_t address, std::uint32_t stamp);
  ValueId opaque_of_event(std::uint32_t event, std::uint32_t number) {
    return opaque(events_[event].first, events_[event].second, number);
  }
  // Is v what place `number` holds since that event? Without making the value.
  bool is_of_event(ValueId v, std::uint32_t event, std::uint32_t number) const {
    const Value& n = values_[v];
    return n.kind == ValueKind::opaque && n.imm == events_[event].first && n.a == events_[event].second &&
           n.b == number;
  }
  // Mask of a register.
  std::uint64_t mask() const { return mask_; }
  std::size_t size() const { return values_.size(); }

  // Known bits from the structure alone.
  KnownBits known(ValueId id) const { return known_[id]; }
  // The value when every opaque leaf but `leaf` is folded away: `v` with `leaf` = x, reading memory with `read`.
  // Nothing where v holds another unknown leaf, or is made of too many parts.
  template <typename Read>
  std::optional<std::uint64_t> evaluate(ValueId v, ValueId leaf, std::uint64_t x, const Read& read) const {
    int parts = 4096;  // a value may hold another many times
    return evaluate(v, leaf, x, read, 24, parts);
  }
  // v and the values it is computed from, outermost first, each once, at most `limit`.
  void parts(ValueId v, std::vector<ValueId>& out, std::size_t limit) const;

 private:
  template <typename Read>
  std::optional<std::uint64_t> evaluate(ValueId v, ValueId leaf, std::uint64_t x, const Read& read, int depth,
                                        int& parts) const;
  // A register's value as a number with a sign.
  std::int64_t as_signed(std::uint64_t c) const {
    const unsigned unused = 64 - register_bytes_ * 8;
    return static_cast<std::int64_t>(c << unused) >> unused;
  }
  static std::uint64_t hash(const Value& v);
  void grow();
  ValueId intern(const Value& v, KnownBits known);
  ValueId append(const Value& v, KnownBits known);
  std::size_t slot(const Value& v);  // of the table: where v is, or where it belongs
  ValueId fold(const MicroOp& op, ValueId a, ValueId b);
  ValueId add(ValueId a, ValueId b, bool subtract);
  KnownBits known_of(const Value& v) const;

  unsigned register_bytes_;
  std::uint64_t mask_;
  std::vector<Value> values_;
  std::vector<KnownBits> known_;
  std::vector<Question> questions_;
  std::vector<ValueId> table_;  // open addressing, a power of two, no_value: free
  std::array<ValueId, 1024> recent_constants_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> events_;
  std::unordered_map<std::uint64_t, std::uint32_t> event_index_;
};

// Computes one operation on numbers. `mask` is the register mask. Used for folding and for jump tables.
std::uint64_t fold_constants(const MicroOp& op, std::uint64_t a, std::uint64_t b, std::uint64_t mask);
// Mask of the low `bits` bits.
constexpr std::uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

template <typename Read>
std::optional<std::uint64_t> ValuePool::evaluate(ValueId v, ValueId leaf, std::uint64_t x, const Read& read, int depth,
                                                 int& parts) const {
  if (v == leaf) return x;
  if (depth == 0 || --parts < 0) return std::nullopt;
  const Value& node = values_[v];
  if (node.kind == ValueKind::constant) return node.imm;
  if (node.kind == ValueKind::load) {
    std::optional<std::uint64_t> address = evaluate(node.a, leaf, x, read, depth - 1, parts);
    return address ? read(*address, node.width) : std::nullopt;
  }
  if (node.kind != ValueKind::op) return std::nullopt;
  std::optional<std::uint64_t> a = evaluate(node.a, leaf, x, read, depth - 1, parts);
  if (!a) return std::nullopt;
  std::optional<std::uint64_t> b = 0;
  if (node.b != no_value) b = evaluate(node.b, leaf, x, read, depth - 1, parts);
  if (!b) return std::nullopt;
  MicroOp op;
  op.op = node.op;
  op.width = node.width;
  op.lsb = node.lsb;
  op.bits = node.bits;
  return fold_constants(op, *a, *b, mask_);
}

}  // namespace trapline
