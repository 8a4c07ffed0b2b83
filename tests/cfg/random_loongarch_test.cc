// SPDX-License-Identifier: Apache-2.0
//
// Random LoongArch routines, executed by an interpreter of this file for many inputs. Each executed walk, without the
// turns of loops that are not counted, must be a listed path with exactly its counts: a path that runs and is not
// listed is the worst that the engine can do. Semantics of the instructions: LoongArch Reference Manual, volume 1,
// chapter 2.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "assemble.h"
#include "cfg/paths.h"
#include "random.h"
#include "walks.h"

namespace trapline {
namespace {

using test::Executed;
using test::Random;

using U = std::uint64_t;
using S = std::int64_t;

U sign(U v, unsigned bits) { return static_cast<U>(static_cast<S>(v << (64 - bits)) >> (64 - bits)); }

enum class Form { rrr, si12, ui12, sh6, sh5, rr, field };
struct Alu {
  const char* name;
  Form form;
  U (*compute)(U a, U b);  // b: the second register, or the immediate
};
constexpr Alu alus[] = {
    {"add.d", Form::rrr, [](U a, U b) { return a + b; }},
    {"add.w", Form::rrr, [](U a, U b) { return sign(a + b, 32); }},
    {"sub.d", Form::rrr, [](U a, U b) { return a - b; }},
    {"sub.w", Form::rrr, [](U a, U b) { return sign(a - b, 32); }},
    {"and", Form::rrr, [](U a, U b) { return a & b; }},
    {"or", Form::rrr, [](U a, U b) { return a | b; }},
    {"xor", Form::rrr, [](U a, U b) { return a ^ b; }},
    {"nor", Form::rrr, [](U a, U b) { return ~(a | b); }},
    {"andn", Form::rrr, [](U a, U b) { return a & ~b; }},
    {"mul.d", Form::rrr, [](U a, U b) { return a * b; }},
    {"slt", Form::rrr, [](U a, U b) { return static_cast<U>(static_cast<S>(a) < static_cast<S>(b)); }},
    {"sltu", Form::rrr, [](U a, U b) { return static_cast<U>(a < b); }},
    {"sll.d", Form::rrr, [](U a, U b) { return a << (b & 63); }},
    {"srl.w", Form::rrr, [](U a, U b) { return sign((a & 0xffffffff) >> (b & 31), 32); }},
    {"sra.d", Form::rrr, [](U a, U b) { return static_cast<U>(static_cast<S>(a) >> (b & 63)); }},
    {"maskeqz", Form::rrr, [](U a, U b) { return b == 0 ? U{0} : a; }},
    {"masknez", Form::rrr, [](U a, U b) { return b != 0 ? U{0} : a; }},
    {"addi.d", Form::si12, [](U a, U b) { return a + b; }},
    {"addi.w", Form::si12, [](U a, U b) { return sign(a + b, 32); }},
    {"slti", Form::si12, [](U a, U b) { return static_cast<U>(static_cast<S>(a) < static_cast<S>(b)); }},
    {"sltui", Form::si12, [](U a, U b) { return static_cast<U>(a < b); }},
    {"andi", Form::ui12, [](U a, U b) { return a & b; }},
    {"ori", Form::ui12, [](U a, U b) { return a | b; }},
    {"xori", Form::ui12, [](U a, U b) { return a ^ b; }},
    {"slli.d", Form::sh6, [](U a, U b) { return a << b; }},
    {"srli.d", Form::sh6, [](U a, U b) { return a >> b; }},
    {"srai.d", Form::sh6, [](U a, U b) { return static_cast<U>(static_cast<S>(a) >> b); }},
    {"rotri.d", Form::sh6, [](U a, U b) { return b == 0 ? a : (a >> b | a << (64 - b)); }},
    {"slli.w", Form::sh5, [](U a, U b) { return sign(a << b, 32); }},
    {"srli.w", Form::sh5, [](U a, U b) { return sign((a & 0xffffffff) >> b, 32); }},
    {"srai.w", Form::sh5, [](U a, U b) { return sign(static_cast<U>(static_cast<S>(sign(a, 32)) >> b), 32); }},
    {"ext.w.b", Form::rr, [](U a, U) { return sign(a, 8); }},
    {"ext.w.h", Form::rr, [](U a, U) { return sign(a, 16); }},
    // b: msb * 64 + lsb
    {"bstrpick.d", Form::field, [](U a, U b) { return a >> (b & 63) & (~U{0} >> (63 - ((b >> 6) - (b & 63)))); }},
};

struct Branch {
  const char* name;
  bool with_zero;
  bool (*taken)(U a, U b);
};
constexpr Branch branches[] = {
    {"beq", false, [](U a, U b) { return a == b; }},
    {"bne", false, [](U a, U b) { return a != b; }},
    {"blt", false, [](U a, U b) { return static_cast<S>(a) < static_cast<S>(b); }},
    {"bge", false, [](U a, U b) { return static_cast<S>(a) >= static_cast<S>(b); }},
    {"bltu", false, [](U a, U b) { return a < b; }},
    {"bgeu", false, [](U a, U b) { return a >= b; }},
    {"beqz", true, [](U a, U) { return a == 0; }},
    {"bnez", true, [](U a, U) { return a != 0; }},
};

struct Access {
  const char* name;
  unsigned width;
  bool store;
  bool is_signed;
};
constexpr Access accesses[] = {{"ld.d", 8, false, false},  {"ld.d", 8, false, false}, {"ld.w", 4, false, true},
                               {"ld.wu", 4, false, false}, {"ld.b", 1, false, true},  {"ld.bu", 1, false, false},
                               {"ld.hu", 2, false, false}, {"st.d", 8, true, false},  {"st.d", 8, true, false},
                               {"st.d", 8, true, false},   {"st.w", 4, true, false},  {"st.h", 2, true, false},
                               {"st.b", 1, true, false}};

// Registers by number, in the order of the psABI.
constexpr const char* names[] = {"zero", "ra", "tp", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
                                 "a7",   "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "r21",
                                 "fp",   "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"};
enum : unsigned { zero = 0, sp = 3, a0 = 4, t0 = 12, t4 = 16, s0 = 23, s2 = 25, s4 = 27, s7 = 30, s8 = 31 };
constexpr unsigned data[] = {a0, a0 + 1, a0 + 2, t0, t0 + 1, t0 + 2};  // what arithmetic works on
constexpr unsigned pointers[] = {sp, sp, s0, s0 + 1};

struct Ins {
  enum class Kind { alu, branch, jump, access, call, back, trap } kind = Kind::alu;
  const Alu* alu = nullptr;
  const Branch* branch = nullptr;
  const Access* access = nullptr;
  unsigned rd = 0, rj = 0, rk = 0;
  U imm = 0;
  std::size_t target = 0;  // index of an instruction
};

// A loop that must be counted: its first instruction is visited this many times for each visit of the one before it.
struct Counted {
  std::size_t head = 0;
  U turns = 0;
};

class Maker {
 public:
  explicit Maker(Random& r) : r_(r) {}
  std::vector<Ins> code;
  std::vector<Counted> counted;

