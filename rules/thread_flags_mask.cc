// SPDX-License-Identifier: Apache-2.0
//
// thread-flags-mask: on the way to user mode a flag is tested that is no work there, or a flag that is work is not.
//
// How it works: a path that returns to user mode, and does no work before, has answered every test of the thread-flags
// word with "none of these bits is set". The bits of all these tests together, since the last call, must be those of
// the flags that are work on this exit: _TIF_WORK_MASK, and _TIF_SYSCALL_WORK where a system call ends that was not
// traced. A flag that the entry tested, and the exit does not, is a note: set by another task while the system call
// runs, it is missed. Undefined bits do not matter. False positives: an exit that tests some of the flags before a
// call, and the others after it. False negatives: flags tested in C; a path on which nothing is tested; flags that
// depend on the configuration. Real bug: ARM tested bits 0 to 15 with tracing flags in 4 to 7 (32d59773da38, mended by
// 191f8453fc99).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "rules/flag_tests.h"
#include "rules/rules.h"

namespace trapline {
namespace {

// What is to be said of one test once all paths were seen.
struct Judged {
  Level level = Level::note;
  std::vector<std::uint64_t> paths;
  std::uint64_t tested = 0, wanted = 0, flags = 0;
  std::vector<FindingStep> steps;
};

class ThreadFlagsMask : public Rule {
 public:
  void path(const PathView& view, Findings& findings) override {
    const std::vector<FlagTest> tests = flag_tests(view);
    if (tests.empty()) return;
    if (!view.exception_return() || view.to_kernel() || view.other_return() != nullptr) return;
    findings.applied(RuleId::thread_flags_mask);
    const std::vector<FlagTest> last = last_look(view, tests);
    std::uint64_t tested = 0;
    for (const FlagTest& test : last) {
      if (!test.none || !test.exact) return;  // work was done, or nobody knows
      tested |= test.mask;
    }
    const bool idle = std::all_of(tests.begin(), tests.end(), [](const FlagTest& t) { return t.none; });
    std::uint64_t before = 0;  // found clear on this path, at any time
    for (const FlagTest& test : tests)
      if (test.none && test.exact) before |= test.mask;
    judge(view, last, tested, before, idle);
  }

  void routine(const RoutineInfo& info, Findings& findings) override {
    for (const auto& [key, judged] : judged_) {
      const auto& [place, variety] = key;
      Finding* first = nullptr;
      for (std::uint64_t path : judged.paths) {
        Finding& f = findings.at(RuleId::thread_flags_mask, judged.level, place, path, variety);
        if (first == nullptr) first = &f;
      }
      fill(*first, info, judged, variety);
    }
  }

 private:
  // The tests that decided that there is no work: those of the word loaded last, and of words loaded before it with no
  // call between.
  static std::vector<FlagTest> last_look(const PathView& view, const std::vector<FlagTest>& tests) {
    std::vector<FlagTest> last;
    std::uint32_t loaded = tests.back().loaded;
    for (auto test = tests.rbegin(); test != tests.rend(); ++test) {
      const bool same =
          std::any_of(last.begin(), last.end(), [&](const FlagTest& other) { return other.word == test->word; });
      const bool call_between = std::any_of(view.path().calls.begin(), view.path().calls.end(), [&](const auto& call) {
        return call.step > test->step && call.step < loaded;
      });
      if (!same && call_between) break;
      last.insert(last.begin(), *test);
      loaded = std::min(loaded, test->loaded);
    }
    return last;
  }

  void judge(const PathView& view, const std::vector<FlagTest>& last, std::uint64_t tested, std::uint64_t before,
             bool idle) {
    const auto works = [&](const FlagTest& test) { return leads_to_work(view, test); };
    if (std::none_of(last.begin(), last.end(), works)) return;
    const Level level = view.either() ? lowered(Level::warning) : Level::warning;
    const FlagDefinitions* flags = view.routine().flags;
    if (flags == nullptr) {
      add(view, last, last.back(), "undefined", Level::note, tested, 0, tested);
      return;
    }
    const bool ends = view.routine().role == Role::syscall_entry || view.state().contract().ends_system_call;
    const std::uint64_t wanted = (flags->work | (ends && idle ? flags->syscall_work : 0)) & ~flags->uncertain;
    const std::uint64_t allowed = flags->work | (ends ? flags->syscall_work : 0) | flags->uncertain;
    for (const FlagTest& test : last)
      if (const std::uint64_t outside = test.mask & flags->defined() & ~allowed; outside != 0 && works(test))
        add(view, last, test, "tested", level, tested, wanted, outside);
    // Where C tests the flags, assembly may look at single ones for reasons of its own.
    if (!view.facts().thread_flags.in_c.empty() && (tested & flags->work) == 0) return;
    // What the entry of the system call has looked at, and the exit has not. A path that begins at the exit does not
    // show the entry.
    if (view.routine().role != Role::syscall_entry && ends) before |= flags->syscall_work;
    const std::uint64_t missed = wanted & ~tested;
    if (const std::uint64_t never = missed & ~before)
      add(view, last, last.back(), "missed", level, tested, wanted, never);
    if (const std::uint64_t since = missed & before)
      add(view, last, last.back(), "not again", Level::note, tested, wanted, since);
  }

