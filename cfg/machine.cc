// SPDX-License-Identifier: Apache-2.0
#include "cfg/machine.h"

#include <algorithm>

namespace trapline {

namespace {

constexpr std::size_t max_table = 1024;  // entries of a jump table that are read

EdgeKind jump_edge(const Insn& insn) { return insn.when ? EdgeKind::taken : EdgeKind::jump; }
EdgeKind fall_edge(const Insn& insn) {
  if (!insn.when) return EdgeKind::next;
  if (insn.flow != Flow::next) return EdgeKind::not_taken;
  return EdgeKind::skipped;
}

bool touches_memory(const Insn& insn) { return insn.memory.loads || insn.memory.stores; }

}  // namespace

Machine::Machine(Code& code, const Setting& setting, std::uint64_t entry)
    : code_(code), setting_(setting), entry_(entry), temps_(16, no_value) {}

ValueId Machine::operand(const State& state, const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::place:
      return state.get(setting_, o.index);
    case Operand::Kind::temp: {
      ValueId v = temps_[o.index & 15];
      return v == no_value ? setting_.pool.constant(0) : v;
    }
    case Operand::Kind::imm:
      return setting_.pool.constant(o.imm);
    case Operand::Kind::none:
      break;
  }
  return no_value;
}

void Machine::note(const State& state, bool store, ValueId address, unsigned width, ValueId value, const Moment& m) {
  memory_log->push_back({store, state.in_frame(setting_, address), static_cast<std::uint8_t>(width), m.stamp - 1,
                         setting_.pool.as_address(address), value});
}

void Machine::note_handed(const State& state, const Moment& m) {
  if (handed_log == nullptr) return;
  for (std::size_t i = 0; i < setting_.facts.places.size(); ++i)
    if (std::optional<Address> at = state.stack_address(setting_, static_cast<Place>(i)))
      handed_log->push_back({m.stamp - 1, static_cast<Place>(i), *at});
}

bool Machine::is_current(Place place) const {
  const std::vector<Place>& all = setting_.facts.thread_flags.current;
  return std::find(all.begin(), all.end(), place) != all.end();
}

void Machine::run(const Insn& insn, State& state, const Moment& m, bool& frame_load, bool& frame_store) {
  std::uint32_t number = 0x1000;
  for (const MicroOp& op : insn.ops) {
    ValueId a = operand(state, op.a);
    ValueId b = operand(state, op.b);
    ++number;
    // Flags that are not made from the operand alone: each time others.
    if (op.op == Op::test && op.bits == 1) b = setting_.pool.opaque(m.address, m.stamp, number);
    if (op.op == Op::store) {
      frame_store = frame_store || state.in_frame(setting_, a);
      if (memory_log != nullptr) note(state, true, a, op.width, b, m);
      state.store(setting_, a, op.width, b, m);
      continue;
    }
    ValueId v = no_value;
    bool from_frame = false;
    if (op.op == Op::load) {
      from_frame = state.in_frame(setting_, a);
      frame_load = frame_load || from_frame;
      // Another processor may write what a load-linked or read-modify-write instruction reads.
      v = insn.memory.atomic ? setting_.pool.opaque(m.address, m.stamp, number) : state.load(setting_, a, op.width, m);
      if (memory_log != nullptr) note(state, false, a, op.width, v, m);
    } else if (op.op == Op::clobber || a == no_value) {
      v = setting_.pool.opaque(m.address, m.stamp, number);
    } else {
      v = setting_.pool.compute(op, a, b);
    }
    if (op.dst.kind == Operand::Kind::temp) {
      temps_[op.dst.index & 15] = v;
    } else if (op.dst.kind == Operand::Kind::place) {
      state.set(setting_, op.dst.index, v);
      if (current_log != nullptr && is_current(op.dst.index)) current_log->push_back(v);
      if (from_frame) state.restored.set(op.dst.index);
    }
  }
}