  void routine() {
    const unsigned statements = 3 + r_.below(5);
    for (unsigned i = 0; i < statements; ++i) {
      starts_.push_back(code.size());
      statement(0);
    }
    starts_.push_back(code.size());
    Ins end;
    end.kind = Ins::Kind::back;
    code.push_back(end);
    // Jumps ahead and back, from and to whole statements.
    for (std::size_t at : loose_) {
      const bool back = r_.one_in(3);
      std::vector<std::size_t> there;
      for (std::size_t s : starts_)
        if (back ? s < at : s > at) there.push_back(s);
      code[at].target = there.empty() ? code.size() - 1 : r_.pick(there);
    }
  }

 private:
  unsigned reg() { return r_.pick(data); }
  unsigned source() { return r_.one_in(8) ? unsigned{zero} : reg(); }

  void arithmetic() {
    Ins i;
    i.alu = &r_.pick(alus);
    i.rd = reg();
    i.rj = source();
    i.rk = source();
    switch (i.alu->form) {
      case Form::rrr:
      case Form::rr:
        break;
      case Form::si12:
        i.imm = r_.one_in(2) ? static_cast<U>(S{r_.below(17)} - 8) : static_cast<U>(S{r_.below(4096)} - 2048);
        break;
      case Form::ui12:
        i.imm = r_.one_in(2) ? r_.below(16) : r_.below(4096);
        break;
      case Form::sh6:
        i.imm = r_.one_in(2) ? r_.below(4) : r_.below(64);
        break;
      case Form::sh5:
        i.imm = r_.one_in(2) ? r_.below(4) : r_.below(32);
        break;
      case Form::field: {
        const unsigned lsb = r_.below(64), msb = lsb + r_.below(64 - lsb);
        i.imm = msb * 64 + lsb;
      }
    }
    code.push_back(i);
  }
  void put(const char* name, unsigned rd, unsigned rj, U imm) {
    Ins i;
    for (const Alu& a : alus)
      if (std::string_view(a.name) == name) i.alu = &a;
    i.rd = rd;
    i.rj = rj;
    i.rk = static_cast<unsigned>(imm);  // of the three-register forms
    i.imm = imm;
    code.push_back(i);
  }
  void constant() { put("ori", reg(), zero, r_.one_in(3) ? r_.below(4096) : r_.below(4)); }
  void memory() {
    Ins i;
    i.kind = Ins::Kind::access;
    i.access = &r_.pick(accesses);
    i.rd = i.access->store ? source() : reg();
    i.rj = r_.pick(pointers);
    i.imm = r_.one_in(3) ? r_.below(20) : 8 * r_.below(3);
    if (r_.one_in(6)) {  // through a computed address
      put("andi", t4, reg(), 0x18);
      put("add.d", t4, i.rj, t4);
      i.rj = t4;
    } else if (r_.one_in(6)) {
      i.rj = s7;  // a pointer that moves
    }
    code.push_back(i);
  }
  void move_pointer() {
    if (r_.one_in(2))
      put("addi.d", s7, r_.pick(pointers), 8 * r_.below(2));
    else
      put("addi.d", s7, s7, 8);
  }
  void call() {
    Ins i;
    i.kind = Ins::Kind::call;
    code.push_back(i);
  }
  std::size_t branch(bool loop_counter = false, unsigned counter = 0) {
    Ins i;
    i.kind = Ins::Kind::branch;
    do i.branch = &r_.pick(branches);
    while (loop_counter && !i.branch->with_zero);
    i.rj = loop_counter ? counter : reg();
    i.rk = source();
    if (!i.branch->with_zero && i.rk == i.rj) i.rk = zero;
    code.push_back(i);
    return code.size() - 1;
  }
  std::size_t counter_branch(unsigned counter) {
    const std::size_t at = branch(true, counter);
    for (const Branch& b : branches)
      if (std::string_view(b.name) == "bnez") code[at].branch = &b;
    return at;
  }

