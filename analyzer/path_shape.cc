// SPDX-License-Identifier: Apache-2.0
#include "analyzer/path_shape.h"

#include <algorithm>
#include <string_view>

#include "analyzer/hash.h"
#include "analyzer/label.h"
#include "disasm/arch/arch.h"

namespace trapline {
namespace {

using Token = PathShape::Token;
Hash of_number(std::uint64_t number) { return mix(0x6e756d62, number); }

// A relation without its negation: eq, lt, gt, ltu, gtu, opaque.
struct Turned {
  Rel rel;
  bool negated;
};
Turned turned(Rel rel) {
  switch (rel) {
    case Rel::ne:
      return {Rel::eq, true};
    case Rel::ge:
      return {Rel::lt, true};
    case Rel::le:
      return {Rel::gt, true};
    case Rel::geu:
      return {Rel::ltu, true};
    case Rel::leu:
      return {Rel::gtu, true};
    case Rel::opaque_not:
      return {Rel::opaque, true};
    default:
      return {rel, false};
  }
}

// Hashes the values of one routine by what they are made of. Registers and slots of pt_regs count by name, other
// memory by what its address is made of, results of calls by the function's name.
class ValueHasher {
 public:
  ValueHasher(const EndState& state, Machine& machine, ShapeNames& names)
      : state_(state), pool_(machine.setting().pool), facts_(state.facts()), code_(machine.code()), names_(names) {}

  Token decision(const AskedQuestion& asked) {
    Question q = asked.question;
    Turned t = turned(q.rel);
    Hash a = value(q.a), b = q.b == no_value ? 0 : value(q.b);
    const bool constant = pool_.as_constant(q.b).has_value();
    // "more than 4" is "not less than 5".
    if (constant && (t.rel == Rel::gt || t.rel == Rel::gtu)) {
      b = of_number(*pool_.as_constant(q.b) + 1);
      t = {t.rel == Rel::gt ? Rel::lt : Rel::ltu, !t.negated};
    }
    if (!constant && q.b != no_value && a > b) {
      std::swap(a, b);
      t.rel = mirrored(t.rel);
    }
    const Hash relation = mix(static_cast<Hash>(t.rel), q.tag);
    Token token;
    token.holds = asked.holds != t.negated;
    token.what = mix(relation, q.width, a, b);
    std::vector<ValueId> made_of;
    leaves(pool_, q.a, made_of);
    if (q.b != no_value) leaves(pool_, q.b, made_of);
    Hash subject = 0;
    for (const ValueId v : made_of)
      if (!pool_.as_constant(v)) subject += value(v);  // in whatever order
    token.subject = mix(relation, subject);
    return token;
  }

 private:
  Hash value(ValueId v) {
    if (const auto it = known_.find(v); it != known_.end()) return it->second;
    known_[v] = 0;  // a value is made of older ones, so that nothing comes back here; in any case it ends
    const Hash h = fresh(v);
    known_[v] = h;
    return h;
  }

  Hash fresh(ValueId v) {
    const Value n = pool_[v];
    const Hash kind = mix(static_cast<Hash>(n.kind), n.width);
    switch (n.kind) {
      case ValueKind::constant:
        return constant(n.imm);
      case ValueKind::entry:
        return mix(kind, hash_of(facts_.places[n.imm].name));
      case ValueKind::opaque:
        return mix(kind, maker(n.imm), n.b < facts_.places.size() ? hash_of(facts_.places[n.b].name) : 0);
      case ValueKind::cell:
        return mix(kind, memory({n.a, static_cast<std::int64_t>(n.imm)}));
      case ValueKind::load:
        return mix(kind, value(n.a));
      case ValueKind::after_c:
        return mix(hash_of("C"), value(n.a));
      case ValueKind::result:
        return mix(kind, maker(n.imm));
      case ValueKind::select:
        return mix(kind, value(n.a), value(n.b));
      case ValueKind::op:
        break;
    }
    Hash a = value(n.a), b = n.b == no_value ? 0 : value(n.b);
    const bool symmetric = n.op == Op::add || n.op == Op::and_ || n.op == Op::or_ || n.op == Op::xor_;
    if (symmetric && a > b) std::swap(a, b);
    return mix(kind, static_cast<Hash>(n.op), mix(n.lsb, n.bits), a, b);
  }

  Hash constant(std::uint64_t imm) {
    const Image& image = code_.image();
    const Symbol* symbol = image.symbol_at(imm);
    const bool address = imm >= 4096 && image.section_at(imm) != nullptr;
    return address && symbol != nullptr ? hash_of(lasting_name(image, *symbol)) : of_number(imm);
  }

