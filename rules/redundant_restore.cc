// SPDX-License-Identifier: Apache-2.0
//
// redundant-restore: a load from pt_regs that could be spared.
//
// How it works: a load is redundant if it loads from a slot what an earlier load of the path got from there, with
// nothing between them that may have changed it ("again"); or if it restores, at the end of a system call that is no
// signal return, a register that the convention lets the call change ("unneeded"). Reported if that is so on every path
// through the load. False positives: "again" where no register is free to keep the value in. False negatives: registers
// that C kept anyway: debuggers and exec write their slots, and which path they leave by is decided in C. Real case:
// LoongArch handle_syscall loads PT_PRMD for the test of its mode, and again for the return.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cfg/frame_use.h"
#include "rules/rules.h"

namespace trapline {
namespace {

constexpr RuleId rule = RuleId::redundant_restore;
constexpr std::string_view again = "again", unneeded = "unneeded";

class RedundantRestore : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.lost() || !view.state().frame()) {
      for (const MemoryEvent& e : view.state().memory()) {
        if (e.store) continue;
        once_.add(view.address_of(e.step));
        needed_.add(view.address_of(e.step));
      }
      return;
    }
    const std::vector<Repeated> loads = repeated_loads(view.state());
    find_again(view, loads, findings);
    find_unneeded(view, loads, findings);
  }

  void routine(const RoutineInfo&, Findings& findings) override {
    once_.deny_all(findings, rule, again);
    needed_.deny_all(findings, rule, unneeded);
  }

 private:
  void find_again(const PathView& view, const std::vector<Repeated>& loads, Findings& findings) {
    for (const Repeated& r : loads) {
      const std::uint64_t at = view.address_of(r.event->step);
      if (!r.earlier) {
        once_.add(at);
        continue;
      }
      Finding& f = findings.at(rule, Level::note, at, view.path().number, again);
      f.parts[at] = r.slot.slot->name;
      if (!f.steps.empty()) continue;
      f.steps.push_back({view.address_of(*r.earlier), fmt::format("{} is loaded", r.slot.slot->name)});
      f.steps.push_back({at, "it is loaded again, and nothing has changed it"});
    }
  }

  // Registers that the system call may change are loaded from their slots, and no signal handler is left by this path.
  void find_unneeded(const PathView& view, const std::vector<Repeated>& loads, Findings& findings) {
    // Where only user programs make system calls no call returns to the kernel, whatever the code tests.
    if (view.is_system_call() && view.to_kernel() && view.state().contract().from == Contract::From::user) return;
    std::map<std::uint32_t, Place> spared;  // by step of the load
    const bool ordinary =
        view.exception_return() && view.to_user() && view.is_system_call() && !view.may_leave_signal_handler();
    if (ordinary) {
      for (const Holding& h : view.registers()) {
        const PlaceKind kind = view.facts().places[h.place].kind;
        if (h.held != Held::own_slot || h.slot == nullptr || view.may_change(h.place) == nullptr ||
            (kind != PlaceKind::general && kind != PlaceKind::link))
          continue;
        const auto load = std::find_if(loads.rbegin(), loads.rend(), [&](const Repeated& r) {
          return r.slot.slot == h.slot && r.event->value == h.value;
        });
        if (load != loads.rend()) spared.emplace(load->event->step, h.place);
      }
    }
    for (const Repeated& r : loads) {
      const std::uint64_t at = view.address_of(r.event->step);
      const auto it = spared.find(r.event->step);
      if (it == spared.end() || r.slot.slot->place != it->second) {
        needed_.add(at);
        continue;
      }
      Finding& f = findings.at(rule, Level::note, view.end_address(), view.path().number, unneeded);
      f.parts[at] = view.name(it->second);
      f.address = f.parts.begin()->first;
      if (f.paths.size() == 1)
        f.steps.push_back({at, fmt::format("{} <- {}", view.name(it->second), r.slot.slot->name)});
    }
  }

  Needed once_, needed_;
};

}  // namespace

std::unique_ptr<Rule> make_redundant_restore() { return std::make_unique<RedundantRestore>(); }

void describe_redundant_restore(const Facts&, Finding& f) {
  const std::size_t count = f.parts.size();
  if (f.variety == again) {
    f.add_parts("slots");
    f.message = fmt::format("{} is loaded again: nothing has changed it since it was loaded", f.joined("slots"));
    f.fix = "keep the value in a register that is free between the two loads: 1 load less on each of these paths";
    return;
  }
  f.add_parts("registers");
  f.message = fmt::format("{} {} restored, though a system call may change {} and no signal return takes this path",
                          f.joined("registers"), count == 1 ? "is" : "are", count == 1 ? "it" : "them");
  f.fix = fmt::format("{} load{} less if {} cleared instead; what C left in {} must not reach user mode", count,
                      count == 1 ? "" : "s", count == 1 ? "it is" : "they are", count == 1 ? "it" : "them");
}

}  // namespace trapline
