// SPDX-License-Identifier: Apache-2.0
//
// Reports are data first: a struct per report, filled once; every output format prints that struct.
// All addresses are the ones objdump shows (Image::shown). interface.md describes every field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cfg/cost.h"
#include "disasm/arch/facts.h"
#include "rules/rule.h"

namespace trapline {

enum class PathEnd : std::uint8_t { exception_return, ret, jump, no_return, trap, halt, unknown };
std::string_view path_end_name(PathEnd end);  // as interface.md spells it

enum class ReturnTo : std::uint8_t { none, user, kernel, either };

struct DecisionReport {
  std::uint64_t address = 0;
  std::string text;  // the conditional instruction as objdump prints it
  bool taken = false;
};

struct CallReport {
  std::uint64_t address = 0;
  std::string target;  // symbol, "symbol+0x8", or empty where it is not known
};

struct LoopReport {
  std::uint64_t address = 0;           // of the loop's first instruction
  std::string symbol;                  // "handle_tlb_load+0x44"
  std::optional<std::uint64_t> turns;  // number of turns when it follows from constants
  std::string condition;               // text of the branch that closes or leaves it
  std::uint64_t instructions = 0;      // of one turn
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
};

struct BlockReport {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes
};

// One instruction of a path, for --listing.
struct ListingLine {
  std::uint64_t address = 0;
  std::string where;  // "handle_syscall+0x20"
  std::string text;
  std::string note;  // slot, call target, decision ("taken", "not taken"), turn of a loop
  InsnClass cls = InsnClass::unknown;
  bool loads = false, stores = false;  // on this path it reads, or writes, memory
};

// What a comparison of two builds goes by: nothing of it depends on where the code lies. Hashes of names and of the
// structure of values.
struct PathShape {
  struct Token {
    enum class Kind : std::uint8_t { decision, choice, call };
    Kind kind = Kind::decision;
    bool holds = false;         // decision: the answer, of the question turned so that its relation is not negated
    bool taken = false;         // decision: control left the straight line
    std::uint64_t what = 0;     // decision: the question; choice: the target; call: the name
    std::uint64_t subject = 0;  // decision: what is tested, and by which relation, whatever mask it goes through
    std::uint64_t site = 0;     // decision: the instruction without its target
  };
  std::vector<Token> tokens;         // in the order walked
  std::uint64_t code = 0;            // all instructions, in the order walked
  std::vector<std::uint64_t> steps;  // each of them, as PathReport::listing has them: only with a listing
};

struct PathReport {
  std::string id;
  std::string label;
  PathEnd end = PathEnd::unknown;
  ReturnTo to = ReturnTo::none;
  std::uint64_t end_address = 0;
  std::string end_symbol;  // for a jump: its target; else where the last instruction is
  Cost cost;
  std::vector<DecisionReport> decisions;  // these, the blocks and loops that are not counted: only when asked for
  std::vector<CallReport> calls;
  std::vector<LoopReport> loops;
  std::vector<BlockReport> blocks;
  std::vector<ListingLine> listing;  // only when asked for
  PathShape shape;                   // only when asked for
};

// The reason why a path has no proper end, or an instruction could not be decoded: shown with the routine.
struct Remark {
  std::uint64_t address = 0;
  std::string where;
  std::string what;  // "undecoded word 0x00000000", "jump through $t0 is not resolved"
};

struct Range {
  std::uint64_t min = 0, max = 0;
};

struct RoutineReport {
  std::string name;
  std::string version;  // as in EntryReport
  std::vector<std::string> aliases;
  Role role = Role::user_named;
  std::uint64_t address = 0;
  std::uint64_t nodes = 0;
  std::uint64_t instructions = 0;  // distinct instructions in the graph
  std::uint64_t paths_total = 0;   // a lower bound when `bounded`
  std::uint64_t infeasible = 0;    // walks of the graph that answer one test differently in two places
  bool bounded = false;
  Range loads, stores, instructions_range;
  std::vector<PathReport> paths;  // in order of cost within a label; the most common label first
  std::vector<LoopReport> loops;  // loops that no path counts: uncounted ones and restarts, each once
  std::vector<Remark> remarks;
};

struct EntryReport {
  std::string name;
  std::vector<std::string> aliases;
  Role role = Role::user_named;
  std::uint64_t address = 0;
  std::string version;  // a vDSO's export: the version it is exported at ("LINUX_2.6.15"); empty: none
  std::string source;   // symbol, kallsyms, system-map, vdso-export, option
};

struct ImageHead {
  std::string path;
  std::string kind;  // vmlinux, vdso, object, module
  std::string arch;
  std::string build_id;  // empty: none
  std::string variant = "as-linked";
  std::string variant_note;  // "as linked, 41 feature sections not resolved"; empty when there is nothing to say
};

// --cross-check: what a second decoder says of the instructions of the routines. Information, never a finding.
struct CrossCheckReport {
  struct View {
    std::uint8_t size = 0;  // bytes
    std::string flow;       // "next", "jump", "indirect-call", ...
    bool conditional = false;
    std::optional<std::uint64_t> target;
    std::string target_symbol;
    std::string text;
  };
  struct Difference {
    std::uint64_t address = 0;
    std::string where;
    std::string kind;          // "size", "flow", "target", "undecoded-here", "undecoded-there"
    std::optional<View> ours;  // nothing: undecoded
    std::optional<View> theirs;
    std::string explained;  // the class of doc/cross-check.md, empty when it is in none; then the next two are, too
    std::string right;      // "trapline", "Capstone", "both"
    std::string reason;
  };
  std::string decoder;             // "Capstone 4.0.2"
  bool known = false;              // false: it does not know the architecture, and nothing was compared
  std::uint64_t instructions = 0;  // compared, each once
  std::uint64_t agreed = 0;
  std::vector<Difference> differences;  // by address
};

// A limit of the configuration, and a path that it is for.
struct BudgetReport {
  std::string where;  // "trapline.toml:12"
  std::string routine, label;
  std::string count;                  // its name: "loads"
  std::optional<std::uint64_t> base;  // of a limit relative to a baseline: what the path cost there
  std::uint64_t limit = 0;            // the largest count allowed
  std::uint64_t actual = 0;
  std::string reason;
  std::vector<ListingLine> instructions;  // where it is exceeded: those that count
  bool only_new = false;                  // ... and the old build did not have on this path