  Hash memory(Address at) {
    if (const std::optional<SlotAccess> slot = state_.slot_at(at))
      return mix(hash_of(slot->slot->name), static_cast<Hash>(slot->within));
    const Hash base = at.base == no_value ? 0 : value(at.base);
    return mix(base,
               at.base == no_value ? constant(static_cast<std::uint64_t>(at.offset)) : static_cast<Hash>(at.offset));
  }

  Hash maker(std::uint64_t address) { return names_.maker(code_, address); }

  const EndState& state_;
  const ValuePool& pool_;
  const Facts& facts_;
  Code& code_;
  ShapeNames& names_;
  std::unordered_map<ValueId, Hash> known_;
};

}  // namespace

std::string_view lasting_name(const Image& image, const Symbol& symbol) {
  const auto rank = [](const Symbol& s) {
    const bool sized = s.type == SymbolType::object || s.type == SymbolType::func;
    return std::pair(!sized, s.name);
  };
  const Symbol* best = &symbol;
  for (const Symbol& s : image.symbols_at(symbol.address))
    if (rank(s) < rank(*best)) best = &s;
  return best->name;
}

std::string lasting_callee_name(const Image& image, std::uint64_t address) {
  const Symbol* symbol = image.enclosing_symbol(address);
  const bool exact = symbol != nullptr && image.arch().code_address(image, *symbol) == address;
  return exact ? std::string(lasting_name(image, *symbol)) : callee_name(image, address);
}

std::uint64_t ShapeNames::callee(Code& code, std::uint64_t address) {
  const auto [it, fresh] = callees_.try_emplace(address);
  if (fresh) it->second = hash_of(lasting_callee_name(code.image(), address));
  return it->second;
}

std::uint64_t ShapeNames::maker(Code& code, std::uint64_t address) {
  const auto [it, fresh] = makers_.try_emplace(address);
  if (!fresh) return it->second;
  const Insn& insn = code.insn(address);
  if (insn.target && insn.sets_link) return it->second = callee(code, *insn.target);
  const std::string text = code.decoder().text(address);
  return it->second = hash_of(std::string_view(text).substr(0, text.find_first_of(" \t")));
}

std::uint64_t ShapeNames::branch(Code& code, std::uint64_t address) {
  const auto [it, fresh] = branches_.try_emplace(address);
  if (!fresh) return it->second;
  std::string text = code.decoder().text(address);
  if (code.insn(address).target) text.resize(std::min(text.find_last_of(", \t"), text.size()));
  return it->second = hash_of(text);
}

void PathTokens::path(const FinishedPath& end) {
  const EndState state(end, end.machine.setting(), contract_);
  ValueHasher hasher(state, end.machine, names_);
  Code& code = end.machine.code();
  const Graph& g = end.routine.graph;
  const Path& path = end.path;
  const auto address = [&](std::size_t step) { return g[path.steps[step].node].key.address; };

  std::vector<std::pair<std::size_t, Token>> tokens;  // with the step
  std::size_t asked = 0, step = 0;
  for (const Decision& decision : path.decisions) {
    while (step + 1 < path.steps.size() && address(step) != decision.address) ++step;
    if (decision.choice) {
      Token token{.kind = Token::Kind::choice};
      // Only a target that begins a symbol has a name of its own; others count by their number.
      const std::uint64_t to = step + 1 < path.steps.size() ? address(step + 1) : 0;
      token.what = code.image().symbol_at(to) != nullptr ? names_.callee(code, to) : of_number(*decision.choice);
      tokens.emplace_back(step++, token);
    } else if (asked < end.asked.size()) {
      step = end.asked[asked].step;
      Token token = hasher.decision(end.asked[asked++]);
      token.taken = path.steps[step].transferred;
      token.site = names_.branch(code, decision.address);
      tokens.emplace_back(step++, token);
    }
  }
  for (const CallOnPath& call : path.calls) {
    Token token{.kind = Token::Kind::call};
    token.what = call.site.target ? names_.callee(code, *call.site.target) : hash_of("computed");
    tokens.emplace_back(call.step, token);
  }
  // A conditional call is decided before it is made; no step has two tokens of one kind.
  std::sort(tokens.begin(), tokens.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.kind) < std::pair(b.first, b.second.kind);
  });
  std::vector<Token>& out = tokens_[path.number];
  for (const auto& [at, token] : tokens) out.push_back(token);
}

std::vector<Token> PathTokens::take(std::uint64_t number) {
  const auto it = tokens_.find(number);
  return it == tokens_.end() ? std::vector<Token>() : std::move(it->second);
}

}  // namespace trapline
