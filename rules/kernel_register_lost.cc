// SPDX-License-Identifier: Apache-2.0
//
// kernel-register-lost: kernel code that was interrupted resumes with a register that is not what it was.
//
// How it works: at a return to kernel code every register is what the interrupted code had in it, or comes from its
// slot. A register that the kernel owns may hold the kernel's base instead. Where it is not known whom the return
// resumes, the level is one lower. False positives: a routine whose contract is not the one assumed. False negatives:
// floating-point and vector registers. Real bug: a PowerPC fast handler that used registers which its exit did not
// restore ("powerpc: Don't corrupt user registers on 32-bit", 2013).
#include "rules/rules.h"

namespace trapline {
namespace {

bool is_lost_register(const PathView& view, const Holding& h) {
  const PlaceInfo& info = view.facts().places[h.place];
  switch (h.held) {
    case Held::entry:
    case Held::own_slot:
    case Held::own_bits:
      return false;
    case Held::other_entry:
      if (view.is_crossed(h.place, h.other) || view.loaded_slot(h) != nullptr) return false;  // slot-mismatch
      return !(info.kernel_owned && view.facts().places[h.other].kind == PlaceKind::base);
    case Held::other_slot:
      return false;  // slot-mismatch
    default:
      return true;
  }
}

class KernelRegisterLost : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    if (!view.exception_return() || view.to_user() || view.lost()) return;
    if (view.either() && view.is_system_call()) return;    // kernel-value-leak
    if (view.routine().role == Role::fork_return) return;  // a new task resumes nothing
    // A test of the saved status that can only fail: what the entry is for never comes from the kernel.
    if (view.state().contract().from == Contract::From::user) return;
    std::vector<Holding> lost;
    for (const Holding& h : view.registers())
      if (h.place != view.facts().stack_pointer && is_lost_register(view, h) && view.really_changed(h))
        lost.push_back(h);
    for (const Holding& h : view.return_state())
      if (!view.need_not_restore(h.place) && is_lost_register(view, h)) lost.push_back(h);
    if (lost.empty()) return;
    Finding& f = findings.at(RuleId::kernel_register_lost, view.either() ? Level::warning : Level::error,
                             view.end_address(), view.path().number);
    for (const Holding& h : lost) f.add("registers", h.place, view.name(h.place));
    if (!f.steps.empty()) return;
    view.add_origins(f, lost);
    view.add_end(f);
  }
};

}  // namespace

std::unique_ptr<Rule> make_kernel_register_lost() { return std::make_unique<KernelRegisterLost>(); }

void describe_kernel_register_lost(const Facts&, Finding& f) {
  f.message = std::string(f.level == Level::error ? "kernel code resumes" : "the interrupted code resumes") + " with " +
              f.joined("registers") + " changed";
  f.fix = "restore what the path uses before it returns";
}

}  // namespace trapline
