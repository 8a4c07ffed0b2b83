// SPDX-License-Identifier: Apache-2.0
#include "rules/link_stack.h"

#include <algorithm>

namespace trapline {
namespace {

struct Pushed {
  std::uint64_t address = 0;  // behind the branch
  std::uint64_t target = 0;
  std::uint32_t step = 0;
  std::uint32_t word = 0;
  bool to_next = false;
  bool run = false;     // one of several alike, each to the next
  bool callee = false;  // the target is a routine of its own that the path walks into
};

// One walk along the steps of a path.
class Walk {
 public:
  explicit Walk(const PathView& view) : view_(view), path_(view.path()) {}

  // `stepped_over`: the step makes a call of which the path sees nothing but that it comes back.
  void step(std::uint32_t i, LinkEffect effect, bool stepped_over) {
    const Step& s = path_.steps[i];
    if (!s.executed || !s.transferred) return;
    const bool last = i + 1 == path_.steps.size();
    switch (effect) {
      case LinkEffect::pop_push:
        if (returned_to(i)) return;
        events_.push_back({i, LinkVerdict::call_and_return, 0});
        [[fallthrough]];
      case LinkEffect::push:
        if (!stepped_over && !last) push(i);
        return;
      case LinkEffect::pop:
      case LinkEffect::maybe_pop:
        if (!last && !pop(next(i)) && effect == LinkEffect::pop && by_link(i))
          events_.push_back({i, LinkVerdict::unpushed_return, next(i)});
        return;
      case LinkEffect::none:
        // A jump out of the routine that comes back: the callee returns to what is in the link register.
        if (stepped_over && !last && jumps(i) && !pop(next(i)) && by_link(i))
          events_.push_back({i, LinkVerdict::unpushed_call, next(i)});
        return;
      case LinkEffect::exempt:
        return;
    }
  }

  // What is left on the stack.
  std::vector<LinkEvent> finish() {
    const LinkVerdict verdict = at_end();
    for (const Pushed& p : stack_) {
      if (p.callee) continue;  // left by an exception return, or for another stack: its own business
      const bool flush = p.run && keeps_link();
      events_.push_back({p.step, flush ? LinkVerdict::flush : verdict, p.target});
    }
    if (path_.end == EndKind::ret) {
      const ValueId to = returned_value();
      const bool caller = to != no_value && to == view_.state().setting().pool.entry(view_.facts().link);
      events_.push_back({static_cast<std::uint32_t>(path_.steps.size()) - 1,
                         caller ? LinkVerdict::balanced : LinkVerdict::undecided, 0});
    }
    std::sort(events_.begin(), events_.end(), [](const LinkEvent& a, const LinkEvent& b) { return a.step < b.step; });
    return std::move(events_);
  }

 private:
  std::uint64_t next(std::uint32_t i) const { return view_.address_of(i + 1); }
  const Insn& insn(std::uint32_t i) const { return view_.routine().code.insn(view_.address_of(i)); }
  // Is where the path goes on what the link register holds, and no second return address?
  bool by_link(std::uint32_t i) const {
    return view_.state().end().routine.graph[path_.steps[i].node].key.continuation == next(i);
  }
  bool jumps(std::uint32_t i) const {
    const Flow flow = insn(i).flow;
    return flow == Flow::jump || flow == Flow::indirect_jump;
  }

  void push(std::uint32_t i) {
    const Insn& branch = insn(i);
    Pushed p;
    p.address = branch.address + branch.size;
    p.target = next(i);
    p.step = i;
    p.word = branch.word;
    p.to_next = p.target == p.address;
    const Symbol* symbol = view_.routine().image().symbol_at(p.target);
    p.callee = symbol != nullptr && !p.to_next;
    // The second of two alike overwrites the link register before anybody has read it: neither learns an address.
    if (!stack_.empty()) {
      Pushed& before = stack_.back();
      if (before.word == p.word && before.to_next && p.to_next && !link_read(before.step + 1, i))
        before.run = p.run = true;
    }
    stack_.push_back(p);
  }

  // Does a step in [first, last) read the link register?
  bool link_read(std::uint32_t first, std::uint32_t last) const {
    const Place link = view_.facts().link;
    const auto is_link = [link](const Operand& o) { return o.kind == Operand::Kind::place && o.index == link; };
    for (std::uint32_t i = first; i < last; ++i)
      for (const MicroOp& op : insn(i).ops)
        if (is_link(op.a) || is_link(op.b)) return true;
    return false;
  }

