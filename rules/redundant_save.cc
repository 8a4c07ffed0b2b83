// SPDX-License-Identifier: Apache-2.0
//
// redundant-save: a slot of pt_regs is stored again with the value that it holds already.
//
// How it works: two stores of a path write the same value to the same slot, with nothing between them that may have
// changed it, no call and no other store. Reported if that is so on every path through the second one. False positives:
// none known. False negatives: equal values that came about in different ways; a save that no reader needs.
#include <fmt/format.h>

#include "cfg/frame_use.h"
#include "rules/rules.h"

namespace trapline {
namespace {

constexpr RuleId rule = RuleId::redundant_save;

class RedundantSave : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.lost() || !view.state().frame()) {
      for (const MemoryEvent& e : view.state().memory())
        if (e.store) needed_.add(view.address_of(e.step));
      return;
    }
    for (const Repeated& r : repeated_stores(view.state())) {
      const std::uint64_t at = view.address_of(r.event->step);
      if (!r.earlier) {
        needed_.add(at);
        continue;
      }
      Finding& f = findings.at(rule, Level::note, at, view.path().number);
      f.parts[at] = r.slot.slot->name;
      if (!f.steps.empty()) continue;
      f.steps.push_back({view.address_of(*r.earlier), fmt::format("{} is stored", r.slot.slot->name)});
      f.steps.push_back({at, "the same value is stored again"});
    }
  }

  void routine(const RoutineInfo&, Findings& findings) override { needed_.deny_all(findings, rule); }

 private:
  Needed needed_;
};

}  // namespace

std::unique_ptr<Rule> make_redundant_save() { return std::make_unique<RedundantSave>(); }

void describe_redundant_save(const Facts&, Finding& f) {
  f.add_parts("slots");
  f.message = fmt::format("{} is stored again with the value that it holds", f.joined("slots"));
  f.fix = "leave the second store out: 1 store less on each of these paths";
}

}  // namespace trapline
