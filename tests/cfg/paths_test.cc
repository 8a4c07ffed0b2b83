// SPDX-License-Identifier: Apache-2.0
//
// Paths of small routines. Every count was made by hand, from the assembly text beside it.
#include "cfg/paths.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "assemble.h"
#include "walks.h"

namespace trapline {
namespace {

using test::Target;

// The paths of the routine `f` of an assembly text.
struct Found {
  explicit Found(Target target, const std::string& text, PathLimits limits = {})
      : image(test::assemble(target, text)), start(test::address_of(*image, "f")), code(*image) {
    Contract contract;
    contract.kind = ContractKind::function;
    paths = find_paths(code, start, contract, limits);
  }
  // Instructions from the routine's first, of its four-byte words.
  std::uint64_t word(std::uint64_t address) const { return (address - start) / 4; }
  std::vector<std::uint64_t> walk(const Path& p) const {
    std::vector<std::uint64_t> out;
    for (const Step& s : p.steps) out.push_back(word(paths.routine.graph[s.node].key.address));
    return out;
  }
  std::multiset<std::uint64_t> instructions() const {
    std::multiset<std::uint64_t> out;
    for (const Path& p : paths.paths) out.insert(p.cost.instructions);
    return out;
  }
  std::multiset<EndKind> ends() const {
    std::multiset<EndKind> out;
    for (const Path& p : paths.paths) out.insert(p.end);
    return out;
  }
  const Path& only() const {
    REQUIRE(paths.paths.size() == 1);
    return paths.paths.front();
  }

  std::unique_ptr<Image> image;
  std::uint64_t start;
  Code code;
  RoutinePaths paths;
};

using Counts = std::multiset<std::uint64_t>;
using Ends = std::multiset<EndKind>;

std::string count_down_from(int turns) {
  return ".globl f\nf: ori $t0, $zero, " + std::to_string(turns) + "\n1: addi.d $t0, $t0, -1\n  bnez $t0, 1b\n  ertn\n";
}

TEST_CASE("a loop from a constant is walked that many times, up to 1,024") {
  for (int turns : {1, 2, 8, 1023, 1024}) {
    INFO(turns, " turns");
    const Found f(Target::loongarch64, count_down_from(turns));
    const Path& p = f.only();
    CHECK(p.cost.instructions == 2u * static_cast<unsigned>(turns) + 2);
    CHECK(p.cost.branches_taken == static_cast<unsigned>(turns) - 1);
    CHECK(p.cost.branches_not_taken == 1);
    CHECK(p.loops.empty());
    CHECK(f.paths.loops.empty());
    CHECK(p.counted.size() == (turns == 1 ? 0 : 1));
    for (const Loop& l : p.counted) {
      CHECK(l.turns == std::optional<std::uint64_t>(turns));
      CHECK(f.word(l.head.address) == 1);
      CHECK(f.word(l.closing) == 2);
      CHECK(l.turn.instructions == 2);
    }
    CHECK(f.paths.infeasible == 0);
  }
}

TEST_CASE("above 1,024 turns a loop is passed once and listed beside the path") {
  const Found f(Target::loongarch64, count_down_from(1025));
  CHECK(f.only().cost.instructions == 4);
  CHECK(f.only().counted.empty());
  REQUIRE(f.paths.loops.size() == 1);
  CHECK_FALSE(f.paths.loops.front().turns.has_value());
  CHECK(f.paths.loops.front().turn.instructions == 2);
  CHECK(f.word(f.paths.loops.front().head.address) == 1);
  CHECK(f.word(f.paths.loops.front().deciding) == 2);
  CHECK(f.only().loops == std::vector<std::size_t>{0});
}

TEST_CASE("nested loops from constants") {
  auto nested = [](int outer, int inner) {
    return ".globl f\nf: ori $t0, $zero, " + std::to_string(outer) + "\n1: ori $t1, $zero, " + std::to_string(inner) +
           "\n2: addi.d $t1, $t1, -1\n  bnez $t1, 2b\n  addi.d $t0, $t0, -1\n  bnez $t0, 1b\n  ertn\n";
  };
  const Found f(Target::loongarch64, nested(3, 4));
  CHECK(f.only().cost.instructions == 1 + 3 * (1 + 4 * 2 + 2) + 1);
  std::map<std::uint64_t, std::uint64_t> turns;  // all those on the path
  for (const Loop& l : f.only().counted) turns[f.word(l.head.address)] = l.turns.value_or(0);
  CHECK(turns == std::map<std::uint64_t, std::uint64_t>{{1, 3}, {2, 12}});
  // Each loop has few turns; the inner one, taken together, more than 1,024.
  CHECK(Found(Target::loongarch64, nested(40, 40)).only().cost.instructions == 1 + 40 * (1 + 40 * 2 + 2) + 1);
}

TEST_CASE("the count register of PowerPC, and ARM's flags") {
  CHECK(Found(Target::powerpc64le, ".globl f\nf: li 3, 5\n mtctr 3\n1: bdnz 1b\n rfid\n").only().cost.instructions ==
        2 + 5 + 1);
  CHECK(Found(Target::arm, ".arm\n.globl f\nf: mov r8, #8\n1: b 2f\n2: subs r8, r8, #1\n bne 1b\n movs pc, lr\n")
            .only()
            .cost.instructions == 1 + 8 * 3 + 1);
}

TEST_CASE("a counted loop inside one that is not") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t0, $zero, 4
2:  addi.d $t0, $t0, -1
    bnez $t0, 2b
    ld.d $s0, $tp, 0
    bnez $s0, f
    ertn
)");
  CHECK(f.only().cost.instructions == 1 + 4 * 2 + 2 + 1);
  REQUIRE(f.only().counted.size() == 1);
  CHECK(f.only().counted.front().turns == std::optional<std::uint64_t>(4));
  REQUIRE(f.paths.loops.size() == 1);  // a restart at the entry
  CHECK(f.word(f.paths.loops.front().head.address) == 0);
  CHECK(f.paths.loops.front().turn.instructions == 11);
  CHECK(f.paths.loops.front().turn.loads == 1);
}

