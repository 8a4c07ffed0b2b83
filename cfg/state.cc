// SPDX-License-Identifier: Apache-2.0
#include "cfg/state.h"

#include <algorithm>

namespace trapline {

namespace {

std::uint32_t cell_number(Address at, unsigned width) {
  std::uint64_t h = (static_cast<std::uint64_t>(at.offset) << 4 ^ width) * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 29 ^ at.base) * 0xbf58476d1ce4e5b9ull;
  return static_cast<std::uint32_t>(h >> 32) | 0x80000000u;
}

constexpr std::size_t max_cells = 1024;  // cells that a path follows; with more, all are forgotten
constexpr std::size_t max_changed = 64;  // cells of a loop that are forgotten one by one; above it, all are

bool same_address(Address a, Address b) { return a.base == b.base && a.offset == b.offset; }

bool contains(const std::vector<Cell>& cells, Address at, unsigned width) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const Cell& c) { return same_address(c.at, at) && c.width == width; });
}

}  // namespace

bool is_constant_memory(const Image& image, std::uint64_t address) {
  const Section* section = image.section_at(address);
  if (section == nullptr || section->bytes.empty()) return false;
  // Kernels link read-only data into sections that carry the writable flag; the name is the promise there.
  return section->executable || !section->writable || section->name.starts_with(".rodata");
}

// Of the return status as the interrupted context had it: C keeps its privilege bits.
bool State::holds_status(const Setting& s, const Cell& c) {
  if ((c.value & of_event) != 0) return false;
  const Value& node = s.pool[c.value];
  const bool entered = node.kind == ValueKind::entry && s.facts.places[node.imm].holds_privilege;
  return entered || (node.kind == ValueKind::after_c && (node.imm & s.facts.privilege_mask) != 0);
}

ValueId State::held(const Setting& s, const Cell& c) {
  if ((c.value & of_event) == 0 || c.value == no_value) return c.value;
  return s.pool.opaque_of_event(c.value & ~of_event, cell_number(c.at, c.width));
}

State::State(const Setting& s, const Contract& contract) : places_(s.facts.places.size()) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place p = static_cast<Place>(i);
    const PlaceInfo& info = s.facts.places[i];
    const bool saved_by_c = !info.call_clobbered && !(contract.all_kernel && info.kind == PlaceKind::general);
    const bool left_by_c = contract.kind == ContractKind::frame_built && !saved_by_c && p != s.facts.stack_pointer;
    if (info.kind == PlaceKind::zero)
      places_[i] = s.pool.constant(0);
    else
      places_[i] = left_by_c ? of_event | s.pool.event(0, 0) : s.pool.entry(p);
  }
  for (const Contract::Special& special : contract.specials)
    places_[special.place] = special.as != no_place ? s.pool.entry(special.as) : of_event | s.pool.event(0, 0);
  for (const Contract::SavedWord& word : contract.saved_words)
    if (word.as != no_place)
      cells_.push_back({{get(s, word.base), word.offset}, s.facts.register_bytes, s.pool.entry(word.as)});
  // A frame that is built already holds the return state of the interrupted context.
  if (contract.kind != ContractKind::frame_built || s.facts.stack_pointer == no_place ||
      contract.frame >= s.facts.frames.size())
    return;
  for (const Slot& slot : s.facts.frames[contract.frame].slots) {
    if (slot.place != s.facts.status || slot.place == no_place) continue;
    Address at{get(s, s.facts.stack_pointer), contract.frame_offset + slot.offset};
    cells_.push_back({at, slot.width, s.pool.after_c(s.pool.entry(slot.place), 0, s.facts.privilege_mask)});
  }
}

void State::lose(const Setting& s, Place place, std::uint32_t event) {
  if (s.facts.places[place].kind == PlaceKind::zero) return;
  places_[place] = of_event | event;
  restored.reset(place);
}

ValueId State::stack_base(const Setting& s) const {
  if (s.facts.stack_pointer == no_place) return no_value;
  return s.pool.as_address(get(s, s.facts.stack_pointer)).base;
}

void State::set(const Setting& s, Place place, ValueId value) {
  if (s.facts.places[place].kind == PlaceKind::zero) return;
  places_[place] = value;
  restored.reset(place);
}

Cell* State::find_cell(Address at, unsigned width) {
  for (Cell& c : cells_)
    if (same_address(c.at, at) && c.width == width) return &c;
  return nullptr;
}

const Cell* State::find_cell(Address at, unsigned width) const {
  return const_cast<State*>(this)->find_cell(at, width);
}

