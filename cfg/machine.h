// SPDX-License-Identifier: Apache-2.0
//
// Executes one instruction on a state and says where control goes: the rules of design.md for jumps, calls, returns and
// continuations live here, and nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cfg/state.h"
#include "cfg/trace.h"
#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"

namespace trapline {

// What an image's code is asked again and again, remembered: decoded instructions, which jump targets lead to an
// exception return, which functions return. One per image and thread.
class CalleeCode;

class Code {
 public:
  explicit Code(const Image& image);
  ~Code();
  const Image& image() const { return image_; }
  const Decoder& decoder() const { return decoder_; }
  const Insn& insn(std::uint64_t address);

  // Is an exception return reachable from `target` without entering a callee? At most 4,096 instructions are explored.
  bool leads_to_exception_return(std::uint64_t target);
  // Does control come back from a call of the function at `target`? True unless it is proved, or known by name, that
  // not.
  bool returns(std::uint64_t target);
  // May a call of the function at `target` change that place? True unless all code that the call reaches is known, and
  // none of it writes the place.
  bool may_write(std::uint64_t target, Place place);
  // The function at `target`, for questions about the memory that it was handed: see cfg/callee.h.
  CalleeCode& callee(std::uint64_t target);
  // Is the symbol at `address` in that table of the architecture?
  bool named(std::uint64_t address, const std::vector<NamedFunction>& table) const;

 private:
  const Image& image_;
  Decoder decoder_;
  std::unordered_map<std::uint64_t, Insn> insns_;
  std::unordered_map<std::uint64_t, bool> leads_;
  std::unordered_map<std::uint64_t, bool> returns_;
  std::unordered_map<std::uint64_t, std::bitset<max_places>> writes_;
  std::unordered_map<std::uint64_t, std::unique_ptr<CalleeCode>> callees_;
  std::bitset<max_places> find_writes(std::uint64_t target);
};

enum class EdgeKind : std::uint8_t {
  next,   // falls through
  taken,  // conditional branch taken
  not_taken,
  jump,
  executed,     // a predicated instruction that accesses memory, executed
  skipped,      // ... or not
  after_call,   // to the instruction behind a call that was stepped over
  call_return,  // a jump that leaves the routine with a known continuation: control comes back there
  returns,      // a return to a known continuation
};

enum class EndKind : std::uint8_t {
  exception_return,
  ret,
  jump,
  no_return,
  trap,
  halt,
  unresolved,
  undecoded,
  falls_off
};

// A call that the path steps over, or the callee that it jumps to.
struct CallSite {
  std::optional<std::uint64_t> target;  // internal address; nothing when it is not known
  bool indirect = false;
};

// What one instruction did.
struct Transfer {
  enum class Kind : std::uint8_t { go, many, end };
  Kind kind = Kind::go;
  std::uint64_t to = 0;            // go
  EdgeKind edge = EdgeKind::next;  // go, many
  // many: an indirect jump through a table, in table order, each once
  struct TableTarget {
    std::uint64_t address = 0;
    bool leaves = false;  // the path ends there, like a direct jump out of the routine
    // Where one index alone leads there: the question whether it is that.
    std::optional<Question> chosen = std::nullopt;
  };
  std::vector<TableTarget> targets;
  EndKind end = EndKind::undecoded;     // end
  std::optional<std::uint64_t> target;  // end: where a jump or a call that does not return goes
  std::optional<CallSite> call;         // stepped over on the way
  bool frame_load = false;
  bool frame_store = false;
};

// What is to be decided before an instruction acts.
struct Choice {
  bool conditional = false;
  bool open = false;   // undecided, and the path must split
  bool maybe = false;  // undecided, and need not be decided: a predicated register operation
  Answer answer;       // when decided
  Question question;
  ValueId jump_to =
      no_value;  // Insn::jump_to of a branch whose operations have run: other instructions may run in between
  std::optional<std::uint64_t> syscall;  // a system call: its number, when known
};

class Machine {
 public:
  Machine(Code& code, const Setting& setting, std::uint64_t entry);

  // Does the instruction act whatever the state, and go on to the next one? run() is then all there is to it.
  static bool is_plain(const Insn& insn) { return insn.flow == Flow::next && !insn.when && !insn.irq_on; }
  void run(const Insn& insn, State& state, const Moment& m, bool& frame_load, bool& frame_store);
  // For the others. Runs what an instruction does in any case and says what must be decided.
  Choice choose(const Insn& insn, State& state, const Moment& m, bool& frame_load, bool& frame_store);
  // Runs the rest, the predicate holding or not, and says where control goes.
  Transfer finish(const Insn& insn, State& state, const Choice& choice, bool holds, const Moment& m);

  // The continuation: the code address known to be in the link register.
  std::optional<std::uint64_t> continuation(const State& state) const;
  // Where an exception return goes, by the privilege bits of its status place in this state.
  enum class Privilege : std::uint8_t { user, kernel, either };
  Privilege privilege(const Insn& insn, const State& state) const;
  const Setting& setting() const { return setting_; }
  Code& code() { return code_; }
  // Where accesses to memory are noted, when somebody wants to know; `step` of an event is its moment's stamp minus
  // one.
  std::vector<MemoryEvent>* memory_log = nullptr;
  // The same for what pointed into the stack at a call.
  std::vector<HandedPointer>* handed_log = nullptr;
  // Where values of the places that lead to thread_info are noted.
  std::vector<ValueId>* current_log = nullptr;
  // What an operand holds in that state; no_value for a temporary of an instruction that is over.
  ValueId held(const State& state, const Operand& o) const {
    return o.kind == Operand::Kind::temp ? no_value : operand(state, o);
  }
  // While exploring reachability: follow every direct jump, ask nobody.
  bool exploring = false;

 private:
  void note(const State& state, bool store, ValueId address, unsigned width, ValueId value, const Moment& m);
  void note_handed(const State& state, const Moment& m);
  ValueId operand(const State& state, const Operand& o) const;
  bool is_current(Place place) const;
  Transfer jump_to(const Insn& insn, State& state, std::uint64_t target, bool holds_when, bool indirect,
                   const Moment& m);
  Transfer indirect_jump(const Insn& insn, State& state, const Moment& m);
  Transfer call(const Insn& insn, State& state, std::optional<std::uint64_t> target, bool indirect, const Moment& m);
  bool inside(std::uint64_t from, std::uint64_t target);
  bool find_inside(std::uint64_t from, std::uint64_t target);
  // Targets, each once; `part` and `index`: the value that each was computed from, and what it is there, if that is one
  // number.
  struct TableTargets {
    std::vector<std::uint64_t> addresses;
    ValueId part = no_value;
    std::vector<std::optional<std::uint64_t>> index;
  };
  TableTargets table_targets(const State& state, ValueId v, std::uint64_t from);
  TableTargets targets_over(const State& state, ValueId v, ValueId part, std::uint64_t from);
  std::optional<std::uint64_t> code_address(ValueId v, std::uint64_t from) const;
  // The same, or the place holder of a symbol that another object defines.
  std::optional<std::uint64_t> jump_target(ValueId v, std::uint64_t from) const;

  Code& code_;
  Setting setting_;
  std::uint64_t entry_;
  std::vector<ValueId> temps_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, bool> inside_;  // by source and target of a jump
};

}  // namespace trapline
