// SPDX-License-Identifier: Apache-2.0
//
// callee-saved-clobbered: a function returns to its caller with a register changed that it had to keep, elsewhere than
// to its caller, or with an error indication that something else has overwritten.
//
// How it works: of a function of the vDSO, and of a routine that the user says is a function, each path that ends in a
// return is compared with the calling convention: registers that the callee keeps must hold what they held at the
// entry, which may have been on the function's own stack meanwhile; the return goes to the address that the link
// register held; where the architecture has a condition bit for errors, no other instruction wrote its field behind the
// one that set it. A return to the address that a branch left there to read the program counter is one to nowhere.
// False positives: functions that are called in a way of their own. False negatives: floating-point and vector
// registers; what functions called from there change. Real bugs: arm64 vDSO, 2014 (return address copied on one path of
// two); "x86/xen: fix xen_hypercall_hvm() to not clobber %rbx", 2025; "powerpc/vdso: Don't use r30", 2021.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "rules/rules.h"

namespace trapline {
namespace {

constexpr RuleId rule = RuleId::callee_saved_clobbered;
constexpr std::string_view changed = "changed", elsewhere = "return", error = "error", untouched = "untouched";

// Assembly helpers of a kernel are called in ways of their own: only what is exported, or declared, is judged.
bool is_function(const RoutineInfo& routine) {
  return routine.contract.kind == ContractKind::function && (routine.role == Role::vdso || routine.declared);
}

// What a value was before it went through the function's own stack, once or several times, or through the head of a
// loop.
ValueId original(const EndState& state, ValueId value) {
  for (int i = 0; i < 16; ++i) {
    const ValueId before = state.kept(state.remembered(value));
    if (before == value) break;
    value = before;
  }
  return value;
}

bool is_entry(const EndState& state, ValueId value, Place place) {
  if (value == no_value) return false;
  const Value& v = state.setting().pool[original(state, value)];
  return v.kind == ValueKind::entry && v.imm == place;
}

// The function's own base of data, which its caller replaces by its own.
bool is_own_base(const EndState& state, ValueId value, Place place) {
  const ValuePool& pool = state.setting().pool;
  const Address at = pool.as_address(original(state, value));
  return at.base != no_value &&
         std::any_of(state.facts().own_bases.begin(), state.facts().own_bases.end(), [&](const OwnBase& own) {
           const Value& base = pool[at.base];
           return own.place == place && base.kind == ValueKind::entry && base.imm == own.from;
         });
}

class CalleeSavedClobbered : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!is_function(view.routine())) return;
    if (view.routine().role == Role::vdso) find_untouched(view, findings);
    if (view.path().end != EndKind::ret) return;
    find_changed(view, findings);
    find_return(view, findings);
    if (view.routine().role == Role::vdso) find_error_flag(view, findings);
  }

  // A branch that reads the program counter leaves its own successor in the link register: a return goes there.
  void came_back(const RoutineInfo& info, std::uint64_t head, std::uint64_t from, const State&, const State& now,
                 Machine& machine, Findings& findings) override {
    if (!is_function(info) || info.code.insn(from).flow != Flow::ret || machine.continuation(now) != head) return;
    Finding& f = findings.at(rule, Level::error, from, 0, elsewhere);
    f.paths.clear();
    if (!f.steps.empty()) return;
    f.steps.push_back({head, "the address of this was put into the link register"});
    f.steps.push_back({from, "returns there"});
  }

 private:
  static void find_changed(const PathView& view, Findings& findings) {
    const EndState& state = view.state();
    const Facts& facts = view.facts();
    for (std::size_t i = 0; i < facts.places.size(); ++i) {
      const Place place = static_cast<Place>(i);
      const PlaceInfo& info = facts.places[i];
      const bool kept = info.kind == PlaceKind::general || info.kind == PlaceKind::flags;
      if (!kept || info.call_clobbered || place == facts.stack_pointer || place == facts.link) continue;
      const ValueId value = state.end().state.get(state.setting(), place);
      if (is_entry(state, value, place) || is_own_base(state, value, place)) continue;
      // A condition field that is made from a register's bits is one that is put back, from wherever it was kept.
      const Value& v = state.setting().pool[value];
      const bool compared =
          v.kind == ValueKind::op && (v.op == Op::compare || v.op == Op::compare_add || v.op == Op::test);
      if (info.kind == PlaceKind::flags && !compared) continue;
      const std::optional<std::uint32_t> written = state.last_write(place, view.routine().code, state.end().routine);
      if (!written) continue;  // by nothing on this path
      Finding& f = findings.at(rule, Level::error, view.address_of(0), view.path().number, changed);
      f.add("registers", place, info.name);
      f.address = f.address == f.place ? view.address_of(*written) : std::min(f.address, view.address_of(*written));
      if (f.paths.size() == 1) f.steps.push_back({view.address_of(*written), fmt::format("{} is written", info.name)});
    }
  }

  // The value that the path jumps to at its end. What a load puts straight into the program counter is the last one
  // that the instruction loads.
  static ValueId returned_to(const PathView& view) {
    const EndState& state = view.state();
    const Insn& last = state.end().last;
    const ValueId held = state.end().machine.held(state.end().state, last.jump_to);
    if (held != no_value || last.jump_to.kind != Operand::Kind::temp) return held;
    const std::uint32_t step = static_cast<std::uint32_t>(view.path().steps.size()) - 1;
    const std::span<const MemoryEvent> memory = state.memory();
    return !memory.empty() && memory.back().step == step && !memory.back().store ? memory.back().value : no_value;
  }

  static void find_return(const PathView& view, Findings& findings) {
    const ValueId to = returned_to(view);
    if (to == no_value || view.facts().link == no_place || is_entry(view.state(), to, view.facts().link)) return;
    Finding& f = findings.at(rule, Level::error, view.end_address(), view.path().number, elsewhere);
    if (!f.steps.empty()) return;
    view.add_last_write(f, view.facts().link, "the link register is written");
    f.steps.push_back({view.end_address(), "returns there"});
  }

  static bool writes(const Insn& insn, Place place) {
    return std::any_of(insn.ops.begin(), insn.ops.end(), [place](const MicroOp& op) {
      return op.op != Op::store && op.dst.kind == Operand::Kind::place && op.dst.index == place;
    });
  }

  static void find_error_flag(const PathView& view, Findings& findings) {
    const Place field = view.facts().error_field;
    if (field == no_place) return;
    const Arch& arch = view.routine().image().arch();
    std::optional<std::uint32_t> set, lost;
    for (std::uint32_t step = 0; step < view.path().steps.size(); ++step) {
      const Insn& insn = view.routine().code.insn(view.address_of(step));
      const bool call = std::any_of(view.path().calls.begin(), view.path().calls.end(),
                                    [step](const CallOnPath& c) { return c.step == step; });
      if (arch.sets_error_flag(insn)) {
        set = step;
        lost.reset();
      } else if (set && !lost && (call || writes(insn, field))) {
        lost = step;
      }
    }
    if (!lost) return;
    Finding& f = findings.at(rule, Level::error, view.address_of(*lost), view.path().number, error);
    f.add("registers", 0, view.facts().error_flag);
    if (!f.steps.empty()) return;
    f.steps.push_back({view.address_of(*set), fmt::format("{} is set", view.facts().error_flag)});
    f.steps.push_back({view.address_of(*lost), "it is overwritten"});
    f.steps.push_back({view.end_address(), "returns"});
  }

  static void find_untouched(const PathView& view, Findings& findings) {
    for (const VdsoUntouched& row : view.facts().vdso_untouched) {
      if (fnmatch(std::string(row.function).c_str(), view.routine().name.c_str(), 0) != 0) continue;
      Code& code = view.routine().code;
      auto report = [&](std::uint32_t step, std::string_view what) {
        const std::uint64_t at = view.address_of(step);
        Finding& f = findings.at(rule, Level::error, view.address_of(0), view.path().number, untouched);
        f.address = f.address == f.place ? at : std::min(f.address, at);
        f.add("registers", row.place, view.name(row.place));
        f.add("reasons", 0, row.reason);
        if (f.steps.empty()) f.steps.push_back({at, std::string(what)});
      };
      for (std::uint32_t step = 0; step < view.path().steps.size(); ++step)
        if (writes(code.insn(view.address_of(step)), row.place)) report(step, "is written");
      for (const CallOnPath& c : view.path().calls)
        if (c.site.target && view.routine().image().is_code(*c.site.target) &&
            code.may_write(*c.site.target, row.place))
          report(static_cast<std::uint32_t>(c.step), "the function that is called writes it");
    }
  }
};

}  // namespace

std::unique_ptr<Rule> make_callee_saved_clobbered() { return std::make_unique<CalleeSavedClobbered>(); }

void describe_callee_saved_clobbered(const Facts&, Finding& f) {
  const bool one = f.count("registers") == 1;
  if (f.variety == changed) {
    f.message = fmt::format("the function returns with {} changed, which its caller expects {}", f.joined("registers"),
                            one ? "back" : "back as they were");
    f.fix = fmt::format("save {} and load {} back before every return, or use a register that may change",
                        one ? "it" : "them", one ? "it" : "them");
  } else if (f.variety == elsewhere) {
    f.message = "the return does not go to the caller: the link register holds another address";
    f.fix = "restore the link register before every return, conditional ones too";
  } else if (f.variety == error) {
    f.message = f.joined("registers") + ", which tells the caller of an error, is overwritten before the return";
    f.fix = "set or clear it last";
  } else {
    f.message = fmt::format("{} is written in the vDSO, which must leave it alone ({})", f.joined("registers"),
                            f.joined("reasons"));
    f.fix = "use another register (for C: -ffixed-REGISTER)";
  }
}

}  // namespace trapline