TEST_CASE("a condition inside that does not follow from constants makes the loop uncounted") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t0, $zero, 8
1:  ld.d $t1, $tp, 0
    beqz $t1, 2f
    addi.d $t2, $t2, 1
2:  addi.d $t0, $t0, -1
    bnez $t0, 1b
    ertn
)");
  CHECK(f.instructions() == Counts{6, 7});
  REQUIRE(f.paths.loops.size() == 1);
  CHECK(f.paths.loops.front().turn.instructions == 4);  // the cheapest turn
}

TEST_CASE("two loops with one head") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  nop
1:  ld.d $t0, $tp, 0
    bnez $t0, 1b
    ld.d $t1, $tp, 8
    bnez $t1, 1b
    ertn
)");
  CHECK(f.only().cost.instructions == 6);
  REQUIRE(f.paths.loops.size() == 2);
  CHECK(f.word(f.paths.loops[0].head.address) == 1);
  CHECK(f.word(f.paths.loops[1].head.address) == 1);
  CHECK(f.word(f.paths.loops[0].closing) == 2);
  CHECK(f.word(f.paths.loops[1].closing) == 4);
  CHECK(f.only().loops.size() == 2);
}

// A walk may leave a loop after any number of turns: what a turn changed is then changed.
TEST_CASE("a value that a loop changes is not known behind it") {
  SUBCASE("in a register") {
    const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t1, $zero, 0
1:  ld.d $t0, $tp, 0
    beqz $t0, 2f
    ori $t1, $zero, 1
    b 1b
2:  beqz $t1, 3f
    break 0
3:  ertn
)");
    CHECK(f.ends() == Ends{EndKind::exception_return, EndKind::trap});
  }
  SUBCASE("in memory") {
    const Found f(Target::loongarch64, R"(
    .globl f
f:  st.d $zero, $sp, 8
1:  ld.d $t0, $tp, 0
    beqz $t0, 2f
    st.d $t0, $sp, 8
    b 1b
2:  ld.d $t1, $sp, 8
    beqz $t1, 3f
    break 0
3:  ertn
)");
    CHECK(f.ends() == Ends{EndKind::exception_return, EndKind::trap});
  }
  SUBCASE("in one arm of its turn only") {
    const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t1, $zero, 0
1:  ld.d $t0, $tp, 0
    beqz $t0, 2f
    ld.d $t0, $tp, 8
    beqz $t0, 1b
    ori $t1, $zero, 1
    b 1b
2:  beqz $t1, 3f
    break 0
3:  ertn
)");
    CHECK(f.ends() == Ends{EndKind::exception_return, EndKind::trap});
  }
  SUBCASE("by way of another loop") {
    const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t1, $zero, 0
    ori $t2, $zero, 0
1:  ld.d $t0, $tp, 0
    beqz $t0, 2f
    beqz $t2, 4f
    ori $t1, $zero, 1
4:  ori $t2, $zero, 1
    b 1b
2:  beqz $t1, 3f
    break 0
3:  ertn
)");
    CHECK(f.ends().count(EndKind::trap) == 1);  // after two turns
    CHECK(f.ends().count(EndKind::exception_return) >= 1);
  }
  SUBCASE("the flags of a predicated call at the head") {
    const Found f(Target::arm, R"(
    .arm
    .globl f
f:  cmp r0, #1
1:  bllt c_function
    ble 1b
    blt 2f
    movs pc, lr
2:  udf #0
    .globl c_function
c_function: bx lr
)");
    CHECK(f.ends().count(EndKind::exception_return) >= 1);
  }
}

