// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <deque>
#include <set>
#include <string>
#include <unordered_set>

#include "cfg/callee.h"
#include "cfg/machine.h"
#include "disasm/arch/arch.h"

namespace trapline {

namespace {

constexpr std::size_t explore_limit = 4096;   // instructions, design.md "Routine"
constexpr std::size_t returns_limit = 20000;  // instructions looked at before a callee is taken to return

}  // namespace

Code::Code(const Image& image) : image_(image), decoder_(image) {}
Code::~Code() = default;

CalleeCode& Code::callee(std::uint64_t target) {
  std::unique_ptr<CalleeCode>& known = callees_[target];
  if (known == nullptr) known = std::make_unique<CalleeCode>(*this, target);
  return *known;
}

const Insn& Code::insn(std::uint64_t address) {
  auto it = insns_.find(address);
  if (it == insns_.end()) it = insns_.emplace(address, decoder_.decode(address)).first;
  return it->second;
}

bool Code::named(std::uint64_t address, const std::vector<NamedFunction>& table) const {
  if (table.empty()) return false;
  for (const Symbol& symbol : image_.symbols_at(address))
    for (const NamedFunction& row : table)
      if (fnmatch(std::string(row.name).c_str(), std::string(symbol.name).c_str(), 0) == 0) return true;
  return false;
}

bool Code::leads_to_exception_return(std::uint64_t target) {
  auto [it, fresh] = leads_.try_emplace(target, false);
  if (!fresh) return it->second;
  const Facts& facts = facts_of(image_);
  ValuePool pool(facts.register_bytes);
  Setting setting{pool, image_, facts, image_.elf().little_endian};
  Machine machine(*this, setting, target);
  machine.exploring = true;
  Contract plain;
  plain.kind = ContractKind::function;
  std::deque<std::pair<std::uint64_t, State>> work;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  work.emplace_back(target, State(setting, plain));
  bool found = false;
  std::uint32_t steps = 0;
  while (!work.empty() && !found && steps < explore_limit) {
    auto [address, state] = std::move(work.front());
    work.pop_front();
    // Straight on until the code splits or has been seen.
    while (steps < explore_limit) {
      if (!seen.emplace(address, machine.continuation(state).value_or(0)).second) break;
      ++steps;
      const Insn& insn = this->insn(address);
      if (insn.size == 0) break;
      Moment m{address, steps};
      bool load = false, store = false;
      Choice choice = machine.choose(insn, state, m, load, store);
      if (choice.conditional && !choice.maybe) {
        State other = state;
        Transfer t = machine.finish(insn, other, choice, false, m);
        if (t.kind == Transfer::Kind::go) work.emplace_back(t.to, std::move(other));
      }
      // A jump with a known return address may be a call: control then comes back there.
      if (insn.flow == Flow::jump)
        if (std::optional<std::uint64_t> back = machine.continuation(state)) {
          State other = state;
          other.after_call(setting, m, true);
          work.emplace_back(*back, std::move(other));
        }
      Transfer t = machine.finish(insn, state, choice, true, m);
      if (t.kind == Transfer::Kind::end) {
        found = t.end == EndKind::exception_return;
        break;
      }
      if (t.kind == Transfer::Kind::many) {
        for (const Transfer::TableTarget& to : t.targets) work.emplace_back(to.address, state);
        break;
      }
      address = t.to;
    }
  }
  leads_[target] = found;
  return found;
}

bool Code::returns(std::uint64_t target) {
  auto [it, fresh] = returns_.try_emplace(target, true);
  if (!fresh) return it->second;
  if (named(target, facts_of(image_).no_return)) return returns_[target] = false;
  if (!image_.is_code(target)) return true;
  std::vector<std::uint64_t> work{target};
  std::unordered_set<std::uint64_t> seen;
  while (!work.empty()) {
    std::uint64_t address = work.back();
    work.pop_back();
    while (seen.insert(address).second) {
      if (seen.size() > returns_limit) return true;
      const Insn& insn = this->insn(address);
      if (insn.size == 0) break;
      std::uint64_t next = address + insn.size;
      bool go_on = insn.when.has_value();
      switch (insn.flow) {
        case Flow::ret:
        case Flow::indirect_jump:
        case Flow::exception_return:
          return true;
        case Flow::jump: {
          std::uint64_t to = image_.resolve(*insn.target, address);
          if (!image_.is_code(to)) {
            if (!named(to, facts_of(image_).no_return)) return true;
          } else {
            work.push_back(to);
          }
          break;
        }
        case Flow::call:
        case Flow::indirect_call: {
          const Symbol* here = image_.enclosing_symbol(address);
          bool last = here != nullptr && here->size != 0 && next == here->address + here->size;
          bool gone = insn.target && named(image_.resolve(*insn.target, address), facts_of(image_).no_return);
          go_on = go_on || (!last && !gone);
          break;
        }
        case Flow::next:
        case Flow::syscall:
          go_on = true;
          break;
        case Flow::trap:
        case Flow::halt:
        case Flow::unknown:
          break;
      }
      if (!go_on) break;
      address = next;
    }
  }
  return returns_[target] = false;
}

bool Code::may_write(std::uint64_t target, Place place) {
  auto [it, fresh] = writes_.try_emplace(target);
  if (fresh) it->second = find_writes(target);
  return it->second.test(place);
}

// Everything that is reached, calls included, without minding what is restored before the return.
std::bitset<max_places> Code::find_writes(std::uint64_t target) {
  std::bitset<max_places> written, everything;
  everything.set();
  std::vector<std::uint64_t> work{target};
  std::unordered_set<std::uint64_t> seen;
  while (!work.empty()) {
    std::uint64_t address = work.back();
    work.pop_back();
    if (!image_.is_code(address)) return everything;
    while (seen.insert(address).second) {
      if (seen.size() > returns_limit) return everything;
      const Insn& insn = this->insn(address);
      if (insn.size == 0 || insn.flow == Flow::unknown) return everything;
      for (const MicroOp& op : insn.ops)
        if (op.op != Op::store && op.dst.kind == Operand::Kind::place) written.set(op.dst.index);
      if (insn.sets_link) written.set(facts_of(image_).link);
      if (insn.flow == Flow::indirect_call || insn.flow == Flow::indirect_jump || insn.flow == Flow::exception_return)
        return everything;
      if (insn.flow == Flow::call || insn.flow == Flow::jump) work.push_back(image_.resolve(*insn.target, address));
      const bool ends =
          insn.flow == Flow::jump || insn.flow == Flow::ret || insn.flow == Flow::trap || insn.flow == Flow::halt;
      if (ends && !insn.when) break;
      address += insn.size;
    }
  }
  return written;
}

}  // namespace trapline