  void plain(unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      switch (r_.below(9)) {
        case 0:
        case 1:
        case 2:
          memory();
          break;
        case 3:
          constant();
          break;
        case 4:
          move_pointer();
          break;
        default:
          arithmetic();
          break;
      }
    }
  }
  void body(int depth) {
    for (unsigned i = 0, n = 1 + r_.below(2); i < n; ++i) statement(depth + 1);
  }

  void statement(int depth) {
    switch (r_.below(depth > 2 ? 3u : 9u)) {
      case 0:
      case 1:
        plain(1 + r_.below(4));
        break;
      case 2:
        if (r_.one_in(3))
          call();
        else
          plain(2);
        break;
      case 3:
      case 4:
      case 5: {
        const std::size_t at = branch();
        body(depth);
        if (r_.one_in(2)) {
          Ins j;
          j.kind = Ins::Kind::jump;
          code.push_back(j);
          const std::size_t skip = code.size() - 1;
          code[at].target = code.size();
          body(depth);
          code[skip].target = code.size();
        } else {
          code[at].target = code.size();
        }
        plain(1);  // so that nothing jumps to the next instruction
        break;
      }
      case 6:
        loop(depth);
        break;
      case 7:
        if (r_.one_in(6)) {
          const std::size_t at = branch();
          Ins i;
          i.kind = Ins::Kind::trap;
          code.push_back(i);
          code[at].target = code.size();
        }
        plain(1);
        break;
      default:
        loose_.push_back(branch());
        plain(1);
        break;
    }
  }