// The first turn follows from constants, the second does not, and it may be made many times.
TEST_CASE("a loop whose first turn follows from constants") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t0, $zero, 0
    ori $t1, $zero, 0
1:  bnez $t0, 2f
    ori $t0, $zero, 1
    ori $t1, $zero, 5
    b 1b
2:  addi.d $t1, $t1, 1
    ld.d $t2, $tp, 0
    bnez $t2, 1b
    ori $t3, $zero, 6
    beq $t1, $t3, 3f
    break 0
3:  ertn
)");
  CHECK(f.ends() == Ends{EndKind::exception_return, EndKind::trap});
}

TEST_CASE("a loop that clears the stack changes any word of it") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  st.d $a0, $sp, 8
    beqz $a0, 3f
    addi.d $t0, $sp, 0
    addi.d $t1, $sp, 64
1:  st.d $zero, $t0, 0
    addi.d $t0, $t0, 8
    ld.d $t2, $tp, 0
    bne $t2, $t1, 1b
    ld.d $t3, $sp, 8
    bnez $t3, 3f
    break 0
3:  ertn
)");
  CHECK(f.ends().count(EndKind::trap) == 1);
}

TEST_CASE("a loop that overwrites the saved status and calls C") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  csrrd $t0, 1              # PRMD
    st.d $t0, $sp, 288
    andi $t0, $t0, 3
    beqz $t0, 3f              # to the kernel
1:  bl c_function
    ld.d $t1, $tp, 0
    beqz $t1, 2f
    st.d $zero, $sp, 288
    b 1b
2:  ld.d $t0, $sp, 288
    andi $t0, $t0, 3
    bnez $t0, 3f
    break 0
3:  ertn
    .globl c_function
c_function: ret
)");
  CHECK(f.ends().count(EndKind::trap) == 1);
}

TEST_CASE("a second test of an unchanged value is no new decision, across calls too") {
  auto twice = [](const std::string& reg) {
    return ".globl f\nf: beqz " + reg + ", 1f\n nop\n1: bl c_function\n bnez " + reg +
           ", 2f\n nop\n2: ertn\n .globl c_function\nc_function: ret\n";
  };
  const Found kept(Target::loongarch64, twice("$s0"));
  CHECK(kept.instructions() == Counts{5, 5});
  CHECK(kept.paths.infeasible == 2);
  CHECK(kept.paths.paths.front().decisions.size() == 1);
  CHECK(kept.paths.paths.front().cost.calls == 1);
  const Found lost(Target::loongarch64, twice("$a0"));
  CHECK(lost.instructions() == Counts{4, 5, 5, 6});
  CHECK(lost.paths.infeasible == 0);
}

TEST_CASE("a known return address makes another node") {
  // 2 is reached with the address of the break in the link register, as one to come back to, and without.
  const Found f(Target::loongarch64, R"(
    .globl f
f:  beqz $a0, 2f
    pcaddi $ra, 2
    b 2f
    break 0
2:  nop
    jr $t0
)");
  CHECK(f.instructions() == Counts{3, 6});
  CHECK(f.ends() == Ends{EndKind::trap, EndKind::unresolved});
  CHECK(boost::num_vertices(f.paths.routine.graph) == 8);  // six instructions, two of them twice
  for (const Path& p : f.paths.paths) CHECK(p.cost.indirect_calls == (p.end == EndKind::trap ? 1 : 0));
}