std::optional<std::uint64_t> Machine::code_address(ValueId v, std::uint64_t from) const {
  std::optional<std::uint64_t> c = setting_.pool.as_constant(v);
  if (!c) return std::nullopt;
  std::uint64_t address = setting_.image.resolve(*c, from);
  if (!setting_.image.is_code(address)) return std::nullopt;
  return address;
}

std::optional<std::uint64_t> Machine::jump_target(ValueId v, std::uint64_t from) const {
  if (std::optional<std::uint64_t> address = code_address(v, from)) return address;
  std::optional<std::uint64_t> c = setting_.pool.as_constant(v);
  const Symbol* symbol = c ? setting_.image.symbol_at(*c) : nullptr;
  return symbol != nullptr && symbol->undefined ? c : std::nullopt;
}

std::optional<std::uint64_t> Machine::continuation(const State& state) const {
  if (setting_.facts.link == no_place) return std::nullopt;
  std::optional<std::uint64_t> c = state.constant(setting_, setting_.facts.link);
  if (!c) return std::nullopt;
  std::uint64_t address = setting_.image.resolve(*c, entry_);
  return setting_.image.is_code(address) ? std::optional(address) : std::nullopt;
}

Choice Machine::choose(const Insn& insn, State& state, const Moment& m, bool& frame_load, bool& frame_store) {
  Choice c;
  // Read first: the system call clobbers it (PowerPC r0).
  if (insn.flow == Flow::syscall && setting_.facts.syscall_number != no_place)
    c.syscall = state.constant(setting_, setting_.facts.syscall_number);
  if (!insn.when) {
    run(insn, state, m, frame_load, frame_store);
    return c;
  }
  c.conditional = true;
  if (!insn.when->guards_effects) run(insn, state, m, frame_load, frame_store);
  if (insn.jump_to.kind == Operand::Kind::temp) c.jump_to = temps_[insn.jump_to.index & 15];
  c.question = state.question(setting_, *insn.when, operand(state, insn.when->a), operand(state, insn.when->b));
  c.answer = state.answer(setting_, c.question);
  if (c.answer.known()) return c;
  c.maybe = insn.flow == Flow::next && !touches_memory(insn);
  c.open = !c.maybe;
  return c;
}

Transfer Machine::finish(const Insn& insn, State& state, const Choice& choice, bool holds, const Moment& m) {
  Transfer t;
  const std::uint64_t next = insn.address + insn.size;
  if (choice.maybe) {
    // Registers hold the new value or the old one, told apart by the question when it is answered later.
    State executed = state;
    run(insn, executed, m, t.frame_load, t.frame_store);
    for (const MicroOp& op : insn.ops) {
      if (op.dst.kind != Operand::Kind::place) continue;
      Place p = op.dst.index;
      state.set(setting_, p, setting_.pool.select(choice.question, executed.get(setting_, p), state.get(setting_, p)));
    }
    if (insn.irq_on) state.after_irq_window(setting_, m);
    t.to = next;
    t.edge = EdgeKind::next;
    return t;
  }
  if (choice.conditional && insn.jump_to.kind == Operand::Kind::temp) temps_[insn.jump_to.index & 15] = choice.jump_to;
  if (insn.when && insn.when->guards_effects && holds) run(insn, state, m, t.frame_load, t.frame_store);
  if (insn.when && !holds) {
    t.to = next;
    t.edge = fall_edge(insn);
    return t;
  }
  if (insn.irq_on) state.after_irq_window(setting_, m);
  switch (insn.flow) {
    case Flow::next:
      t.to = next;
      t.edge = insn.when ? EdgeKind::executed : EdgeKind::next;
      break;
    case Flow::syscall: {
      const std::vector<std::uint64_t>& ends = setting_.facts.signal_returns;
      if (choice.syscall && std::find(ends.begin(), ends.end(), *choice.syscall) != ends.end()) {
        t.kind = Transfer::Kind::end;
        t.end = EndKind::no_return;
        break;
      }
      // Unlike a called function the kernel leaves the caller's return address alone.
      const Place link = setting_.facts.link;
      const ValueId back = link == no_place ? no_value : state.get(setting_, link);
      state.after_call(setting_, m, true);
      if (link != no_place) state.set(setting_, link, back);
      t.to = next;
      break;
    }
    case Flow::jump: {
      Transfer j = jump_to(insn, state, *insn.target, holds, false, m);
      j.frame_load = t.frame_load, j.frame_store = t.frame_store;
      return j;
    }
    case Flow::call: {
      Transfer j = call(insn, state, insn.target, false, m);
      j.frame_load = t.frame_load, j.frame_store = t.frame_store;
      return j;
    }
    case Flow::indirect_call: {
      Transfer j = call(insn, state, jump_target(operand(state, insn.jump_to), insn.address), true, m);
      j.frame_load = t.frame_load, j.frame_store = t.frame_store;
      return j;
    }
    case Flow::ret:
    case Flow::indirect_jump: {
      Transfer j = indirect_jump(insn, state, m);
      j.frame_load = t.frame_load, j.frame_store = t.frame_store;
      return j;
    }
    case Flow::exception_return: {
      // An exception return whose target is kernel code known here is a jump into the kernel (ARM vector stubs).
      if (insn.jump_to.kind != Operand::Kind::none) {
        ValueId v = operand(state, insn.jump_to);
        if (code_address(v, insn.address) || !table_targets(state, v, insn.address).addresses.empty()) {
          Transfer j = indirect_jump(insn, state, m);
          j.frame_load = t.frame_load, j.frame_store = t.frame_store;
          return j;
        }
      }
      t.kind = Transfer::Kind::end;
      t.end = EndKind::exception_return;
      break;
    }
    case Flow::trap:
    case Flow::halt:
    case Flow::unknown:
      t.kind = Transfer::Kind::end;
      t.end = insn.flow == Flow::trap ? EndKind::trap : insn.flow == Flow::halt ? EndKind::halt : EndKind::undecoded;
      break;
  }
  return t;
}