ValueId State::cell_value(const Setting& s, Address at, unsigned width) const {
  if (const Cell* c = find_cell(at, width)) return held(s, *c);
  return s.pool.cell(at, width, epoch_);
}

bool State::in_frame(const Setting& s, ValueId address) const {
  ValueId base = stack_base(s);
  return base != no_value && s.pool.as_address(address).base == base;
}

std::optional<Address> State::stack_address(const Setting& s, Place place) const {
  const ValueId base = stack_base(s), v = places_[place];
  if (base == no_value || v == no_value || (v & of_event) != 0) return std::nullopt;
  const Address at = s.pool.as_address(v);
  return at.base == base ? std::optional(at) : std::nullopt;
}

ValueId State::load(const Setting& s, ValueId address, unsigned width, const Moment& m) {
  Address at = s.pool.as_address(address);
  if (at.base == no_value) {
    std::uint64_t a = static_cast<std::uint64_t>(at.offset);
    if (is_constant_memory(s.image, a))
      if (std::optional<std::uint64_t> v = s.image.read(a, width)) return s.pool.constant(*v);
  }
  if (!follow_memory) {
    bool table = at.base != no_value && s.pool[at.base].kind == ValueKind::op;
    return table ? s.pool.load(address, width, 0) : s.pool.opaque(m.address, m.stamp, cell_number(at, width));
  }
  const Cell* near = nullptr;  // the first that overlaps
  for (Cell& c : cells_) {
    if (c.at.base != at.base) continue;
    if (c.at.offset == at.offset && c.width == width) return c.value = held(s, c);
    if (near == nullptr && at.offset < c.at.offset + c.width && c.at.offset < at.offset + std::int64_t{width})
      near = &c;
  }
  if (near != nullptr) {
    const std::int64_t in = at.offset - near->at.offset;
    if (in < 0 || in + width > near->width || near->width > s.facts.register_bytes)
      return s.pool.opaque(m.address, m.stamp, cell_number(at, width));
    MicroOp op;  // part of a wider cell
    op.op = Op::extract;
    op.bits = static_cast<std::uint8_t>(width * 8);
    std::int64_t byte = s.little_endian ? in : near->width - width - in;
    op.lsb = static_cast<std::uint8_t>(byte * 8);
    return s.pool.compute(op, held(s, *near), no_value);
  }
  if (cells_.size() >= max_cells) lose_memory(s, m.before());
  // From a computed address: keep how it was made, for jump tables and indexed tables.
  bool computed = at.base != no_value && s.pool[at.base].kind == ValueKind::op;
  ValueId v = computed ? s.pool.load(address, width, epoch_) : s.pool.cell(at, width, epoch_);
  cells_.push_back({at, static_cast<std::uint8_t>(width), v});
  return v;
}

// An address that was made from the stack pointer and something that is not known.
bool State::made_from_stack(const Setting& s, ValueId base, ValueId stack, int depth) const {
  if (base == no_value) return false;
  if (base == stack || std::find(moved_.begin(), moved_.end(), base) != moved_.end()) return true;
  const Value& v = s.pool[base];
  if (v.kind != ValueKind::op || depth == 0) return false;
  if (v.op == Op::sub) return made_from_stack(s, v.a, stack, depth - 1);
  return v.op == Op::add && (made_from_stack(s, v.a, stack, depth - 1) || made_from_stack(s, v.b, stack, depth - 1));
}

void State::store(const Setting& s, ValueId address, unsigned width, ValueId value, const Moment& m) {
  if (!follow_memory) return;
  const Address at = s.pool.as_address(address);
  // Memory that the stack pointer points into is reached through the stack pointer, or through what was made from it: a
  // store through another base is assumed not to hit it. Two other bases may be the same object.
  const ValueId stack = stack_base(s);
  const bool to_stack = stack != no_value && at.base == stack;
  const bool near_stack = !to_stack && made_from_stack(s, at.base, stack);
  if (width < s.facts.register_bytes && value != no_value) {
    MicroOp low;
    low.op = Op::zext;
    low.bits = static_cast<std::uint8_t>(width * 8);
    value = s.pool.compute(low, value, no_value);
  }
  bool exact = false;
  std::optional<std::uint32_t> event;
  auto lose_cell = [&](Cell& c) {
    if (!event) event = s.pool.event(m.address, m.stamp);
    c.value = of_event | *event;
  };
  for (Cell& c : cells_) {
    if (c.at.base != at.base) {
      const bool on_stack = stack != no_value && c.at.base == stack;
      if (on_stack ? near_stack : !to_stack || made_from_stack(s, c.at.base, stack)) lose_cell(c);
      continue;
    }
    if (c.at.offset == at.offset && c.width == width) {
      c.value = value;
      exact = true;
    } else if (at.offset < c.at.offset + c.width && c.at.offset < at.offset + static_cast<std::int64_t>(width)) {
      lose_cell(c);
    }
  }
  if (exact) return;
  if (cells_.size() >= max_cells) lose_memory(s, m.before());
  cells_.push_back({at, static_cast<std::uint8_t>(width), value});
}

