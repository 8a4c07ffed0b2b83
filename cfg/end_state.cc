// SPDX-License-Identifier: Apache-2.0
#include "cfg/end_state.h"

#include <algorithm>
#include <bit>

namespace trapline {

namespace {

constexpr unsigned enough_votes = 3;  // registers that must agree on where pt_regs is
constexpr std::size_t max_parts = 64;

bool same(Address a, Address b) { return a.base == b.base && a.offset == b.offset; }

}  // namespace

void leaves(const ValuePool& pool, ValueId value, std::vector<ValueId>& out) {
  if (value == no_value || out.size() >= max_parts) return;
  const Value& v = pool[value];
  switch (v.kind) {
    case ValueKind::op:
    case ValueKind::select:
      leaves(pool, v.a, out);
      leaves(pool, v.b, out);
      break;
    case ValueKind::after_c:
      leaves(pool, v.a, out);
      break;
    default:
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
      break;
  }
}

EndState::EndState(const FinishedPath& end, const Setting& setting, const Contract& contract)
    : end_(end), setting_(setting), contract_(contract) {
  if (contract_.frame < facts().frames.size()) layout_ = &facts().frames[contract_.frame];
  find_kept_bases();
  if (!end.forgotten.empty() || !kept_bases_.empty()) {
    memory_.assign(end.memory.begin(), end.memory.end());
    for (MemoryEvent& e : memory_) {
      e.at = remembered(e.at);
      if (e.value != no_value) e.value = remembered(e.value);
    }
  }
  // A function saves registers for itself: in a frame of its own, or in the task that it leaves.
  if (contract_.frame < facts().frames.size() && contract_.kind != ContractKind::function) find_frame();
}

ValueId EndState::remembered(ValueId value) const {
  if (end_.forgotten.empty()) return value;
  for (int i = 0; i < 8; ++i) {
    auto it = std::find_if(end_.forgotten.begin(), end_.forgotten.end(),
                           [value](const State::Forgotten& f) { return f.now == value; });
    if (it == end_.forgotten.end()) break;
    value = it->before;
  }
  return value;
}

// A stack pointer that was put into memory and read back behind a call is what it was: C keeps it, or nothing works.
void EndState::find_kept_bases() {
  const ValuePool& pool = setting_.pool;
  ValueId last = no_value;
  auto look_at = [&](ValueId base) {
    if (base == no_value || base == last || pool[base].kind != ValueKind::cell) return;
    last = base;
    if (std::any_of(kept_bases_.begin(), kept_bases_.end(), [&](const auto& k) { return k.now == base; })) return;
    const std::optional<Memory> m = memory_of(base);
    const MemoryEvent* store = stored_before(m->at, m->width, m->stamp == 0 ? 0 : m->stamp - 1);
    if (store != nullptr && store->value != no_value) kept_bases_.push_back({base, store->value});
  };
  for (const MemoryEvent& e : end_.memory) look_at(e.at.base);
  if (facts().stack_pointer != no_place) look_at(pool.as_address(end_.state.get(setting_, facts().stack_pointer)).base);
}

Address EndState::remembered(Address at) const {
  for (int i = 0; i < 8 && at.base != no_value; ++i) {
    ValueId base = remembered(at.base);
    auto it = std::find_if(kept_bases_.begin(), kept_bases_.end(),
                           [base](const State::Forgotten& k) { return k.now == base; });
    if (it != kept_bases_.end()) base = it->before;
    if (base == at.base) break;
    Address before = setting_.pool.as_address(base);
    before.offset += at.offset;
    at = before;
  }
  return at;
}

ValueId EndState::without_extension(ValueId value) const {
  const ValuePool& pool = setting_.pool;
  value = remembered(value);
  for (int i = 0; i < 4; ++i) {
    const Value& v = pool[value];
    if (v.kind != ValueKind::op || (v.op != Op::sext && v.op != Op::zext)) break;
    const Value& inner = pool[v.a];
    const bool memory = inner.kind == ValueKind::cell || inner.kind == ValueKind::load;
    if (!(memory && v.bits == inner.width * 8) && v.bits < facts().register_bytes * 8) break;
    value = remembered(v.a);
  }
  return value;
}

std::optional<EndState::Memory> EndState::memory_of(ValueId value) const {
  const Value& v = setting_.pool[value];
  constexpr std::uint32_t clear_before = 0x7fffffff;  // Moment::before
  if (v.kind == ValueKind::cell)
    return Memory{remembered(Address{v.a, static_cast<std::int64_t>(v.imm)}), v.width, v.b & clear_before};
  if (v.kind == ValueKind::load) return Memory{remembered(setting_.pool.as_address(v.a)), v.width, v.b & clear_before};
  return std::nullopt;
}

const MemoryEvent* EndState::stored_before(Address at, unsigned width, std::uint32_t step) const {
  for (auto e = memory().rbegin(); e != memory().rend(); ++e)
    if (e->store && e->step < step && e->width == width && same(e->at, at)) return &*e;
  return nullptr;
}

// pt_regs is where most registers were saved to, and restored from: each store of what the interrupted context had in a
// register, and each register that was loaded from memory, says where pt_regs would begin.
void EndState::find_frame() {
  if (built()) {  // the contract says it
    if (facts().stack_pointer == no_place) return;
    Address at = setting_.pool.as_address(setting_.pool.entry(facts().stack_pointer));
    at.offset += contract_.frame_offset;
    frame_ = at;
    return;
  }
  Vote best;
  for (const FrameLayout& candidate : facts().frames) {
    // Which layout it is depends on whom the exception interrupted (ARM), where the entry's contract leaves that open.
    if (contract_.from != Contract::From::either && &candidate != &facts().frames[contract_.frame]) continue;
    const Vote winner = vote(candidate);
    if (winner.saved + winner.restored < enough_votes || !(best < winner)) continue;
    best = winner;
    frame_ = best.at;
    layout_ = &candidate;
  }
}

EndState::Vote EndState::vote(const FrameLayout& layout) const {
  const ValuePool& pool = setting_.pool;
  std::vector<Vote> all;
  std::vector<ValueId> stacks;  // bases that the stack pointer had when something was stored there
  auto vote = [&](Address at, Place place, bool saved) {
    for (const Slot& slot : layout.slots) {
      if (slot.place != place || slot.kind == SlotKind::bookkeeping) continue;
      Address start = at;
      start.offset -= slot.offset;
      auto known = std::find_if(all.begin(), all.end(), [&](const Vote& v) { return same(v.at, start); });
      if (known == all.end()) known = all.insert(all.end(), Vote{start, 0, 0});
      ++(saved ? known->saved : known->restored);
      return;
    }
  };
  for (const MemoryEvent& e : memory()) {
    if (!e.store || !e.on_stack || e.at.base == no_value || e.value == no_value) continue;
    if (std::find(stacks.begin(), stacks.end(), e.at.base) == stacks.end()) stacks.push_back(e.at.base);
    const Value& v = pool[kept(without_extension(e.value))];
    if (v.kind == ValueKind::entry) vote(e.at, static_cast<Place>(v.imm), true);
  }
  for (const Slot& slot : layout.slots) {
    if (slot.place == no_place || slot.kind != SlotKind::user_register) continue;
    std::optional<Memory> m = memory_of(without_extension(end_.state.get(setting_, slot.place)));
    if (m && std::find(stacks.begin(), stacks.end(), m->at.base) != stacks.end()) vote(m->at, slot.place, false);
  }
  auto best = std::max_element(all.begin(), all.end());
  return best == all.end() ? Vote{} : *best;
}

ValueId EndState::kept(ValueId value) const {
  std::optional<Memory> m = memory_of(value);
  if (!m) return value;
  const MemoryEvent* store = stored_before(m->at, m->width, m->stamp == 0 ? 0 : m->stamp - 1);
  return store == nullptr || store->value == no_value ? value : without_extension(store->value);
}

const Slot* EndState::slot_of(Place place) const {
  if (layout_ == nullptr) return nullptr;
  for (const Slot& slot : layout().slots)
    if (slot.place == place && slot.kind != SlotKind::bookkeeping) return &slot;
  return nullptr;
}

bool EndState::is_parked(Address at) const {
  if (contract_.parked_at == no_place || at.base == no_value) return false;
  const Value& base = setting_.pool[at.base];
  return base.kind == ValueKind::entry && base.imm == contract_.parked_at;
}

std::optional<SlotAccess> EndState::slot_at(Address at) const {
  if (!frame_ || frame_->base != at.base) return std::nullopt;
  const std::int64_t offset = at.offset - frame_->offset;
  for (const Slot& slot : layout().slots)
    if (offset >= slot.offset && offset < static_cast<std::int64_t>(slot.offset) + slot.width)
      return SlotAccess{&slot, offset - slot.offset};
  return std::nullopt;
}

Holding EndState::holding(Place place) const { return classify(place, end_.state.get(setting_, place)); }

Holding EndState::classify(Place place, ValueId value) const {
  const ValuePool& pool = setting_.pool;
  value = remembered(value);
  Holding h;
  h.place = place;
  h.value = value;
  const ValueId plain = without_extension(value);
  const Value& v = pool[plain];
  switch (v.kind) {
    case ValueKind::entry:
      h.held = v.imm == place ? Held::entry : Held::other_entry;
      h.other = static_cast<Place>(v.imm);
      return h;
    case ValueKind::constant:
      h.held = Held::constant;
      h.constant = v.imm;
      return h;
    case ValueKind::result:
      h.held = Held::result;
      h.origin = v.imm;
      return h;
    case ValueKind::opaque:
      h.origin = v.imm;
      // What the contract does not follow is the program's or the kernel's, as it says.
      for (const Contract::Special& special : contract_.specials)
        h.parked = h.parked || (special.parked && v.imm == 0 && v.a == 0 && v.b == special.place);
      if (h.parked) h.held = Held::own_bits;
      return h;
    case ValueKind::after_c: {  // the return status, which is stored and read back whole
      ValueId inner = v.a;
      while (pool[inner].kind == ValueKind::after_c) inner = pool[inner].a;
      const Value& kept = pool[without_extension(inner)];
      if (kept.kind != ValueKind::entry) return h;
      // The status may have been saved in a register of the mode that took the exception (ARM).
      const bool crossed = is_crossed(place, static_cast<Place>(kept.imm));
      const Place saved =
          crossed && slot_of(static_cast<Place>(kept.imm)) == nullptr ? place : static_cast<Place>(kept.imm);
      h.slot = slot_of(saved);
      if (h.slot == nullptr) return h;
      h.held = saved == place ? Held::own_slot : Held::other_slot;
      h.width = h.slot->width;
      h.saved = h.c_may_have = true;
      h.loaded_after = v.b + 1;
      return h;
    }
    case ValueKind::op:
    case ValueKind::select:
      return computed(place, value);
    default:
      break;
  }
  std::optional<Memory> m = memory_of(plain);
  if (!m) return h;
  h.width = m->width;
  h.loaded_after = m->stamp;
  const std::uint32_t before = m->stamp == 0 ? 0 : m->stamp - 1;
  const MemoryEvent* store = stored_before(m->at, m->width, before);
  if (std::optional<SlotAccess> access = slot_at(m->at)) {
    // CR is one slot for eight places.
    const FrameLayout& frame = layout();
    auto own = std::find_if(frame.slots.begin(), frame.slots.end(), [&](const Slot& s) {
      return s.place == place && s.offset == access->slot->offset && s.kind != SlotKind::bookkeeping;
    });
    h.held = own != frame.slots.end() ? Held::own_slot : Held::other_slot;
    h.slot = own != frame.slots.end() ? &*own : access->slot;
    h.saved = store != nullptr || built() || saved_before_entry(m->at);
    h.c_may_have = store != nullptr || built();
    if (!h.saved) {  // by a store of another width
      for (const MemoryEvent& e : memory())
        if (e.store && e.step < before && e.at.base == m->at.base && e.at.offset < m->at.offset + m->width &&
            m->at.offset < e.at.offset + e.width)
          h.saved = h.c_may_have = true;
    }
    if (store != nullptr && h.held == Held::own_slot) judge_stored(h, *store);
    return h;
  }
  // Kept elsewhere, across a call, or by those who ran before.
  if (store == nullptr) {
    if (!is_parked(m->at)) return h;
    h.held = Held::entry;
    h.parked = true;
    return h;
  }
  const Value& kept = pool[without_extension(store->value)];
  if (kept.kind != ValueKind::entry) return h;
  // What C may have changed meanwhile counts as the register's own only in the register itself.
  if (kept.imm == place) h.held = Held::entry;
  return h;
}

// Words that the code before the entry stored (Contract::saved_words).
bool EndState::saved_before_entry(Address at) const {
  for (const Contract::SavedWord& word : contract_.saved_words) {
    ValueId base = setting_.pool.entry(word.base);
    for (const Contract::Special& special : contract_.specials)
      if (special.place == word.base && special.as == no_place) base = setting_.pool.opaque(0, 0, special.place);
    Address there = setting_.pool.as_address(base);
    there.offset += word.offset;
    if (same(there, at)) return true;
  }
  return false;
}

const MayChange* EndState::may_change(Place place) const {
  if (contract_.convention >= facts().conventions.size()) return nullptr;
  const std::vector<MayChange>& list = facts().conventions[contract_.convention].may_change;
  auto it = std::find_if(list.begin(), list.end(), [place](const MayChange& m) { return m.place == place; });
  return it == list.end() ? nullptr : &*it;
}

bool EndState::is_crossed(Place place, Place slot) const {
  const std::vector<CrossedPair>& all = facts().crossed_pairs;
  return std::any_of(all.begin(), all.end(), [&](const CrossedPair& p) { return p.place == place && p.slot == slot; });
}

// A slot that was filled with something that is the kernel's beyond doubt gives that back.
void EndState::judge_stored(Holding& h, const MemoryEvent& store) const {
  const bool result = contract_.convention != 0 && h.place == facts().result;
  if (store.value == no_value || may_change(h.place) != nullptr || result) return;
  const Value& v = setting_.pool[without_extension(store.value)];
  const bool base = v.kind == ValueKind::entry && facts().places[v.imm].kind == PlaceKind::base;
  const bool constant = v.kind == ValueKind::constant && contract_.convention == 0;
  const bool address =
      v.kind == ValueKind::opaque && v.imm == 0 && v.b < facts().places.size() &&
      std::any_of(
          contract_.specials.begin(), contract_.specials.end(),
          [&](const auto& special) { return special.place == v.b && special.as == no_place && !special.parked; });
  const bool stray_result =
      v.kind == ValueKind::result && h.place != facts().result;  // a restarted system call stores one
  // Made of the return status alone, in a register's slot; a return address may be moved on purpose.
  bool status = v.kind == ValueKind::op && facts().places[h.place].kind == PlaceKind::general;
  std::vector<ValueId> parts;
  if (status) leaves(setting_.pool, store.value, parts);
  for (ValueId part : parts) {
    const Value& leaf = setting_.pool[part];
    status = status && (leaf.kind == ValueKind::constant ||
                        (leaf.kind == ValueKind::entry && facts().places[leaf.imm].kind == PlaceKind::status));
  }
  // An address in the frame itself, but for a stack pointer.
  const bool in_frame = frame_ && h.place != facts().stack_pointer &&
                        remembered(setting_.pool.as_address(store.value)).base == frame_->base;
  if (!base && !constant && !address && !stray_result && !status && !in_frame) return;
  h.held = constant ? Held::constant : Held::kernel;
  h.constant = v.imm;
  h.stored_at = store.step;
}

// Made of several values: its own bits when every part is.
Holding EndState::computed(Place place, ValueId value) const {
  const ValuePool& pool = setting_.pool;
  Holding h;
  h.place = place;
  h.value = value;
  std::vector<ValueId> parts;
  leaves(pool, value, parts);
  bool own = true, constants = true;
  for (ValueId part : parts) {
    if (pool[part].kind == ValueKind::constant) continue;
    constants = false;
    const Holding piece = classify(place, part);
    const bool mine = piece.held == Held::entry || piece.held == Held::own_slot || piece.held == Held::own_bits;
    if (piece.held == Held::own_slot) {
      h.slot = piece.slot;
      h.saved = piece.saved;
      h.c_may_have = piece.c_may_have;
      h.loaded_after = piece.loaded_after;
      h.width = piece.width;
    }
    if (!mine && own) h.origin = piece.origin;
    own = own && mine;
  }
  h.held = own && !constants ? Held::own_bits : constants ? Held::constant : Held::kernel;
  // Less than the register: a load of a part of the slot, or of what was stored there.
  const Value& outer = pool[value];
  if (h.held == Held::own_bits && parts.size() == 1 && outer.kind == ValueKind::op) {
    unsigned bits = outer.op == Op::sext || outer.op == Op::extract ? outer.bits : 0;
    std::optional<std::uint64_t> mask = outer.op == Op::and_ ? pool.as_constant(outer.b) : std::nullopt;
    if (mask && (*mask & (*mask + 1)) == 0) bits = static_cast<unsigned>(std::popcount(*mask));
    if (bits != 0) h.width = static_cast<std::uint8_t>(bits / 8);
  }
  return h;
}

bool EndState::resumes_elsewhere() const {
  const ValueId address = end_.machine.held(end_.state, end_.last.jump_to);
  if (end_.path.end != EndKind::exception_return || address == no_value) return false;
  std::vector<ValueId> parts;
  leaves(setting_.pool, remembered(address), parts);
  return std::all_of(parts.begin(), parts.end(), [this](ValueId part) {
    part = remembered(part);
    if (setting_.pool[part].kind == ValueKind::constant) return true;
    const std::optional<Memory> m = memory_of(part);
    if (!m || slot_at(m->at) || is_parked(m->at) || kept(part) != part) return false;
    if (m->at.base == no_value) return true;
    const Value& base = setting_.pool[m->at.base];
    return base.kind == ValueKind::entry && facts().places[base.imm].kind == PlaceKind::base;
  });
}

Machine::Privilege EndState::to() const {
  using Privilege = Machine::Privilege;
  if (!end_.path.to) return Privilege::either;
  if (*end_.path.to != Privilege::either) return *end_.path.to;
  switch (contract_.from) {
    case Contract::From::user:
      return Privilege::user;
    case Contract::From::kernel:
      return Privilege::kernel;
    case Contract::From::either:
      break;
  }
  return Privilege::either;
}

std::optional<std::uint32_t> EndState::last_write(Place place, Code& code, const RoutineGraph& routine) const {
  for (std::size_t i = end_.path.steps.size(); i-- > 0;) {
    const Step& s = end_.path.steps[i];
    if (!s.executed) continue;
    const Insn& insn = code.insn(routine.graph[s.node].key.address);
    for (const MicroOp& op : insn.ops)
      if (op.op != Op::store && op.dst.kind == Operand::Kind::place && op.dst.index == place)
        return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

}  // namespace trapline