  void loop(int depth) {
    const unsigned counter = s2 + static_cast<unsigned>(depth);
    const unsigned kind = r_.below(4);
    if (kind == 0) {  // must be counted: straight on, from a constant
      const U turns = r_.one_in(4) ? 1 : 2 + r_.below(6);
      put("ori", counter, zero, turns);
      const std::size_t head = code.size();
      plain(1 + r_.below(3));
      if (r_.one_in(4)) call();
      put("addi.d", counter, counter, ~U{0});
      const std::size_t at = counter_branch(counter);
      code[at].target = head;
      counted.push_back({head, turns});
    } else if (kind == 1) {  // from a constant, with anything inside
      put("ori", counter, zero, 1 + r_.below(4));
      const std::size_t head = code.size();
      body(depth);
      put("addi.d", counter, counter, ~U{0});
      code[counter_branch(counter)].target = head;
    } else if (kind == 2) {  // turns by a register
      put("andi", counter, reg(), 3);
      const std::size_t head = code.size();
      body(depth);
      put("addi.d", counter, counter, ~U{0});
      const std::size_t at = branch();
      code[at].rj = counter;
      code[at].rk = zero;
      if (r_.one_in(2)) {
        for (const Branch& b : branches)
          if (std::string_view(b.name) == "blt") code[at].branch = &b;
        std::swap(code[at].rj, code[at].rk);
      }
      code[at].target = head;
    } else {  // while, with the test on top and whatever decides
      const std::size_t head = code.size();
      const std::size_t out = branch();
      body(depth);
      Ins j;
      j.kind = Ins::Kind::jump;
      j.target = head;
      code.push_back(j);
      code[out].target = code.size();
    }
    plain(1);
  }