void State::after_call(const Setting& s, const Moment& m, bool has_result) {
  const std::uint32_t event = s.pool.event(m.address, m.stamp);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const PlaceInfo& info = s.facts.places[i];
    Place p = static_cast<Place>(i);
    if (info.call_clobbered || !info.survives_irq || p == s.facts.link) lose(s, p, event);
  }
  if (has_result && s.facts.result != no_place) set(s, s.facts.result, s.pool.result(m.address, m.stamp));
  if (!follow_memory) return;
  lose_memory(s, m);
}

// C may write every cell it can reach. Only the privilege bits of the saved return status are assumed to survive.
void State::lose_memory(const Setting& s, const Moment& m) {
  std::vector<Cell> kept;
  for (const Cell& c : cells_)
    if (holds_status(s, c)) kept.push_back({c.at, c.width, s.pool.after_c(c.value, m.stamp, s.facts.privilege_mask)});
  cells_ = std::move(kept);
  epoch_ = m.stamp + 1;
}

void State::after_irq_window(const Setting& s, const Moment& m) {
  const std::uint32_t event = s.pool.event(m.address, m.stamp);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (!s.facts.places[i].survives_irq) lose(s, static_cast<Place>(i), event);
  // An interrupt handler may change thread and per-CPU data, not the frame of the code it interrupts.
  ValueId stack = stack_base(s);
  for (Cell& c : cells_)
    if (c.at.base != stack || stack == no_value) c.value = of_event | event;
}

namespace {

// Removes what the other list has not. Most often the lists are alike, or begin alike.
template <typename Fact>
void keep_common(std::vector<Fact>& mine, const std::vector<Fact>& theirs) {
  const auto alike = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end());
  mine.erase(std::remove_if(alike.first, mine.end(),
                            [&](const Fact& f) { return std::find(theirs.begin(), theirs.end(), f) == theirs.end(); }),
             mine.end());
}

}  // namespace

bool State::join(const Setting& s, const State& other, const Moment& m) {
  follow_memory = false;
  cells_.clear();
  bool changed = false;
  const ValueId phi = of_event | s.pool.event(m.address, m.stamp);
  ValueId* const mine = places_.data();
  const ValueId* const theirs = other.places_.data();
  for (std::size_t i = 0, count = places_.size(); i < count; ++i) {
    if (mine[i] == theirs[i] || mine[i] == phi || same_value(s, mine[i], theirs[i], i)) continue;
    mine[i] = phi;
    changed = true;
  }
  // Facts hold at a join only where both sides have them.
  std::size_t before = pairs_.size() + opaques_.size() + refined_.size();
  keep_common(pairs_, other.pairs_);
  keep_common(opaques_, other.opaques_);
  keep_common(refined_, other.refined_);
  restored &= other.restored;
  return changed || before != pairs_.size() + opaques_.size() + refined_.size();
}

bool State::is_of_event(const Setting& s, ValueId a, ValueId b, std::size_t place) {
  const std::uint32_t number = static_cast<std::uint32_t>(place);
  return (a & of_event) != 0 ? s.pool.is_of_event(b, a & ~of_event, number)
                             : s.pool.is_of_event(a, b & ~of_event, number);
}

bool State::points_to_stack(const Setting& s, ValueId v) const {
  if ((v & of_event) != 0 || v == no_value) return false;
  return made_from_stack(s, s.pool.as_address(v).base, stack_base(s));
}