  // Takes off what was pushed for a return to that address, and what was pushed since; false: nothing was.
  bool pop(std::uint64_t address) {
    const auto found =
        std::find_if(stack_.rbegin(), stack_.rend(), [address](const Pushed& p) { return p.address == address; });
    if (found == stack_.rend()) return false;
    const auto at = stack_.begin() + (stack_.rend() - found - 1);
    events_.push_back({at->step, LinkVerdict::balanced, at->target});
    for (auto p = at + 1; p != stack_.end(); ++p)
      events_.push_back({p->step, p->run ? LinkVerdict::flush : LinkVerdict::left_over, p->target});
    stack_.erase(at, stack_.end());
    return true;
  }

  // Is what is in the link register before that step the address of the routine's own caller, never written?
  bool returned_to(std::uint32_t i) const {
    const Place link = view_.facts().link;
    for (std::uint32_t k = i; k-- > 0;) {
      const Insn& before = insn(k);
      if (before.flow == Flow::call || before.flow == Flow::indirect_call) return false;
      for (const MicroOp& op : before.ops)
        if (op.dst.kind == Operand::Kind::place && op.dst.index == link) return false;
    }
    return true;
  }

  // What the path returns to, or the function that it jumps to at its end; no_value: not known.
  ValueId returned_value() const {
    const EndState& state = view_.state();
    const FinishedPath& end = state.end();
    ValueId to = end.state.get(state.setting(), view_.facts().link);
    const Operand& through = end.last.jump_to;
    if (end.path.end == EndKind::ret && through.kind == Operand::Kind::place)
      to = end.state.get(state.setting(), through.index);
    if (end.path.end == EndKind::ret && through.kind == Operand::Kind::temp) {
      to = no_value;  // loaded by the return itself
      for (const MemoryEvent& e : state.memory())
        if (!e.store && e.step + 1 == path_.steps.size()) to = e.value;
    }
    return to == no_value ? to : state.kept(state.remembered(to));
  }

  // That was there when the routine was entered: no address that the path pushed.
  bool returns_to_entry() const {
    const ValueId to = returned_value();
    return to != no_value && view_.state().setting().pool[to].kind == ValueKind::entry;
  }

  // The link register holds at the end what it held at the entry.
  bool keeps_link() const {
    const EndState& state = view_.state();
    const ValueId link = state.kept(state.remembered(state.end().state.get(state.setting(), view_.facts().link)));
    return link == state.setting().pool.entry(view_.facts().link);
  }

  LinkVerdict at_end() const {
    switch (path_.end) {
      case EndKind::exception_return:
        return LinkVerdict::left_over;  // takes nothing off
      case EndKind::ret:
      case EndKind::jump:  // to a function that returns for this one
        return returns_to_entry() ? LinkVerdict::left_over : LinkVerdict::undecided;
      default:
        return LinkVerdict::undecided;
    }
  }

  const PathView& view_;
  const Path& path_;
  std::vector<Pushed> stack_;
  std::vector<LinkEvent> events_;
};

}  // namespace

LinkEffect LinkStackJudge::effect(const PathView& view, std::uint32_t step) {
  const std::uint32_t node = view.path().steps[step].node;
  if (node >= effects_.size()) effects_.resize(node + 1, 0);
  std::uint8_t& known = effects_[node];
  if (known == 0) {
    const Insn& insn = view.routine().code.insn(view.address_of(step));
    known = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(view.facts().link_stack->effect(insn)));
  }
  return static_cast<LinkEffect>(known - 1);
}

std::vector<LinkEvent> LinkStackJudge::judge(const PathView& view) {
  if (!view.facts().link_stack) return {};
  Walk walk(view);
  const std::vector<Step>& steps = view.path().steps;
  std::vector<CallOnPath>::const_iterator call = view.path().calls.begin();
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const LinkEffect e = effect(view, i);
    const bool calls = call != view.path().calls.end() && call->step == i;
    if (calls) ++call;
    if (e != LinkEffect::none || calls) walk.step(i, e, calls);
  }
  return walk.finish();
}

}  // namespace trapline