TEST_CASE("a shared tail belongs to each path") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  beqz $a0, 1f
    nop
    b 2f
1:  beqz $a1, 2f
    nop
2:  ld.d $t0, $tp, 0
    ertn
)");
  CHECK(f.instructions() == Counts{4, 5, 5});
  for (const Path& p : f.paths.paths) CHECK(p.cost.loads == 1);
  CHECK(f.paths.least.instructions == 4);
  CHECK(f.paths.most.instructions == 5);
}

TEST_CASE("a jump table is followed within its bounds, each target once") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  ori $t3, $zero, 4
    bgeu $a0, $t3, 9f
    pcaddi $t0, 10            # the table, ten words on
    alsl.d $t1, $a0, $t0, 2
    ld.w $t1, $t1, 0
    add.d $t1, $t1, $t0
    jr $t1
1:  ertn
2:  nop
    ertn
3:  break 0
9:  ertn
table:
    .word 1b - table, 2b - table, 1b - table, 3b - table, 0x7fffffff
)");
  CHECK(f.instructions() == Counts{3, 8, 8, 9});
  CHECK(f.ends() ==
        Ends{EndKind::exception_return, EndKind::exception_return, EndKind::exception_return, EndKind::trap});
  std::set<std::optional<std::uint32_t>> choices;
  for (const Path& p : f.paths.paths) choices.insert(p.decisions.back().choice);
  CHECK(choices == std::set<std::optional<std::uint32_t>>{std::nullopt, 0, 1, 2});
  CHECK(f.paths.infeasible == 0);
}

TEST_CASE("an unsigned bound of PowerPC bounds a jump table") {
  const Found f(Target::powerpc64le, R"(
    .globl f
f:  cmplwi 3, 1
    bgt 9f
    bcl 20, 31, 4f
4:  mflr 5
    rldic 3, 3, 2, 30
    addi 5, 5, table - 4b
    lwax 4, 3, 5
    add 4, 4, 5
    mtctr 4
    bctr
1:  rfid
2:  trap
9:  rfid
table:
    .long 1b - table, 2b - table, 0x7fffffff
)");
  CHECK(f.instructions() == Counts{3, 11, 11});
  CHECK(f.ends() == Ends{EndKind::exception_return, EndKind::exception_return, EndKind::trap});
}