// A jump stays in the routine when its target lies under the symbol it comes from or under the entry's own. Any other
// jump is followed when it leads to an exception return; else it leaves.
bool Machine::inside(std::uint64_t from, std::uint64_t target) {
  auto [it, fresh] = inside_.try_emplace({from, target}, false);
  if (fresh) it->second = find_inside(from, target);
  return it->second;
}

bool Machine::find_inside(std::uint64_t from, std::uint64_t target) {
  const Image& image = setting_.image;
  if (!image.is_code(target)) return false;
  const Symbol* there = image.enclosing_symbol(target);
  if (there == nullptr) return image.section_at(from) == image.section_at(target);
  const Symbol* here = image.enclosing_symbol(from);
  const Symbol* start = image.enclosing_symbol(entry_);
  if ((here != nullptr && here->address == there->address) || (start != nullptr && start->address == there->address))
    return true;
  if (code_.named(there->address, setting_.facts.walk_into)) return true;
  return code_.leads_to_exception_return(target);
}

Transfer Machine::jump_to(const Insn& insn, State& state, std::uint64_t target, bool, bool indirect, const Moment& m) {
  Transfer t;
  t.edge = jump_edge(insn);
  target = setting_.image.resolve(target, insn.address);
  // Not one that changes what it tests (bdnz .): that is a loop of one instruction.
  if (target == insn.address && (!insn.when || insn.ops.empty())) {
    t.kind = Transfer::Kind::end;
    t.end = EndKind::halt;
    return t;
  }
  if (exploring ? setting_.image.is_code(target) : inside(insn.address, target)) {
    t.to = target;
    return t;
  }
  if (std::optional<std::uint64_t> back = continuation(state)) {
    t.call = CallSite{target, indirect};
    note_handed(state, m);
    if (!exploring && !code_.returns(target)) {
      t.kind = Transfer::Kind::end;
      t.end = EndKind::no_return;
      t.target = target;
      return t;
    }
    state.after_call(setting_, m, true);
    t.to = *back;
    t.edge = EdgeKind::call_return;
    return t;
  }
  t.kind = Transfer::Kind::end;
  t.end = EndKind::jump;
  t.target = target;
  return t;
}

