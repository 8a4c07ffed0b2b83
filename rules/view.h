// SPDX-License-Identifier: Apache-2.0
//
// What rules look at: a path that ended, with the table of what every place holds, and the routine that it belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "cfg/end_state.h"
#include "disasm/arch/arch.h"
#include "rules/flag_definitions.h"
#include "rules/rule.h"

namespace trapline {

// What the user's configuration says of a register of the interrupted program: how bad it is that something of the
// kernel's is in it. Level::none: it does not matter.
struct RegisterRule {
  Level level = Level::note;
  std::string_view reason;
};

// An entry routine, as rules know it.
struct RoutineInfo {
  Code& code;
  std::string name;
  Role role = Role::user_named;
  const Contract& contract;
  std::map<Place, RegisterRule> register_rules = {};
  bool declared = false;                   // the user says that the contract is its own
  const FlagDefinitions* flags = nullptr;  // null: nobody knows how the thread flags are numbered
  const Image& image() const { return code.image(); }
  const Facts& facts() const { return facts_of(image()); }
};

// Findings of one routine, merged by rule and place.
class Findings {
 public:
  // The finding of that rule at `place`, a new one if need be, with that path in it. `level` raises it.
  Finding& at(RuleId rule, Level level, std::uint64_t place, std::uint64_t path, std::string_view variety = {});
  const std::map<std::tuple<RuleId, std::uint64_t, std::string>, Finding>& all() const { return all_; }
  // Takes the instruction out of the parts of all findings of that rule and variety, on this path and all others, of
  // this routine and all others of the image.
  void deny(RuleId rule, std::uint64_t address, std::string_view variety = {}) {
    denied_.insert({rule, std::string(variety), address});
  }
  const std::set<Denial>& denied() const { return denied_; }
  void clear() {
    all_.clear();
    denied_.clear();
    applied_.clear();
  }
  // The rule has found something to judge: of a rule that says where it does not apply.
  void applied(RuleId rule) { applied_.insert(rule); }
  const std::set<RuleId>& all_applied() const { return applied_; }

 private:
  std::set<RuleId> applied_;
  std::map<std::tuple<RuleId, std::uint64_t, std::string>, Finding> all_;
  std::set<Denial> denied_;
};

class PathView {
 public:
  PathView(const RoutineInfo& routine, const EndState& state);

  const RoutineInfo& routine() const { return routine_; }
  const EndState& state() const { return state_; }
  const Path& path() const { return state_.end().path; }
  const Facts& facts() const { return state_.facts(); }
  // Does the path end where something else resumes than what was interrupted (Facts::other_returns)? Then why.
  const OtherReturn* other_return() const { return other_; }
  bool exception_return() const { return path().end == EndKind::exception_return; }
  bool to_user() const { return to_ == Machine::Privilege::user; }
  bool to_kernel() const { return to_ == Machine::Privilege::kernel; }
  bool either() const { return to_ == Machine::Privilege::either; }
  // A path on which nothing can be said about registers: reported by lost-track, passed over by the rules that read the
  // table.
  bool lost() const { return lost_; }
  // Of every register that the frame has a slot for, in the frame's order; empty where the path ends otherwise.
  const std::vector<Holding>& registers() const { return registers_; }
  // Of the return state: where the return goes, and with which status.
  const std::vector<Holding>& return_state() const { return return_state_; }
  // Both.
  std::vector<Holding> everything() const;
  // Need the place not be restored at a return?
  bool need_not_restore(Place place) const;

  // Why the interrupted program may find something else in that register; nullptr: it may not.
  const MayChange* may_change(Place place) const { return state_.may_change(place); }
  // What the configuration says of that register; nullptr: nothing. It comes before may_change.
  const RegisterRule* register_rule(Place place) const {
    const auto found = routine_.register_rules.find(place);
    return found == routine_.register_rules.end() ? nullptr : &found->second;
  }
  bool is_system_call() const { return state_.contract().convention != 0; }
  // May a signal handler be left by this path? Never where a test on the path says that the system call was another,
  // or the routine is no way out of a system call.
  bool may_leave_signal_handler() const { return signal_; }

  std::uint64_t address_of(std::uint32_t step) const;
  std::uint64_t end_address() const { return address_of(static_cast<std::uint32_t>(path().steps.size()) - 1); }
  std::string_view name(Place place) const { return facts().places[place].name; }
  // "by the call of do_syscall", "by the instruction at handle_syscall+0x20"
  std::string origin(std::uint64_t address) const;
  // The slot that a value came from which was stored there on this path and read back before a call; nullptr: none.
  const Slot* loaded_slot(const Holding& h) const;
  // The slot of that register, if the path loaded anything from it.
  const Slot* loaded_slot_of(Place place) const;
  // Is the pair in the architecture's table of crossed pairs?
  bool is_crossed(Place place, Place slot) const { return state_.is_crossed(place, slot); }
  // Not where the register is unknown because of a call, and the callee is known to leave it alone.
  bool really_changed(const Holding& h) const;
  // The steps that made what the registers hold, in the order walked: for Finding::steps.
  void add_origins(Finding& finding, const std::vector<Holding>& registers) const;
  // The step that last wrote a place, for Finding::steps.
  std::string_view function_at(std::uint64_t address) const;
  void add_last_write(Finding& finding, Place place, std::string note) const;
  // Closes a finding's steps with the end of the path.
  void add_end(Finding& finding) const { add_end_to(finding.steps); }
  void add_end_to(std::vector<FindingStep>& steps) const;

 private:
  bool find_signal() const;
  const OtherReturn* find_other() const;
  Holding returned(const Slot& slot) const;
  bool consistent(std::uint64_t number) const;
  std::optional<std::uint64_t> assume(ValueId value, std::uint64_t number, int depth) const;

  const RoutineInfo& routine_;
  const EndState& state_;
  Machine::Privilege to_;
  std::vector<Holding> registers_, return_state_;
  bool signal_ = false, lost_ = false;
  const OtherReturn* other_ = nullptr;
};

// One level lower: what is not known to concern user mode.
Level lowered(Level level);

// Instructions that a rule found to be needed on some path, kept until the routine is done: see Findings::deny.
class Needed {
 public:
  void add(std::uint64_t address) { all_.insert(address); }
  bool contains(std::uint64_t address) const { return all_.contains(address); }
  void deny_all(Findings& findings, RuleId rule, std::string_view variety = {}) const {
    for (std::uint64_t address : all_) findings.deny(rule, address, variety);
  }

 private:
  std::unordered_set<std::uint64_t> all_;
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual void path(const PathView& view, Findings& findings) = 0;
  // After the last path of the routine.
  virtual void routine(const RoutineInfo& info, Findings& findings) {
    (void)info;
    (void)findings;
  }
  // A walk has come back to a node, see PathVisitor.
  virtual void came_back(const RoutineInfo& info, std::uint64_t head, std::uint64_t from, const State& then,
                         const State& now, Machine& machine, Findings& findings) {
    (void)info, (void)head, (void)from, (void)then, (void)now, (void)machine, (void)findings;
  }
};

// What PathView::lost says; written in lost_track.cc.
bool is_lost(const PathView& view);

// One of each rule, for one routine.
std::vector<std::unique_ptr<Rule>> make_rules();
// Writes the message and the fix of a finding from its facts.
void describe(const Facts& facts, Finding& finding);

}  // namespace trapline
