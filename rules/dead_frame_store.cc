// SPDX-License-Identifier: Apache-2.0
//
// dead-frame-store: a word is stored to pt_regs that nobody reads before it is overwritten.
//
// How it works: what comes next to each byte of the slot is followed along the path. If the path itself writes it
// again, or calls a function that writes it on all of its ways before it can read it, the store is dead there; it is
// reported if it is on every path through it. False positives: who looks at the frame between the two stores from
// outside (an interrupt that samples registers, a debugger). False negatives: functions that write the slot behind a
// call of their own, or through a pointer kept in memory. Real bug: none; LoongArch handle_syscall's store of zero to
// PT_R0 was thought to be one, and do_syscall does not write the slot on its first branch.
#include <fmt/format.h>

#include <set>

#include "cfg/frame_use.h"
#include "rules/rules.h"

namespace trapline {
namespace {

constexpr RuleId rule = RuleId::dead_frame_store;

class DeadFrameStore : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (view.lost() || !view.state().frame()) {
      for (const MemoryEvent& e : view.state().memory())
        if (e.store) needed_.add(view.address_of(e.step));
      return;
    }
    // What is stored twice alike is the business of redundant-save.
    std::set<std::pair<std::uint32_t, std::int64_t>> repeated;
    for (const Repeated& r : repeated_stores(view.state()))
      if (r.earlier) repeated.emplace(*r.earlier, r.event->at.offset);
    for (const StoreFate& fate : store_fates(view.state(), view.routine().code)) {
      const std::uint64_t at = view.address_of(fate.store->step);
      if (fate.kind == StoreFate::Kind::overwritten && repeated.contains({fate.store->step, fate.store->at.offset}))
        continue;
      if (!fate.dead()) {
        needed_.add(at);
        continue;
      }
      Finding& f = findings.at(rule, Level::note, at, view.path().number);
      f.parts[at] = fate.slot.slot->name;
      const bool by_callee = fate.kind == StoreFate::Kind::callee;
      const std::string writer(by_callee ? view.function_at(fate.function) : std::string_view());
      f.add("overwritten by", by_callee ? 0 : 1, by_callee ? writer : "the path itself");
      if (!f.steps.empty()) continue;
      f.steps.push_back({at, fmt::format("{} is stored", fate.slot.slot->name)});
      f.steps.push_back({view.address_of(fate.by),
                         by_callee ? writer + " writes it before it reads it" : std::string("it is stored again")});
    }
  }

  void routine(const RoutineInfo&, Findings& findings) override { needed_.deny_all(findings, rule); }

 private:
  Needed needed_;
};

}  // namespace

std::unique_ptr<Rule> make_dead_frame_store() { return std::make_unique<DeadFrameStore>(); }

void describe_dead_frame_store(const Facts&, Finding& f) {
  f.add_parts("slots");
  f.message = fmt::format("the store to {} is overwritten by {} before it can be read", f.joined("slots"),
                          f.joined("overwritten by"));
  f.fix = "leave it out: 1 store less on each of these paths";
}

}  // namespace trapline