Transfer Machine::call(const Insn& insn, State& state, std::optional<std::uint64_t> target, bool indirect,
                       const Moment& m) {
  Transfer t;
  const Image& image = setting_.image;
  const std::uint64_t next = insn.address + insn.size;
  if (target) *target = image.resolve(*target, insn.address);
  if (target && image.is_code(*target)) {
    // A link-setting branch to the next instruction, or into the same routine where no symbol stands, is a jump that
    // sets the continuation.
    const Symbol* here = image.enclosing_symbol(insn.address);
    const Symbol* there = image.enclosing_symbol(*target);
    bool own_symbol = there != nullptr && there->address == *target;
    // In a stripped image the callee may be a local function that lost its symbol: it lies behind the end of the
    // caller's.
    auto beyond = [here](std::uint64_t a) { return here->size != 0 && a - here->address >= here->size; };
    bool same = here != nullptr && there != nullptr && here->address == there->address && !own_symbol &&
                beyond(*target) == beyond(insn.address);
    bool walk = code_.named(*target, setting_.facts.walk_into);
    if (*target == next || same || walk) {
      t.to = *target;
      t.edge = EdgeKind::jump;
      return t;
    }
  }
  t.call = CallSite{target, indirect};
  if (target) note_handed(state, m);
  // A compiler puts nothing behind a call that does not return: the function ends there.
  const Symbol* here = image.enclosing_symbol(insn.address);
  bool last = !image.is_code(next) || (here != nullptr && here->type == SymbolType::func && here->size != 0 &&
                                       next == here->address + here->size);
  if (!exploring && (last || (target && !code_.returns(*target)))) {
    t.kind = Transfer::Kind::end;
    t.end = EndKind::no_return;
    t.target = target;
    return t;
  }
  state.after_call(setting_, m, true);
  t.to = next;
  t.edge = EdgeKind::after_call;
  return t;
}

Transfer Machine::indirect_jump(const Insn& insn, State& state, const Moment& m) {
  ValueId v = operand(state, insn.jump_to);
  if (v == no_value) v = setting_.pool.opaque(m.address, m.stamp, 0);
  if (std::optional<std::uint64_t> target =
          insn.flow == Flow::ret ? code_address(v, insn.address) : jump_target(v, insn.address)) {
    if (insn.flow == Flow::ret) {
      Transfer t;
      t.to = *target;
      t.edge = EdgeKind::returns;
      return t;
    }
    return jump_to(insn, state, *target, true, true, m);
  }
  Transfer t;
  if (insn.flow == Flow::ret) {
    t.kind = Transfer::Kind::end;
    t.end = EndKind::ret;
    return t;
  }
  const std::optional<std::uint64_t> back = continuation(state);
  const TableTargets table = table_targets(state, v, insn.address);
  std::vector<std::uint64_t> targets = table.addresses;
  if (back && !targets.empty()) {
    // A table of functions, jumped through with the return address set on purpose (system calls): an indirect call. A
    // switch stays under its own symbol.
    const Symbol* here = setting_.image.enclosing_symbol(insn.address);
    bool own = std::all_of(targets.begin(), targets.end(), [&](std::uint64_t target) {
      const Symbol* there = setting_.image.enclosing_symbol(target);
      return here != nullptr && there != nullptr && here->address == there->address;
    });
    if (!own) targets.clear();
  }
  if (!targets.empty()) {
    t.kind = Transfer::Kind::many;
    t.edge = EdgeKind::jump;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      t.targets.push_back({targets[i], !exploring && !inside(insn.address, targets[i])});
      if (!table.index[i]) continue;
      Question q;
      q.width = setting_.facts.register_bytes;
      q.a = table.part;
      q.b = setting_.pool.constant(*table.index[i]);
      t.targets.back().chosen = q;
    }
    return t;
  }
  if (back) {
    t.call = CallSite{std::nullopt, true};
    t.edge = EdgeKind::call_return;
    t.to = *back;
    if (setting_.facts.second_return != no_place) {
      std::optional<std::uint64_t> second =
          code_address(state.get(setting_, setting_.facts.second_return), insn.address);
      if (second && *second != *back) {
        t.kind = Transfer::Kind::many;
        t.targets = {{*back, false}, {*second, false}};
      }
    }
    state.after_call(setting_, m, true);
    return t;
  }
  // The address of the caller kept in another register is a return as well.
  const Value& node = setting_.pool[v];
  t.kind = Transfer::Kind::end;
  t.end = node.kind == ValueKind::entry && node.imm == setting_.facts.link ? EndKind::ret : EndKind::unresolved;
  return t;
}

