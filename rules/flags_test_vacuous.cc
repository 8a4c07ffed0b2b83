// SPDX-License-Identifier: Apache-2.0
//
// flags-test-vacuous: a branch tests bits of the thread flags, or of the saved status, that are known at that point.
//
// How it works: a branch whose answer follows from the shifts and masks that the tested value went through, on every
// path of every routine that executes it, and whose value is made from the thread-flags word or from the status that
// user mode is returned to with. What a path has learned by earlier tests does not count.
// False positives: a test left in by a macro for a configuration that this kernel is not built with.
// False negatives: values that went through memory or C; routines of which not every path was examined.
// Real bug: ARM 5.11 to 6.1: `movs r1, r1, lsl #16`, then `tst r1, #_TIF_SYSCALL_WORK` (bits 4 to 7).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/flag_tests.h"
#include "rules/rules.h"

namespace trapline {
namespace {

class FlagsTestVacuous : public Rule {
 public:
  void path(const PathView& view, Findings&) override {
    const FinishedPath& end = view.state().end();
    auto known = end.known.begin();
    for (std::uint32_t step = 0; step < view.path().steps.size(); ++step) {
      const Step& s = view.path().steps[step];
      if (!s.conditional) continue;
      while (known != end.known.end() && known->step < step) ++known;
      Branch& branch = branches_[view.address_of(step)];
      if (branch.open) continue;
      const bool decided = s.known && known != end.known.end() && known->step == step &&
                           decided_by_structure(view.state().setting().pool, known->question).has_value();
      if (!decided || (branch.seen && branch.taken != s.transferred)) {
        branch.open = true;
        continue;
      }
      look(view, *known, s.transferred, branch);
    }
  }

  void routine(const RoutineInfo&, Findings& findings) override {
    for (const auto& [address, branch] : branches_) {
      if (branch.open) {
        findings.deny(RuleId::flags_test_vacuous, address);
        continue;
      }
      if (!branch.of_flags) continue;
      Finding* first = nullptr;
      for (std::uint64_t path : branch.paths) {
        Finding& f = findings.at(RuleId::flags_test_vacuous, Level::warning, address, path);
        if (first == nullptr) first = &f;
      }
      first->parts.emplace(address, "");
      first->add("branch", branch.taken ? 1 : 0, branch.taken ? "always" : "never");
      first->add("value", 0, branch.what);
      first->steps = branch.steps;
    }
  }

 private:
  struct Branch {
    bool open = false;  // on some path it is a decision
    bool seen = false;
    bool taken = false;
    bool of_flags = false;
    std::string what;
    std::vector<std::uint64_t> paths;
    std::vector<FindingStep> steps;
  };

  // Is the value made from the saved status: as the interrupted context had it, or as the frame has it?
  static bool is_status(const PathView& view, ValueId value) {
    const ValuePool& pool = view.state().setting().pool;
    std::vector<ValueId> all;
    leaves(pool, value, all);
    return std::any_of(all.begin(), all.end(), [&](ValueId leaf) {
      const Value& v = pool[leaf];
      if (v.kind == ValueKind::entry) return view.facts().places[v.imm].holds_privilege;
      const Slot* slot = view.state().classify(no_place, leaf).slot;
      return slot != nullptr && slot->place != no_place && view.facts().places[slot->place].holds_privilege;
    });
  }

  static void look(const PathView& view, const AskedQuestion& asked, bool taken, Branch& branch) {
    const std::vector<FlagWord> words = flag_words(view);
    const FlagWord* word = made_from(view, words, asked.question.a);
    const bool of_flags = word != nullptr || is_status(view, asked.question.a);
    const std::uint32_t test = test_step(view, asked.step);
    if (branch.seen && branch.of_flags != of_flags) branch.open = true;  // one code for two values
    branch.seen = true;
    branch.taken = taken;
    branch.of_flags = of_flags;
    branch.paths.push_back(view.path().number);
    if (!of_flags || !branch.steps.empty()) return;
    branch.what = word != nullptr ? "the thread flags" : "the saved status";
    if (word != nullptr) branch.steps.push_back({view.address_of(word->step), "loads the thread flags"});
    for (std::uint32_t step : changes(view, test)) branch.steps.push_back({view.address_of(step), "changes the copy"});
    branch.steps.push_back({view.address_of(test), "tests bits that are known here"});
    if (test != asked.step)
      branch.steps.push_back({view.address_of(asked.step), taken ? "always branches" : "never branches"});
  }

  // The instruction that made what the test reads, if it is none that only loads it.
  static std::vector<std::uint32_t> changes(const PathView& view, std::uint32_t test) {
    Code& code = view.routine().code;
    std::vector<Place> read;
    for (const MicroOp& op : code.insn(view.address_of(test)).ops)
      for (const Operand* o : {&op.a, &op.b})
        if (o->kind == Operand::Kind::place) read.push_back(static_cast<Place>(o->index));
    for (std::uint32_t at = test; at-- > 0;) {
      for (const MicroOp& op : code.insn(view.address_of(at)).ops) {
        if (op.dst.kind != Operand::Kind::place ||
            std::find(read.begin(), read.end(), static_cast<Place>(op.dst.index)) == read.end())
          continue;
        if (op.op == Op::load) return {};
        return {at};
      }
    }
    return {};
  }

  std::map<std::uint64_t, Branch> branches_;  // by address
};

}  // namespace

std::unique_ptr<Rule> make_flags_test_vacuous() { return std::make_unique<FlagsTestVacuous>(); }

void describe_flags_test_vacuous(const Facts&, Finding& f) {
  f.message =
      fmt::format("a test of {} that {} branches: what it tests is known here", f.joined("value"), f.joined("branch"));
  f.fix =
      "test the bits where the value has them: the word as it was loaded, or the mask moved as the value was; if "
      "the test is not needed, remove it";
}

}  // namespace trapline
