// SPDX-License-Identifier: Apache-2.0
//
// guard-overwritten: the test that chooses between full and partial restore reads a slot that signal return overwrites.
//
// How it works: rt_sigreturn and signal delivery replace the registers in pt_regs. A branch behind the call whose
// condition was computed from such a slot, with a full restore on one side only, asks the wrong program: the number of
// the system call is no longer in the slot when the test reads it.
// False positives: a slot that the architecture's signal code keeps on purpose.
// False negatives: a copy of the slot that C made.
// Real bug: an early idea for LoongArch in 2022 took the number from the a7 slot after the call.
#include <algorithm>
#include <map>
#include <set>

#include "rules/rules.h"

namespace trapline {
namespace {

using Restored = std::set<Place>;

struct Guard {
  std::string slot;
  std::uint32_t offset = 0;
  std::set<Restored> outcomes[2];  // by whether the condition held
  std::vector<std::uint64_t> paths;
  std::vector<FindingStep> steps;
};

class GuardOverwritten : public Rule {
 public:
  void path(const PathView& view, Findings&) override {
    if (!view.exception_return() || !view.is_system_call() || view.to_kernel() || view.lost()) return;
    if (view.routine().role != Role::syscall_entry && view.routine().role != Role::return_to_user) return;
    Restored restored;
    for (const Holding& h : view.registers()) {
      if (h.held == Held::own_slot || h.held == Held::own_bits) restored.insert(h.place);
    }
    for (const AskedQuestion& asked : view.state().end().asked) {
      const Slot* slot = slot_read(view, asked.question);
      if (slot == nullptr) continue;
      Guard& g = guards_[view.address_of(asked.step)];
      g.slot = slot->name;
      g.offset = slot->offset;
      g.outcomes[asked.holds ? 1 : 0].insert(restored);
      g.paths.push_back(view.path().number);
      if (!g.steps.empty()) continue;
      for (const CallOnPath& c : view.path().calls)
        if (c.step < asked.step)
          g.steps.push_back({view.address_of(static_cast<std::uint32_t>(c.step)), "C may write " + g.slot});
      g.steps.push_back({view.address_of(asked.step), "tests what was read from " + g.slot});
      view.add_end_to(g.steps);
    }
  }

  void routine(const RoutineInfo&, Findings& findings) override {
    for (const auto& [address, guard] : guards_) {
      // One side always restores more than the other sometimes does.
      if (!chooses(guard.outcomes[0], guard.outcomes[1]) && !chooses(guard.outcomes[1], guard.outcomes[0])) continue;
      for (std::uint64_t path : guard.paths) {
        Finding& f = findings.at(RuleId::guard_overwritten, Level::error, address, path);
        f.add("slots", guard.offset, guard.slot);
        f.steps = guard.steps;
      }
    }
  }

 private:
  static bool chooses(const std::set<Restored>& full, const std::set<Restored>& partial) {
    if (full.empty() || partial.empty()) return false;
    return std::any_of(partial.begin(), partial.end(), [&](const Restored& less) {
      return std::all_of(full.begin(), full.end(), [&](const Restored& more) {
        return more.size() > less.size() && std::includes(more.begin(), more.end(), less.begin(), less.end());
      });
    });
  }

  // The slot that the question was made from, when it was read after C may have written it.
  static const Slot* slot_read(const PathView& view, const Question& question) {
    std::vector<ValueId> parts;
    const ValuePool& pool = view.state().setting().pool;
    leaves(pool, question.a, parts);
    leaves(pool, question.b, parts);
    for (ValueId part : parts) {
      const ValueKind kind = pool[part].kind;
      if (kind != ValueKind::cell && kind != ValueKind::load) continue;
      const Holding h = view.state().classify(no_place, part);
      if (h.slot == nullptr || h.slot->kind != SlotKind::user_register) continue;
      if (h.loaded_after != 0 || view.state().built()) return h.slot;
    }
    return nullptr;
  }

  std::map<std::uint64_t, Guard> guards_;
};

}  // namespace

std::unique_ptr<Rule> make_guard_overwritten() { return std::make_unique<GuardOverwritten>(); }

void describe_guard_overwritten(const Facts&, Finding& f) {
  f.message = "the choice between full and partial restore reads " + f.joined("slots") +
              ", which rt_sigreturn overwrites before";
  f.fix = "keep what the choice needs in a callee-saved register or in the task, before the call";
}

}  // namespace trapline