Machine::Privilege Machine::privilege(const Insn& insn, const State& state) const {
  const Facts& f = setting_.facts;
  if (insn.returns_by == ReturnsBy::kernel_entry) return Privilege::kernel;
  Place place = insn.status != no_place ? insn.status : f.status;
  if (place == no_place || f.privilege_mask == 0) return Privilege::either;
  MicroOp mask;
  mask.op = Op::and_;
  mask.width = f.register_bytes;
  Question q;
  q.rel = Rel::eq;
  q.width = f.register_bytes;
  q.a = setting_.pool.compute(mask, state.get(setting_, place), setting_.pool.constant(f.privilege_mask));
  q.b = setting_.pool.constant(f.user_is_nonzero ? 0 : f.privilege_user);
  Answer a = state.answer(setting_, q);
  const ValueId status = state.get(setting_, place);
  if (!a.known() && f.status != no_place && setting_.pool[status].kind == ValueKind::opaque) {
    // Return registers that the path did not write, since they are still valid (PowerPC): the saved status tells.
    q.a = setting_.pool.compute(mask, setting_.pool.entry(f.status), setting_.pool.constant(f.privilege_mask));
    a = state.answer(setting_, q);
  }
  if (!a.known()) return Privilege::either;
  return a.holds != f.user_is_nonzero ? Privilege::user : Privilege::kernel;
}

// An indirect jump through a table: the target is computed from one part whose range the path knows.
Machine::TableTargets Machine::table_targets(const State& state, ValueId v, std::uint64_t from) {
  std::vector<ValueId> parts;
  setting_.pool.parts(v, parts, 64);
  for (ValueId part : parts) {
    TableTargets out = targets_over(state, v, part, from);
    if (!out.addresses.empty()) return out;
  }
  return {};
}

Machine::TableTargets Machine::targets_over(const State& state, ValueId v, ValueId part, std::uint64_t from) {
  const ValuePool& pool = setting_.pool;
  std::optional<std::uint64_t> limit = state.upper_bound(setting_, part);
  KnownBits k = state.known(setting_, part);
  std::uint64_t open = ~(k.zeros | k.ones) & pool.mask();
  auto read = [&](std::uint64_t address, unsigned width) -> std::optional<std::uint64_t> {
    if (!is_constant_memory(setting_.image, address)) return std::nullopt;
    return setting_.image.read(address, width);
  };
  TableTargets out;
  out.part = part;
  auto visit = [&](std::uint64_t x) {
    std::optional<std::uint64_t> target = pool.evaluate(v, part, x, read);
    if (!target) return false;
    std::uint64_t address = setting_.image.resolve(*target, from);
    if (!setting_.image.is_code(address)) return false;
    auto known = std::find(out.addresses.begin(), out.addresses.end(), address);
    if (known != out.addresses.end()) {
      out.index[static_cast<std::size_t>(known - out.addresses.begin())].reset();
    } else {
      out.addresses.push_back(address);
      out.index.push_back(x);
    }
    return true;
  };
  if (limit && *limit < max_table) {
    for (std::uint64_t x = 0; x <= *limit; ++x) {
      if ((x & k.zeros) != 0 || (~x & k.ones) != 0) continue;
      if (!visit(x)) return {};
    }
    return out;
  }
  // Every combination of a few unknown bits.
  if (open == 0 || __builtin_popcountll(open) > 10) return {};
  std::uint64_t x = 0;
  do {
    if (!visit(x | k.ones)) return {};
    x = (x - open) & open;
  } while (x != 0);
  return out;
}

}  // namespace trapline