  Random& r_;
  std::vector<std::size_t> starts_, loose_;
};

std::string text_of(const Ins& i, const std::string& prefix) {
  auto reg = [](unsigned n) { return std::string("$") + names[n]; };
  auto label = [&](std::size_t n) { return fmt::format(".L{}_{}", prefix, n); };
  const S imm = static_cast<S>(i.imm);
  switch (i.kind) {
    case Ins::Kind::alu:
      switch (i.alu->form) {
        case Form::rrr:
          return fmt::format("{} {}, {}, {}", i.alu->name, reg(i.rd), reg(i.rj), reg(i.rk));
        case Form::rr:
          return fmt::format("{} {}, {}", i.alu->name, reg(i.rd), reg(i.rj));
        case Form::field:
          return fmt::format("{} {}, {}, {}, {}", i.alu->name, reg(i.rd), reg(i.rj), i.imm >> 6, i.imm & 63);
        default:
          return fmt::format("{} {}, {}, {}", i.alu->name, reg(i.rd), reg(i.rj), imm);
      }
    case Ins::Kind::branch:
      if (i.branch->with_zero) return fmt::format("{} {}, {}", i.branch->name, reg(i.rj), label(i.target));
      return fmt::format("{} {}, {}, {}", i.branch->name, reg(i.rj), reg(i.rk), label(i.target));
    case Ins::Kind::jump:
      return "b " + label(i.target);
    case Ins::Kind::access:
      return fmt::format("{} {}, {}, {}", i.access->name, reg(i.rd), reg(i.rj), imm);
    case Ins::Kind::call:
      return "bl c_function";
    case Ins::Kind::back:
      return "ertn";
    case Ins::Kind::trap:
      return "break 0";
  }
  return {};
}

std::string text_of(const std::vector<Ins>& code, const std::string& name) {
  std::string out = fmt::format("  .globl {0}\n{0}:\n", name);
  for (std::size_t i = 0; i < code.size(); ++i) out += fmt::format(".L{}_{}: {}\n", name, i, text_of(code[i], name));
  return out;
}

// Bytes of memory that nobody wrote hold small numbers, or any.
class Processor {
 public:
  Processor(Random& r) : r_(r) {
    for (U& x : regs_) x = r_.number();
    for (unsigned reg : data)
      if (r_.one_in(2)) regs_[reg] = r_.below(4);
    regs_[zero] = 0;
    regs_[sp] = 0x90000000'10000000;
    regs_[s0] = 0x90000000'20000000;
    regs_[s0 + 1] = regs_[s0] + (r_.one_in(2) ? 8 * r_.below(3) : r_.one_in(2) ? 4 : 0x1000);
    regs_[s7] = r_.one_in(2) ? regs_[s0] : 0x90000000'30000000;
  }
  // The walk from the first instruction to an end; empty when it takes too long.
  std::vector<std::size_t> run(const std::vector<Ins>& code) {
    std::vector<std::size_t> walk;
    for (std::size_t at = 0; walk.size() < 4000;) {
      walk.push_back(at);
      const Ins& i = code[at++];
      switch (i.kind) {
        case Ins::Kind::back:
        case Ins::Kind::trap:
          return walk;
        case Ins::Kind::jump:
          at = i.target;
          break;
        case Ins::Kind::branch:
          if (i.branch->taken(regs_[i.rj], i.branch->with_zero ? 0 : regs_[i.rk])) at = i.target;
          break;
        case Ins::Kind::alu:
          set(i.rd, i.alu->compute(regs_[i.rj], i.alu->form == Form::rrr ? regs_[i.rk] : i.imm));
          break;
        case Ins::Kind::access:
          access(i);
          break;
        case Ins::Kind::call:
          call();
          break;
      }
    }
    return {};
  }

