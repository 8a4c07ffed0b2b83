// SPDX-License-Identifier: Apache-2.0
//
// kernel-value-leak: user mode resumes with something of the kernel's in a register.
//
// How it works: at a return to user mode a register holds neither what the program had in it, nor its slot, nor a
// result, nor a constant that the convention permits. Whatever C left in a register that it may clobber is the
// kernel's. False positives: a callee that is known not to write the register. False negatives: floating-point and
// vector registers; C that writes a wrong value into a slot. Real bug: the LoongArch proposal of 2022 returned with
// t0-t3 and t5-t8 as C had left them; 32-bit PowerPC returned so with r0 and r4-r12 until 2022.
#include <map>

#include "rules/rules.h"

namespace trapline {
namespace {

bool is_leak(const PathView& view, const Holding& h) {
  switch (h.held) {
    case Held::kernel:
      return true;
    case Held::result:  // a system call's result is wanted
      return h.place != view.facts().result || !view.is_system_call();
    case Held::constant:  // no data of the kernel's, but not what the program had either
      return view.may_change(h.place) == nullptr && h.place != view.facts().result;
    case Held::other_entry:  // not the program's, or not where it must be
      if (view.is_crossed(h.place, h.other) || view.loaded_slot(h) != nullptr) return false;
      return !view.facts().places[h.other].user_visible || view.may_change(h.place) == nullptr;
    default:
      return false;
  }
}

class KernelValueLeak : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!view.exception_return() || view.to_kernel() || view.lost()) return;
    // Of an exception that may have interrupted the kernel, kernel-register-lost speaks.
    if (view.either() && !view.is_system_call()) return;
    std::map<std::string_view, std::vector<Holding>> leaks;
    for (const Holding& h : view.registers()) {
      if (h.place == view.facts().stack_pointer || !is_leak(view, h) || !view.really_changed(h)) continue;
      if (const RegisterRule* rule = view.register_rule(h.place)) {
        if (rule->level != Level::none) leaks[level_name(rule->level)].push_back(h);
        continue;
      }
      const MayChange* why = view.may_change(h.place);
      // A condition field that the convention lets change tells of the last comparison and nothing else.
      if (why != nullptr && view.facts().places[h.place].kind == PlaceKind::flags) continue;
      leaks[why == nullptr ? kept : why->kernel_data ? tolerated : free].push_back(h);
    }
    for (const Holding& h : view.return_state())
      if (!view.need_not_restore(h.place) && is_leak(view, h)) leaks[kept].push_back(h);
    for (const auto& [variety, list] : leaks) report(view, variety, list, findings);
  }

 private:
  // The variety of registers of which the configuration speaks is the level that it gives them.
  static constexpr std::string_view kept = "kept", tolerated = "tolerated", free = "";

  static void report(const PathView& view, std::string_view variety, const std::vector<Holding>& list,
                     Findings& findings) {
    Level level = variety == tolerated ? Level::note : Level::warning;
    if (const RegisterRule* rule = view.register_rule(list.front().place)) level = rule->level;
    if (view.either()) level = lowered(level);
    Finding& f = findings.at(RuleId::kernel_value_leak, level, view.end_address(), view.path().number, variety);
    for (const Holding& h : list) {
      f.add("registers", h.place, view.name(h.place));
      if (const RegisterRule* rule = view.register_rule(h.place))
        f.add("reasons", 0, rule->reason);
      else if (const MayChange* why = view.may_change(h.place))
        f.add("reasons", 0, why->reason);
    }
    if (!f.steps.empty()) return;
    view.add_origins(f, list);
    view.add_end(f);
  }
};

}  // namespace

std::unique_ptr<Rule> make_kernel_value_leak() { return std::make_unique<KernelValueLeak>(); }

void describe_kernel_value_leak(const Facts&, Finding& f) {
  f.message = "user mode resumes with kernel data in " + f.joined("registers");
  if (f.variety == "kept") f.message += ", which must not change";
  if (f.variety != "kept" && !f.variety.empty()) f.message += " (" + f.joined("reasons") + ")";
  f.fix = f.variety == "kept" ? "restore the registers from their slots before the return"
                              : "restore the registers from their slots, or clear them, before the return";
}

}  // namespace trapline
