// SPDX-License-Identifier: Apache-2.0
#include "cfg/cost.h"

#include <tuple>

#include "cfg/paths.h"

namespace trapline {

namespace {

// Is the transfer of control a branch that was taken? Calls, returns and system calls have classes of their own. A
// link-setting branch that is no call (bcl 20,31,$+4, a callee that is walked into) is a jump.
bool counts_as_branch(const Insn& insn, const Transfer& t) {
  const bool links = insn.flow == Flow::call || insn.flow == Flow::indirect_call;
  return insn.flow == Flow::jump || insn.flow == Flow::indirect_jump || insn.flow == Flow::halt || (links && !t.call);
}

}  // namespace

void add_cost(Cost& cost, const Insn& insn, bool executed, bool transferred, const Transfer& t) {
  ++cost.instructions;
  // A load or store whose predicate fails is neither: the classes load, store and load_store say what memory saw.
  const bool memory_class =
      insn.cls == InsnClass::load || insn.cls == InsnClass::store || insn.cls == InsnClass::load_store;
  const InsnClass cls = memory_class && !executed ? InsnClass::other : insn.cls;
  ++cost.classes[static_cast<std::size_t>(cls)];
  const bool conditional_flow = insn.when && insn.flow != Flow::next;
  if (conditional_flow && !transferred) ++cost.branches_not_taken;
  if (transferred && (counts_as_branch(insn, t) || conditional_flow)) ++cost.branches_taken;
  if (insn.landing_pad || insn.cls == InsnClass::nop) ++cost.nops;
  if (!executed) return;
  if (insn.memory.loads) ++cost.loads;
  if (insn.memory.stores) ++cost.stores;
  cost.registers_loaded += insn.memory.registers_loaded;
  cost.registers_stored += insn.memory.registers_stored;
  cost.bytes_loaded += insn.memory.bytes_loaded;
  cost.bytes_stored += insn.memory.bytes_stored;
  if (insn.memory.loads && t.frame_load) ++cost.frame_loads;
  if (insn.memory.stores && t.frame_store) ++cost.frame_stores;
  if (t.call) {
    ++cost.calls;
    if (t.call->indirect) ++cost.indirect_calls;
  }
  if (insn.system) ++cost.system;
  if (insn.barrier) ++cost.barriers;
  if (insn.memory.atomic) ++cost.atomics;
}

bool cheaper(const Cost& a, const Cost& b) {
  return std::tie(a.instructions, a.loads, a.stores) < std::tie(b.instructions, b.loads, b.stores);
}

}  // namespace trapline