 private:
  void set(unsigned reg, U v) {
    if (reg != zero) regs_[reg] = v;
  }
  std::uint8_t& byte(U address) {
    auto [it, fresh] = memory_.try_emplace(address);
    if (fresh) it->second = static_cast<std::uint8_t>(r_.one_in(2) ? 0 : r_.one_in(2) ? 1 : r_.next());
    return it->second;
  }
  void access(const Ins& i) {
    const U address = regs_[i.rj] + i.imm;
    U v = 0;
    for (unsigned n = 0; n < i.access->width; ++n) {
      if (i.access->store)
        byte(address + n) = static_cast<std::uint8_t>(regs_[i.rd] >> 8 * n);
      else
        v |= U{byte(address + n)} << 8 * n;
    }
    if (!i.access->store) set(i.rd, i.access->is_signed ? sign(v, i.access->width * 8) : v);
  }
  // C changes ra, a0-a7, t0-t8 (psABI) and any memory.
  void call() {
    for (unsigned reg = 1; reg < 21; ++reg)
      if (reg == 1 || reg >= a0) regs_[reg] = r_.one_in(2) ? r_.below(3) : r_.number();
    memory_.clear();
  }
  Random& r_;
  U regs_[32];
  std::map<U, std::uint8_t> memory_;
};

struct Score {
  std::uint64_t routines = 0, skipped = 0, walks = 0, turned = 0, paths = 0, met = 0, infeasible = 0;
};

void check_counted(const Maker& maker, const RoutinePaths& found, std::uint64_t start) {
  for (const Path& p : found.paths) {
    std::map<std::uint64_t, std::uint64_t> visits;
    for (const Step& s : p.steps) ++visits[found.routine.graph[s.node].key.address];
    for (const Counted& loop : maker.counted) {
      INFO("counted loop at instruction ", loop.head);
      REQUIRE(visits[start + 4 * loop.head] == loop.turns * visits[start + 4 * loop.head - 4]);
    }
  }
}

void check_routine(Code& code, const Maker& maker, const std::string& name, Random& r, Score& score) {
  const std::uint64_t start = test::address_of(code.image(), name);
  test::Program program;
  for (std::size_t i = 0; i < maker.code.size(); ++i) {
    const Ins& ins = maker.code[i];
    test::Known& k = program[start + 4 * i];
    const bool ends = ins.kind == Ins::Kind::back || ins.kind == Ins::Kind::trap;
    if (!ends && ins.kind != Ins::Kind::jump) k.next.push_back(start + 4 * i + 4);
    if (ins.kind == Ins::Kind::jump || ins.kind == Ins::Kind::branch) k.next.push_back(start + 4 * ins.target);
    k.loads = ins.access != nullptr && !ins.access->store;
    k.stores = ins.access != nullptr && ins.access->store;
  }
  Contract contract;
  contract.kind = ContractKind::function;
  PathLimits limits;
  limits.listed = 1500;
  limits.walked = 1500;
  limits.steps = 150'000;
  const RoutinePaths found = find_paths(code, start, contract, limits);
  ++score.routines;
  if (found.bounded) {
    ++score.skipped;
    return;
  }
  INFO(text_of(maker.code, name));
  const test::Listed listed(found, program);
  REQUIRE(listed.complaint() == "");
  check_counted(maker, found, start);
  constexpr std::uint64_t most = 50'000;
  if (const std::uint64_t walks = test::simple_walks(found.routine, most); walks < most)
    REQUIRE(found.infeasible == (walks > found.total ? walks - found.total : 0));
  score.infeasible += found.infeasible;
  for (int input = 0; input < 40; ++input) {
    std::vector<Executed> walk;
    for (std::size_t at : Processor(r).run(maker.code)) walk.push_back({start + 4 * at, true});
    if (walk.empty()) continue;
    ++score.walks;
    const bool is_listed = listed.holds(walk);
    std::string executed;
    if (!is_listed)
      for (const Executed& e : walk) executed += fmt::format(" {}", (e.address - start) / 4);
    INFO("executed:", executed, "\nlisted:\n", listed.shown());
    REQUIRE(is_listed);
  }
  score.paths += found.paths.size();
  score.met += listed.met();
}

void check_batch(std::uint64_t seed, std::size_t count, Score& score) {
  Random r(seed);
  std::vector<Maker> makers;
  std::string text = "  .text\n";
  for (std::size_t i = 0; i < count; ++i) {
    makers.emplace_back(r).routine();
    text += text_of(makers.back().code, fmt::format("p{}_{}", seed, i));
  }
  text += "  .globl c_function\nc_function: ret\n";
  const std::unique_ptr<Image> image = test::assemble(test::Target::loongarch64, text);
  Code code(*image);
  for (std::size_t i = 0; i < count; ++i) check_routine(code, makers[i], fmt::format("p{}_{}", seed, i), r, score);
}

TEST_CASE("every executed walk of a random LoongArch routine is a listed path") {
  Score score;
  for (std::uint64_t seed = 0; seed < test::batches(); ++seed) check_batch(seed, 50, score);
  MESSAGE(score.routines, " routines, ", score.skipped, " skipped, ", score.walks, " walks, ", score.met, " of ",
          score.paths, " paths met, ", score.infeasible, " infeasible");
  // The test must go on testing something.
  CHECK(score.skipped * 4 < score.routines);
  CHECK(score.walks > 20 * score.routines);
  CHECK(score.met * 10 > score.paths);
  CHECK(score.infeasible > score.routines);
}

}  // namespace
}  // namespace trapline