TEST_CASE("a predicated access splits the path, later ones on the same flags follow") {
  const Found f(Target::arm, R"(
    .arm
    .globl f
f:  cmp r0, #0
    moveq r3, #1
    ldrne r1, [sp]
    strne r2, [sp, #4]
    ldreq r1, [sp, #8]
    beq 1f
    nop
1:  movs pc, lr
)");
  CHECK(f.instructions() == Counts{7, 8});
  CHECK(f.paths.infeasible == 6 + 16 - 8);  // four splits: sixteen walks, of which two are paths
  for (const Path& p : f.paths.paths) {
    const bool equal = p.cost.instructions == 7;
    CHECK(p.cost.loads == 1);
    CHECK(p.cost.stores == (equal ? 0 : 1));
    CHECK(p.decisions.size() == 1);
    CHECK(p.cost.classes[static_cast<std::size_t>(InsnClass::load)] == 1);
  }
}

TEST_CASE("a predicated register operation splits nothing") {
  const Found f(Target::arm, ".arm\n.globl f\nf: cmp r0, #0\n moveq r1, #1\n addne r1, r1, #2\n movs pc, lr\n");
  CHECK(f.only().cost.instructions == 4);
  CHECK(f.only().decisions.empty());
  // Predicated moves that one comparison decides are no decision of the loop around them.
  const Found loop(Target::arm, R"(
    .arm
    .globl f
f:  cmp r0, #0
    beq 2f
    mov r8, #5
1:  addne r1, r1, #1
    subs r8, r8, #1
    bne 1b
2:  movs pc, lr
)");
  CHECK(loop.instructions() == Counts{3, 3 + 5 * 3 + 1});
}

TEST_CASE("limits: the cheapest paths are listed, the totals are of all") {
  // Five independent conditions: 32 paths of 11 to 16 instructions.
  std::string text = ".globl f\nf:\n";
  for (int i = 0; i < 5; ++i) text += " ld.d $t0, $tp, " + std::to_string(8 * i) + "\n beqz $t0, 1f\n nop\n1:\n";
  text += " ertn\n";
  PathLimits limits;
  limits.listed = 6;
  const Found f(Target::loongarch64, text, limits);
  CHECK(f.paths.total == 32);
  CHECK_FALSE(f.paths.bounded);
  CHECK(f.instructions() == Counts{11, 12, 12, 12, 12, 12});
  CHECK(f.paths.least.instructions == 11);
  CHECK(f.paths.most.instructions == 16);
  limits.walked = 10;
  const Found few(Target::loongarch64, text, limits);
  CHECK(few.paths.bounded);
  CHECK(few.paths.total == 10);
}

TEST_CASE("two to the sixtieth paths end at the limit") {
  std::string text = ".globl f\nf:\n";
  for (int i = 0; i < 60; ++i) text += " ld.d $t0, $tp, 0\n st.d $t0, $t0, 0\n beqz $t0, 1f\n nop\n1: nop\n";
  text += " ertn\n";
  PathLimits limits;
  limits.walked = 1000;
  limits.steps = 100'000;
  const Found f(Target::loongarch64, text, limits);
  CHECK(f.paths.bounded);
  CHECK(f.paths.infeasible == 0);
}

TEST_CASE("a long chain of conditions neither overruns the stack nor takes all memory") {
  for (const char* branch : {" beqz $t0, out\n", " bnez $t0, 1f\n b out\n1:\n"}) {
    std::string text = ".globl f\nf:\n";
    for (int i = 0; i < 6000; ++i) text += " ld.d $t0, $tp, 0\n addi.d $tp, $tp, 8\n" + std::string(branch);
    text += "out: ertn\n";
    PathLimits limits;
    limits.listed = 4;
    const Found f(Target::loongarch64, text, limits);
    CHECK(f.paths.bounded);
    CHECK(f.paths.total > 100);
    CHECK(f.paths.least.instructions >= 4);
    CHECK(f.paths.least.instructions <= 5);
  }
}

TEST_CASE("ends") {
  auto end = [](Target target, const std::string& text) { return Found(target, ".globl f\nf: " + text).only().end; };
  CHECK(end(Target::loongarch64, "ertn") == EndKind::exception_return);
  CHECK(end(Target::loongarch64, "ret") == EndKind::ret);
  CHECK(end(Target::loongarch64, "move $s0, $ra\n jr $s0") == EndKind::ret);
  CHECK(end(Target::loongarch64, "jr $t0") == EndKind::unresolved);
  CHECK(end(Target::loongarch64, "b .") == EndKind::halt);
  CHECK(end(Target::loongarch64, "break 0") == EndKind::trap);
  CHECK(end(Target::loongarch64, ".word 0") == EndKind::undecoded);
  CHECK(end(Target::loongarch64, "nop") == EndKind::falls_off);
  CHECK(end(Target::loongarch64, "b other\n .globl other\nother: ret") == EndKind::jump);
  CHECK(end(Target::loongarch64, "bl panic\n nop\n ertn\n .globl panic\npanic: b .") == EndKind::no_return);
}

TEST_CASE("a routine that only goes round has no path") {
  const Found f(Target::loongarch64, ".globl f\nf: nop\n1: ld.d $t0, $tp, 0\n b 1b\n");
  CHECK(f.paths.total == 0);
  CHECK(f.paths.paths.empty());
  REQUIRE(f.paths.loops.size() == 1);
  CHECK(f.paths.loops.front().deciding == 0);
}

// A loop with two entries: no node of it comes before all others.
TEST_CASE("walks of a graph that is not reducible are counted too") {
  const Found f(Target::loongarch64, R"(
    .globl f
f:  beqz $a0, 2f
1:  ld.d $t0, $tp, 0
    bnez $t0, 3f
2:  ld.d $t1, $tp, 8
    bnez $t1, 1b
3:  ertn
)");
  CHECK(f.paths.infeasible == 0);
  // By hand: 0 1 2 5; 0 1 2 3 4 5; 0 3 4 5; 0 3 4 1 2 5. Back at 3 from 2, or at 1 from 4, the walk was there before.
  CHECK(f.paths.total == 4);
  CHECK(f.instructions() == Counts{4, 4, 6, 6});
  CHECK(test::simple_walks(f.paths.routine, 100) == 4);
}

}  // namespace
}  // namespace trapline
