// SPDX-License-Identifier: Apache-2.0
#include "random_program.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "assemble.h"

namespace trapline::test {

void RandomProgram::routine() {
  const unsigned statements = 3 + r_.below(5);
  for (unsigned i = 0; i < statements; ++i) {
    starts_.push_back(size());
    statement(0);
  }
  starts_.push_back(size());
  back();
  // Jumps ahead and back, from anywhere to whole statements.
  for (std::size_t at : loose_) {
    const bool up = r_.one_in(3);
    std::vector<std::size_t> there;
    for (std::size_t s : starts_)
      if (up ? s < at : s > at + 1) there.push_back(s);
    set_target(at, there.empty() ? size() - 1 : r_.pick(there));
  }
}

void RandomProgram::plain(unsigned n, bool steady) {
  for (unsigned i = 0; i < n; ++i) plain_instruction(steady);
}

void RandomProgram::body(int depth) {
  for (unsigned i = 0, n = 1 + r_.below(2); i < n; ++i) statement(depth + 1);
}

void RandomProgram::statement(int depth) {
  const unsigned what = r_.below(depth > 2 ? 3u : 9u);
  if (what < 2) return plain(1 + r_.below(4));
  if (what == 2) return r_.one_in(3) ? call(false) : plain(2);
  if (what < 6) {
    condition(depth);
  } else if (what == 6) {
    loop(depth);
  } else if (what == 7) {
    if (r_.one_in(6)) {
      const std::size_t at = branch();
      trap();
      set_target(at, size());
    }
  } else {
    loose_.push_back(branch());
  }
  plain(1);  // so that nothing jumps to the next instruction
}

void RandomProgram::condition(int depth) {
  const std::size_t at = branch();
  body(depth);
  if (r_.one_in(2)) {
    const std::size_t skip = jump();
    set_target(at, size());
    body(depth);
    set_target(skip, size());
  } else {
    set_target(at, size());
  }
}

void RandomProgram::loop(int depth) {
  const unsigned kind = r_.below(4);
  if (kind == 3) {  // a test on top, of whatever
    const std::size_t head = size();
    const std::size_t out = branch();
    body(depth);
    set_target(jump(), head);
    set_target(out, size());
    return;
  }
  const std::uint64_t turns = kind == 0 && !r_.one_in(4) ? 2 + r_.below(6) : 1 + r_.below(4);
  if (kind == 2)
    count_from_register(depth);
  else
    count_from(depth, turns);
  const std::size_t head = size();
  if (kind == 0) {  // must be counted: straight on, from a constant
    plain(1 + r_.below(3), true);
    if (r_.one_in(4)) call(true);
    counted_.push_back({head, turns});
  } else {
    body(depth);
  }
  set_target(count_down(depth, kind == 2 && r_.one_in(2)), head);
}

std::string text_of(const RandomProgram& program, const std::string& name) {
  std::string out = fmt::format("  .globl {0}\n{0}:\n", name);
  for (std::size_t i = 0; i < program.size(); ++i)
    out += fmt::format(".L{}_{}: {}\n", name, i, program.text(i, ".L" + name + "_"));
  return out;
}

namespace {

void check_counted(const RandomProgram& program, const RoutinePaths& found, std::uint64_t start) {
  for (const Path& p : found.paths) {
    std::map<std::uint64_t, std::uint64_t> visits;
    for (const Step& s : p.steps) ++visits[found.routine.graph[s.node].key.address];
    for (const Counted& loop : program.counted()) {
      INFO("counted loop at instruction ", loop.head);
      REQUIRE(visits[start + 4 * loop.head] == loop.turns * visits[start + 4 * loop.head - 4]);
    }
  }
}

Program known(const RandomProgram& program, std::uint64_t start) {
  Program out;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const RandomProgram::Facts facts = program.facts(i);
    Known& k = out[start + 4 * i];
    for (std::size_t next : facts.next) k.next.push_back(start + 4 * next);
    k.loads = facts.loads;
    k.stores = facts.stores;
    k.calls = facts.calls;
    k.may_end = facts.may_end || facts.next.empty();
  }
  return out;
}

}  // namespace

void check_program(Code& code, const RandomProgram& program, const std::string& name, int inputs, Random& r,
                   Score& score) {
  const std::uint64_t start = address_of(code.image(), name);
  Contract contract;
  contract.kind = ContractKind::function;
  PathLimits limits;
  limits.listed = limits.walked = 1500;
  limits.steps = 150'000;
  const RoutinePaths found = find_paths(code, start, contract, limits);
  ++score.routines;
  if (found.bounded) {
    ++score.skipped;
    return;
  }
  INFO(text_of(program, name));
  const Listed listed(found, known(program, start));
  REQUIRE(listed.complaint() == "");
  check_counted(program, found, start);
  constexpr std::uint64_t most = 50'000;
  if (const std::uint64_t walks = simple_walks(found.routine, most); walks < most)
    REQUIRE(found.infeasible == (walks > found.total ? walks - found.total : 0));
  score.infeasible += found.infeasible;
  for (int input = 0; input < inputs; ++input) {
    std::vector<Executed> walk = program.run(r);
    if (walk.empty()) continue;
    ++score.walks;
    std::string executed;
    for (Executed& e : walk) {
      executed += fmt::format(" {}{}", e.address, e.acted ? "" : "-");
      e.address = start + 4 * e.address;
    }
    INFO("executed:", executed, "\nno path:", listed.left(walk, start));
    REQUIRE(listed.holds(walk));
  }
  score.paths += found.paths.size();
  score.met += listed.met();
}

void check_score(const Score& score) {
  MESSAGE(score.routines, " routines, ", score.skipped, " skipped, ", score.walks, " walks, ", score.met, " of ",
          score.paths, " paths met, ", score.infeasible, " infeasible");
  CHECK(score.skipped * 10 < score.routines);
  CHECK(score.walks > 15 * score.routines);
  CHECK(score.met * 10 > score.walks);
  CHECK(score.infeasible > score.routines);
}

}  // namespace trapline::test
