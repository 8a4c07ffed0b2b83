// SPDX-License-Identifier: Apache-2.0
//
// link-stack-imbalance: branches that leave the processor's predictor of return addresses with too many addresses, or
// too few.
//
// How it works: see link_stack.h. Which instruction pushes and which pops is in the architecture's facts.
// False positives: none known; code that runs once (booting) is reported like any other.
// False negatives: callees are taken to be balanced; returns to addresses that are loaded from memory (longjmp).
// Real bug: the PowerPC vDSO learned its address with a link-setting branch that is not exempt (c974809a26a1, 2019).
#include <fmt/format.h>

#include "rules/link_stack.h"
#include "rules/rules.h"

namespace trapline {
namespace {

std::string_view variety_name(LinkVerdict verdict) {
  switch (verdict) {
    case LinkVerdict::unpushed_return:
    case LinkVerdict::unpushed_call:
      return "by-hand";
    case LinkVerdict::call_and_return:
      return "call-and-return";
    default:
      return "push";
  }
}

// An operand of the operation is the link register.
bool reads(const MicroOp& op, Place link) {
  return (op.a.kind == Operand::Kind::place && op.a.index == link) ||
         (op.b.kind == Operand::Kind::place && op.b.index == link);
}

bool writes(const MicroOp& op, Place link) { return op.dst.kind == Operand::Kind::place && op.dst.index == link; }

class LinkStackImbalance : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    for (const LinkEvent& e : judge_.judge(view))
      if (is_fault(e.verdict)) report(view, e, findings);
  }

 private:
  static void report(const PathView& view, const LinkEvent& e, Findings& findings) {
    const Level level = view.facts().link_stack->advisory ? Level::note : Level::warning;
    const bool by_hand = e.verdict == LinkVerdict::unpushed_return || e.verdict == LinkVerdict::unpushed_call;
    // What a patch would touch: of an address put into the link register by hand, that.
    const std::optional<std::uint32_t> written =
        by_hand || e.verdict == LinkVerdict::call_and_return ? link_write(view, e.step) : std::nullopt;
    const std::uint64_t place = view.address_of(by_hand && written ? *written : e.step);
    Finding& f = findings.at(RuleId::link_stack_imbalance, level, place, view.path().number, variety_name(e.verdict));
    const Symbol* symbol = by_hand ? view.routine().image().enclosing_symbol(e.other) : nullptr;
    if (symbol != nullptr) f.add("returns-to", 0, symbol->name);
    if (!f.steps.empty()) return;
    if (written) f.steps.push_back({view.address_of(*written), "sets the link register"});
    add_steps(view, e, f.steps);
  }

  static void add_steps(const PathView& view, const LinkEvent& e, std::vector<FindingStep>& out) {
    const Image& image = view.routine().image();
    const std::uint64_t at = view.address_of(e.step);
    switch (e.verdict) {
      case LinkVerdict::unpushed_return:
        out.push_back({at, "takes an address off the link stack"});
        return;
      case LinkVerdict::unpushed_call:
        out.push_back({at, fmt::format("comes back to {}", image.describe(e.other))});
        return;
      case LinkVerdict::call_and_return:
        out.push_back({at, "takes an address off, puts one on"});
        return;
      default:
        break;
    }
    out.push_back({at, fmt::format("puts {} on the link stack", image.describe(at + insn(view, e.step).size))});
    if (const std::optional<std::uint32_t> read = link_read(view, e.step))
      out.push_back({view.address_of(*read), "learns the address"});
    out.push_back({view.end_address(),
                   view.exception_return() ? "takes nothing off" : "returns to the caller, which is below it"});
  }

  static const Insn& insn(const PathView& view, std::uint32_t step) {
    return view.routine().code.insn(view.address_of(step));
  }

  // The step that gave the link register what it holds at `step`.
  static std::optional<std::uint32_t> link_write(const PathView& view, std::uint32_t step) {
    const Place link = view.facts().link;
    for (std::uint32_t i = step; i-- > 0;)
      for (const MicroOp& op : insn(view, i).ops)
        if (writes(op, link)) return i;
    return std::nullopt;
  }

  // Where the address that a branch left in the link register is read, if it is.
  static std::optional<std::uint32_t> link_read(const PathView& view, std::uint32_t step) {
    const Place link = view.facts().link;
    for (std::uint32_t i = step + 1; i < view.path().steps.size(); ++i)
      for (const MicroOp& op : insn(view, i).ops) {
        if (reads(op, link)) return i;
        if (writes(op, link)) return std::nullopt;
      }
    return std::nullopt;
  }

  LinkStackJudge judge_;
};

}  // namespace

std::unique_ptr<Rule> make_link_stack_imbalance() { return std::make_unique<LinkStackImbalance>(); }

void describe_link_stack_imbalance(const Facts& facts, Finding& f) {
  const LinkStack& stack = *facts.link_stack;
  if (f.variety == "by-hand") {
    f.message = fmt::format(
        "returns to {} are mispredicted: the address is put into the link register by hand, and no call puts it on the "
        "link stack",
        f.joined("returns-to"));
    f.fix = fmt::format("call with {}, or jump there with {}", stack.call_register, stack.jump_register);
  } else if (f.variety == "call-and-return") {
    f.message =
        "this call takes an address off the link stack before it puts its own on it; the callers' returns are "
        "mispredicted";
    f.fix = fmt::format("call with {}", stack.call_register);
  } else {
    f.message =
        "the branch puts an address on the link stack that no return takes off; the callers' returns are mispredicted";
    f.fix = stack.instead_of_push;
  }
  if (!stack.cores.empty()) f.message += fmt::format(" ({})", stack.cores);
}

}  // namespace trapline
