// SPDX-License-Identifier: Apache-2.0
//
// sigreturn-incomplete: the path by which a signal handler is left does not load every register from its slot.
//
// How it works: rt_sigreturn writes the registers of the interrupted program into pt_regs; what the exit does not load
// from there is lost. A path that can be the one taken after rt_sigreturn is one that made a call and answered every
// question about the system-call number, wherever it was kept, and about results that tell of a signal return, as they
// are answered then; where no such question is asked, every path is.
// False positives: a choice made by a flag that the architecture's table does not have.
// False negatives: C that does not write a slot that it should.
// Real bug: the first version of the LoongArch proposal of 2022 did not restore s0-s8 after rt_sigreturn.
#include <algorithm>

#include "rules/rules.h"

namespace trapline {
namespace {

// Of the calls on the path the one that may have been the handler: the first through a table, else the first.
std::uint32_t handler_step(const PathView& view) {
  const std::vector<CallOnPath>& calls = view.path().calls;
  auto it = std::find_if(calls.begin(), calls.end(), [](const CallOnPath& c) { return c.site.indirect; });
  if (it == calls.end()) it = calls.begin();
  return it == calls.end() ? 0 : static_cast<std::uint32_t>(it->step);
}

class SigreturnIncomplete : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!view.exception_return() || !view.may_leave_signal_handler() || view.lost()) return;
    const std::uint32_t handler = handler_step(view);
    bool first = false;
    for (const Holding& h : view.everything()) {
      if (exempt(view.facts(), h.place)) continue;
      const bool own = (h.held == Held::own_slot || h.held == Held::own_bits) && h.slot != nullptr;
      if (h.held == Held::other_slot || view.loaded_slot(h) != nullptr) continue;  // slot-mismatch
      if (own && (view.state().built() || h.loaded_after > handler)) continue;
      const Slot* slot = view.state().slot_of(h.place);
      Level level = view.either() ? Level::warning : Level::error;
      Finding& f = findings.at(RuleId::sigreturn_incomplete, level, view.end_address(), view.path().number);
      first = f.paths.size() == 1;
      f.add("registers", h.place, view.name(h.place));
      if (slot != nullptr) f.add("slots", slot->offset, slot->name);
    }
    if (!first) return;
    Finding& f = findings.at(RuleId::sigreturn_incomplete, Level::none, view.end_address(), view.path().number);
    for (const CallOnPath& c : view.path().calls)
      if (c.step == handler)
        f.steps.push_back({view.address_of(handler), "rt_sigreturn writes the registers into pt_regs"});
    for (const AskedQuestion& asked : view.state().end().asked)
      if (asked.step > handler) f.steps.push_back({view.address_of(asked.step), "decides about the way out"});
    view.add_end(f);
  }

 private:
  static bool exempt(const Facts& facts, Place place) {
    return std::any_of(facts.signal_exempt.begin(), facts.signal_exempt.end(),
                       [place](const NotReloaded& n) { return n.place == place; });
  }
};

}  // namespace

std::unique_ptr<Rule> make_sigreturn_incomplete() { return std::make_unique<SigreturnIncomplete>(); }

void describe_sigreturn_incomplete(const Facts&, Finding& f) {
  f.message = f.joined("registers") + (f.count("registers") == 1 ? " is" : " are") +
              " not restored from pt_regs on the way out of a signal handler";
  f.fix = "load every slot on the path that rt_sigreturn takes";
}

}  // namespace trapline
