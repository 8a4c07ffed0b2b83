// SPDX-License-Identifier: Apache-2.0
//
// slot-not-saved: a register is loaded from its slot at an exception return, on a path that never stored that slot.
//
// How it works: at the return the register holds its own slot, and no store of the path hit the slot before the load.
// Whatever lay on the stack reaches the interrupted program: data of an earlier use of the stack.
// False positives: C that the path calls writes the slot on every way (signal delivery, exec): at system calls the
// level is note where the convention lets the register change. False negatives: a slot that was stored with something
// else than the register; see slot-mismatch. Real bug: LoongArch handle_syscall loads t0-t8 from slots that it never
// stored, since 5.19; the loads exist for rt_sigreturn.
#include <algorithm>

#include "rules/rules.h"

namespace trapline {
namespace {

class SlotNotSaved : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!view.exception_return() || view.lost()) return;
    for (const Holding& h : view.everything()) {
      if ((h.held != Held::own_slot && h.held != Held::own_bits) || h.slot == nullptr || h.saved) continue;
      const RegisterRule* rule = view.register_rule(h.place);
      if (rule != nullptr && rule->level == Level::none) continue;
      Level level = view.may_change(h.place) != nullptr ? Level::note : Level::warning;
      if (rule != nullptr) level = rule->level;
      if (view.either()) level = lowered(level);
      // Registers of which the configuration speaks are a finding of their own.
      const std::string_view variety = rule != nullptr ? level_name(rule->level) : std::string_view();
      Finding& f = findings.at(RuleId::slot_not_saved, level, view.end_address(), view.path().number, variety);
      if (rule != nullptr) f.add("reasons", 0, rule->reason);
      const bool first = f.count("registers") == 0 || f.paths.size() == 1;
      f.add("registers", h.place, view.name(h.place));
      f.add("slots", h.slot->offset, h.slot->name);
      if (view.may_leave_signal_handler()) f.add("reason", 0, "signal return");
      std::optional<std::uint32_t> load =
          view.state().last_write(h.place, view.routine().code, view.state().end().routine);
      if (!load) continue;
      const std::uint64_t at = view.address_of(*load);
      f.address = f.address == f.place ? at : std::min(f.address, at);
      if (first)
        f.steps.push_back(
            {at, std::string(view.name(h.place)) + " <- " + std::string(h.slot->name) + ", not saved on this path"});
    }
  }
};

}  // namespace

std::unique_ptr<Rule> make_slot_not_saved() { return std::make_unique<SlotNotSaved>(); }

void describe_slot_not_saved(const Facts&, Finding& f) {
  const bool one = f.count("registers") == 1;
  f.message = f.joined("registers") + (one ? " is" : " are") + " loaded from " + (one ? "a slot" : "slots") +
              " that the path never stored: old stack contents reach user mode";
  if (f.level == Level::note && f.count("reason") != 0)
    f.message = f.joined("registers") + (one ? " is" : " are") + " loaded from " + (one ? "a slot" : "slots") +
                " that the path never stored; only the return from a signal handler needs the load" + (one ? "" : "s");
  f.fix = f.count("reason") != 0 ? "restore them on the path of rt_sigreturn only, or store them at the entry"
                                 : "store " + std::string(one ? "the register" : "the registers") +
                                       " at the entry, or do not load " + (one ? "it" : "them") + " here";
}

}  // namespace trapline