  void add(const PathView& view, const std::vector<FlagTest>& last, const FlagTest& test, std::string variety,
           Level level, std::uint64_t tested, std::uint64_t wanted, std::uint64_t flags) {
    Judged& judged = judged_[{view.address_of(test.test), std::move(variety)}];
    judged.level = std::max(judged.level, level);
    judged.paths.push_back(view.path().number);
    judged.tested |= tested;
    judged.wanted |= wanted;
    judged.flags |= flags;
    if (!judged.steps.empty()) return;
    std::map<std::uint32_t, std::string> steps;
    for (const FlagTest& one : last) {
      steps[one.loaded] = "loads the thread flags";
      std::string& note = steps[one.test];
      note += fmt::format("{}tests bits {}", note.empty() ? "" : "; ", bit_ranges(one.mask));
      if (one.step != one.test) steps[one.step] = "none of them is set";
    }
    for (const auto& [step, note] : steps) judged.steps.push_back({view.address_of(step), note});
    view.add_end_to(judged.steps);
  }

  // Does the side that the path did not take, where a flag is set, call something before it comes back to the path, or
  // leave for somewhere? A test that does not decide about that is none for work: single-stepping, a state to restore.
  bool leads_to_work(const PathView& view, const FlagTest& test) {
    bool& known = leads_to_work_[view.address_of(test.step)];
    if (known) return true;
    const RoutineGraph& routine = view.state().end().routine;
    const std::vector<Step>& steps = view.path().steps;
    std::set<Vertex> seen;
    for (const Step& s : steps) seen.insert(s.node);
    std::vector<Vertex> next = {steps[test.step].node};
    constexpr std::size_t most = 4096;  // nodes looked at
    for (std::size_t count = 0; !next.empty() && count < most && !known; ++count) {
      const Vertex from = next.back();
      next.pop_back();
      for (auto [e, end] = boost::out_edges(from, routine.graph); e != end; ++e) {
        const Vertex to = boost::target(*e, routine.graph);
        if (!seen.insert(to).second) continue;
        const Node& node = routine.graph[to];
        const Flow flow = view.routine().code.insn(node.key.address).flow;
        known = known || flow == Flow::call || flow == Flow::indirect_call || node.end == EndKind::jump;
        next.push_back(to);
      }
    }
    return known;
  }

  static void fill(Finding& f, const RoutineInfo& info, const Judged& judged, const std::string& variety) {
    for (std::uint64_t left = judged.flags; left != 0; left &= left - 1) {
      const unsigned bit = static_cast<unsigned>(std::countr_zero(left));
      f.add("bits", bit, fmt::format("{}", bit));
      if (info.flags == nullptr) continue;
      for (const auto& [number, name] : info.flags->flags)
        if (number == bit) f.add("flags", bit, name);
    }
    f.add("tested", 0, fmt::format("{:#x}", judged.tested));
    if (variety != "undefined") {
      f.add("wanted", 0, fmt::format("{:#x}", judged.wanted));
      f.add_source("definitions", info.flags->source);
      const std::string test =
          judged.wanted == 0 ? std::string() : info.image().arch().flags_test(judged.wanted, info.flags->defined());
      f.add("test", 0, test.empty() ? fmt::format("a test of {:#x}", judged.wanted) : test);
    }
    f.steps = judged.steps;
  }

  std::map<std::pair<std::uint64_t, std::string>, Judged> judged_;  // by address of the test, and variety
  std::map<std::uint64_t, bool> leads_to_work_;                     // by address of the branch
};

// Bits of a list of numbers.
std::uint64_t bits_of(const Finding& f) {
  std::uint64_t mask = 0;
  if (const FactList* list = f.list("bits"))
    for (const auto& [bit, text] : list->items) mask |= std::uint64_t{1} << (bit & 63);
  return mask;
}

}  // namespace

std::unique_ptr<Rule> make_thread_flags_mask() { return std::make_unique<ThreadFlagsMask>(); }

void describe_thread_flags_mask(const Facts&, Finding& f) {
  const std::uint64_t mask = bits_of(f);
  const std::string bits = fmt::format("{} {}", (mask & (mask - 1)) == 0 ? "bit" : "bits", bit_ranges(mask));
  if (f.variety == "undefined") {
    f.message = fmt::format("tests {} of the thread flags; it is not known which flags these are", bits);
    f.fix = "none is known to be needed; give --kernel-src DIR, or [arch.NAME.thread-flags] in trapline.toml";
    return;
  }
  f.fix =
      fmt::format("test {} of the thread flags, not {}: {}", f.joined("wanted"), f.joined("tested"), f.joined("test"));
  if (f.variety == "tested") {
    f.message = fmt::format("tests {} ({}), no work on this exit", f.joined("flags"), bits);
    f.fix += "; or give these flags bits that no test of work covers";
    return;
  }
  const bool one = (mask & (mask - 1)) == 0;
  f.message = f.variety == "missed"
                  ? fmt::format("returns without a test of {} ({})", f.joined("flags"), bits)
                  : fmt::format("{} ({}) {} not tested after the system call: set while it ran, {} missed",
                                f.joined("flags"), bits, one ? "is" : "are", one ? "it is" : "they are");
}

}  // namespace trapline