bool State::learn(const Setting& s, const State& back, Difference& what) const {
  bool news = what.fresh;
  what.fresh = false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (same_value(s, places_[i], back.places_[i], i)) continue;
    if (!what.places.test(i)) news = true;
    what.places.set(i);
    if (what.pointers.test(i) || !(points_to_stack(s, places_[i]) || back.points_to_stack(s, back.places_[i])))
      continue;
    what.pointers.set(i);
    news = true;
  }
  const Address top = s.facts.stack_pointer == no_place ? Address{} : s.pool.as_address(get(s, s.facts.stack_pointer));
  auto relative = [&](Address at) {
    return top.base != no_value && at.base == top.base ? Address{Difference::on_stack, at.offset - top.offset} : at;
  };
  auto absolute = [&](Address at) {
    return at.base == Difference::on_stack ? Address{top.base, at.offset + top.offset} : at;
  };
  auto same_in_both = [&](Address at, std::uint8_t width) {
    return cell_value(s, at, width) == back.cell_value(s, at, width);
  };
  // Many cells mean that walks write through pointers of their own: the list would grow with every walk.
  if (epoch_ == back.epoch_ && !what.memory && what.changed.size() < max_changed) {
    auto compare = [&](const Cell& c) {
      const Address at = relative(c.at);
      if (same_in_both(c.at, c.width) || contains(what.changed, at, c.width)) return;
      what.changed.push_back({at, c.width, no_value});
      news = true;
    };
    for (const Cell& c : cells_) compare(c);
    for (const Cell& c : back.cells_) compare(c);
    return news;
  }
  // A turn may overwrite what C keeps.
  const ValueId privilege = s.pool.constant(s.facts.privilege_mask);
  MicroOp mask;
  mask.op = Op::and_;
  mask.width = s.facts.register_bytes;
  for (const Cell& c : cells_) {
    if (!holds_status(s, c) || contains(what.changed, relative(c.at), c.width)) continue;
    const Cell* theirs = back.find_cell(c.at, c.width);
    if (theirs != nullptr &&
        s.pool.compute(mask, held(s, *theirs), privilege) == s.pool.compute(mask, c.value, privilege))
      continue;
    what.changed.push_back({relative(c.at), c.width, no_value});
    news = true;
  }
  if (!what.memory) {  // the first turn that may change anything: of the cells known at the head, those that are as
                       // before
    what.memory = news = true;
    for (const Cell& c : cells_)
      if (!contains(what.changed, relative(c.at), c.width)) what.same.push_back({relative(c.at), c.width, no_value});
  }
  const std::size_t before = what.same.size();
  std::erase_if(what.same, [&](const Cell& c) {
    const Cell* mine = find_cell(absolute(c.at), c.width);
    if (mine == nullptr) return false;  // nothing is known of it here: it is not kept either
    const Cell* theirs = back.find_cell(absolute(c.at), c.width);
    return theirs == nullptr || held(s, *theirs) != held(s, *mine);
  });
  return news || what.same.size() != before;
}

void State::forget(const Setting& s, const Difference& what, const Moment& m, std::vector<Forgotten>* log) {
  const Address top = s.facts.stack_pointer == no_place ? Address{} : s.pool.as_address(get(s, s.facts.stack_pointer));
  auto here = [&](const Cell& c) {
    return c.at.base == Difference::on_stack ? Address{top.base, c.at.offset + top.offset} : c.at;
  };
  const std::uint32_t event = s.pool.event(m.address, m.stamp);
  const bool stack_moves = s.facts.stack_pointer != no_place && what.places.test(s.facts.stack_pointer);
  std::bitset<max_places> pointers = what.pointers;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (what.places.test(i) && points_to_stack(s, places_[i])) pointers.set(i);
  if (stack_moves && top.base != no_value) moved_.push_back(top.base);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!what.places.test(i)) continue;
    const ValueId before = log != nullptr ? get(s, static_cast<Place>(i)) : no_value;
    lose(s, static_cast<Place>(i), event);
    if (log != nullptr) log->push_back({get(s, static_cast<Place>(i)), before});
    if (pointers.test(i)) moved_.push_back(get(s, static_cast<Place>(i)));
  }
  if (what.memory) {
    std::vector<Cell> kept;
    for (const Cell& c : what.same)
      if (const Cell* mine = find_cell(here(c), c.width)) kept.push_back(*mine);
    lose_memory(s, m);
    for (const Cell& c : kept) {
      if (Cell* mine = find_cell(c.at, c.width))
        *mine = c;
      else
        cells_.push_back(c);
    }
  }
  for (const Cell& c : what.changed) {
    const Address at = here(c);
    ValueId unknown = s.pool.opaque(m.address, m.stamp, cell_number(at, c.width));
    if (Cell* mine = find_cell(at, c.width)) {
      const ValueId before = held(s, *mine);
      if (points_to_stack(s, before)) moved_.push_back(unknown);
      if (log != nullptr) log->push_back({unknown, before});
      mine->value = unknown;
    } else if (!what.memory) {
      cells_.push_back({at, c.width, unknown});
    }
  }
}

}  // namespace trapline