  bool exceeded() const { return actual > limit; }
};

struct PathsReport {
  struct ImagePart {
    ImageHead head;
    std::vector<RoutineReport> routines;  // in the order of the architecture's table, then by address
    std::optional<CrossCheckReport> cross_check = std::nullopt;  // when it was asked for
  };
  std::vector<ImagePart> images;
  std::vector<BudgetReport> budgets;  // those checked, in the order of the configuration, then of the paths
};

// One instruction of a finding.
struct StepReport {
  std::uint64_t address = 0;
  std::string where;  // "handle_syscall+0x20"
  std::string text;
  std::string note;
};

// The symbol of a place: "handle_syscall" of "handle_syscall+0x20".
std::string symbol_of(const std::string& where);

struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
};

struct FindingReport {
  std::string rule;  // kebab-case
  Level level = Level::warning;
  std::string message;
  std::string fix;
  std::string routine;                // the first of `routines`
  std::vector<std::string> routines;  // entry routines that have it, in the order of the report
  std::vector<std::string> paths;     // ids, of all these routines
  std::uint64_t address = 0;
  std::string where;
  std::optional<SourceLocation> location;
  std::string fingerprint;  // made of names and structure, never of addresses
  std::vector<StepReport> steps;
  std::vector<std::pair<std::string, std::vector<std::string>>> data;
  std::optional<std::string> suppressed;  // the reason
};

struct FindingsReport {
  struct Summary {
    std::uint64_t routines = 0;
    std::uint64_t paths_examined = 0;
    std::uint64_t paths_refused = 0;  // paths on which a rule could not decide: see lost-track, undecoded
    std::uint64_t infeasible = 0;
    std::uint64_t either = 0;  // exception returns of which it is not known whether they go to user mode
    std::uint64_t errors = 0, warnings = 0, notes = 0;
    std::uint64_t suppressed = 0;
  };
  // Of a sweep: the instructions whose encoding could have made a finding, each once, by what became of them.
  struct Candidates {
    std::uint64_t found = 0;      // a finding
    std::uint64_t exempt = 0;     // a form that the architecture exempts
    std::uint64_t flush = 0;      // fills the link stack on purpose
    std::uint64_t calls = 0;      // calls of functions
    std::uint64_t balanced = 0;   // does what it should
    std::uint64_t undecided = 0;  // what decides comes from memory or from the caller
    std::uint64_t unreached = 0;  // on no path from a symbol: data, or code that only a jump leads to
    std::uint64_t all() const { return found + exempt + flush + calls + balanced + undecided + unreached; }
  };
  struct ImagePart {
    ImageHead head;
    std::optional<Candidates> candidates = std::nullopt;
    std::vector<std::string> layouts;  // which pt_regs was used, and why
    std::string thread_flags;          // where their definitions are from; empty: none known, or nothing tests them
    // Rules that have nothing to judge in this image, with the reason.
    struct NotApplicable {
      std::string rule, reason;
    };
    std::vector<NotApplicable> not_applicable;
    std::vector<std::string> remarks;  // "ret_to_user: 4096 of 5310 paths were examined (--max-paths)"
    Summary summary;
    std::vector<FindingReport> findings;  // by level, the worst first, then in the order of the routines
  };
  std::string config;                // the configuration that was read; empty: none
  std::vector<std::string> remarks;  // on the configuration: suppressions that match nothing
  std::vector<ImagePart> images;
};

// Fills the counts of the summary that are made from the findings: by level, and those accepted.
void count_levels(FindingsReport::ImagePart& part);

struct EntriesReport {
  struct ImagePart {
    ImageHead head;
    std::vector<EntryReport> entries;
  };
  std::vector<ImagePart> images;
};

// The graph of one routine: basic blocks of nodes.
struct CfgReport {
  struct Block {
    std::uint64_t address = 0;
    std::uint64_t continuation = 0;  // code address known in the link register, 0: none
    std::string where;               // "ret_to_user+0x4"
    std::string continuation_symbol;
    std::uint64_t size = 0;  // bytes
    std::vector<ListingLine> instructions;
    std::string end;  // "" for a block that only has successors, else "exception-return", "return", "jump do_x", ...
  };
  struct Edge {
    std::size_t from = 0, to = 0;  // indices into blocks
    std::string kind;  // "next", "taken", "not-taken", "jump", "call-return", "return" (to a known continuation)
  };
  ImageHead head;
  std::string name;
  std::vector<std::string> aliases;
  Role role = Role::user_named;
  std::vector<Block> blocks;  // entry first, then by address and continuation
  std::vector<Edge> edges;
  std::vector<LoopReport> loops;
  std::vector<Remark> remarks;
};

}  // namespace trapline
