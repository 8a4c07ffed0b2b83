// SPDX-License-Identifier: Apache-2.0
//
// Random ARM routines, as random_loongarch_test.cc has them for LoongArch: what is tested here are flags and
// predicates. Semantics of the instructions: ARM Architecture Reference Manual, ARMv7-A edition, chapter A8.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "assemble.h"
#include "random_program.h"

namespace trapline {
namespace {

using test::Executed;
using test::Random;

using W = std::uint32_t;

enum class Alu { and_, eor, sub, rsb, add, orr, bic, mov, mvn, cmp, cmn, tst, teq };
constexpr const char* alu_names[] = {"and", "eor", "sub", "rsb", "add", "orr", "bic",
                                     "mov", "mvn", "cmp", "cmn", "tst", "teq"};
constexpr const char* conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                      "hi", "ls", "ge", "lt", "gt", "le", ""};
constexpr unsigned always = 14;

bool compares(Alu a) { return a >= Alu::cmp; }
bool unary(Alu a) { return a == Alu::mov || a == Alu::mvn; }
bool arithmetic(Alu a) { return a == Alu::sub || a == Alu::rsb || a == Alu::add || a == Alu::cmp || a == Alu::cmn; }

struct Access {
  const char* name;
  unsigned width;
  bool store;
  int move = 0;  // of two registers: what is added to the address register in the end
  bool two() const { return name[3] == 'i' || name[3] == 'd'; }
};
constexpr Access accesses[] = {{"ldr", 4, false},   {"ldr", 4, false},  {"ldrb", 1, false},     {"ldrh", 2, false},
                               {"str", 4, true},    {"str", 4, true},   {"strb", 1, true},      {"strh", 2, true},
                               {"ldmia", 4, false}, {"stmia", 4, true}, {"ldmia", 4, false, 8}, {"stmdb", 4, true, -8}};

enum : unsigned { p = 6, q = 7, moving = 8, first_counter = 9, temporary = 12, sp = 13, lr = 14 };
constexpr unsigned data[] = {0, 1, 2, 4, 5};
constexpr unsigned pointers[] = {sp, sp, p, q};

struct Ins {
  enum class Kind { alu, access, branch, call, back, trap } kind = Kind::alu;
  unsigned cond = always;
  Alu alu = Alu::mov;
  bool s = false;  // sets flags
  bool has_imm = false;
  unsigned rd = 0, rn = 0, rm = 0, left = 0;  // left: the second register is shifted left by this
  W imm = 0;
  const Access* access = nullptr;
  std::size_t target = 0;
};

class Maker : public test::RandomProgram {
 public:
  using RandomProgram::RandomProgram;
  std::vector<Ins> code;

  std::size_t size() const override { return code.size(); }
  std::string text(std::size_t at, const std::string& label_prefix) const override;
  std::vector<Executed> run(Random& r) const override;
  Facts facts(std::size_t at) const override {
    const Ins& i = code[at];
    Facts f;
    const bool ends = i.kind == Ins::Kind::back || i.kind == Ins::Kind::trap;
    f.may_end = ends;
    if ((!ends && i.kind != Ins::Kind::branch) || i.cond != always) f.next.push_back(at + 1);
    if (i.kind == Ins::Kind::branch) f.next.push_back(i.target);
    f.loads = i.access != nullptr && !i.access->store;
    f.stores = i.access != nullptr && i.access->store;
    f.calls = i.kind == Ins::Kind::call;
    return f;
  }

 private:
  unsigned reg() { return r_.pick(data); }
  unsigned condition() { return r_.below(always); }
  // An earlier instruction of that kind, to ask or touch the same again.
  const Ins* earlier(Ins::Kind kind) {
    std::vector<const Ins*> some;
    for (const Ins& i : code)
      if (i.kind == kind) some.push_back(&i);
    return some.empty() ? nullptr : r_.pick(some);
  }
  void operand(Ins& i) {
    constexpr W immediates[] = {0, 0, 1, 1, 2, 3, 4, 8, 0xff, 0xff00, 0xf0000000, 0x80000000, 0x40000000};
    i.has_imm = r_.one_in(2);
    i.imm = r_.pick(immediates);
    i.rm = reg();
    i.left = !i.has_imm && r_.one_in(3) ? 1 + r_.below(31) : 0;
  }
  void compare(unsigned cond) {
    Ins i;
    i.alu = static_cast<Alu>(static_cast<int>(Alu::cmp) + static_cast<int>(r_.one_in(2) ? 0 : r_.below(4)));
    i.s = true;
    i.cond = cond;
    i.rn = reg();
    operand(i);
    const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::alu) : nullptr;
    if (before != nullptr && compares(before->alu)) {
      const Alu alu = i.alu;
      i = *before;
      i.cond = cond;
      if (r_.one_in(3)) i.alu = alu;
    }
    code.push_back(i);
  }
  void plain_instruction(bool steady) override {
    Ins i;
    if (r_.one_in(3)) i.cond = condition();
    const unsigned what = r_.below(10);
    if (what < 3) {
      i.kind = Ins::Kind::access;
      if (steady) i.cond = always;
      i.access = &r_.pick(accesses);
      i.rd = reg();
      i.rn = r_.one_in(6) ? unsigned{moving} : r_.pick(pointers);
      i.imm = r_.one_in(3) ? 2 * r_.below(8) : 4 * r_.below(4);
      if (const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::access) : nullptr; before != nullptr) {
        i.rn = before->rn;
        i.imm = before->imm;
      }
      if (i.rn == sp && i.access->move != 0 && !r_.one_in(4)) i.rn = moving;
    } else if (what == 3) {
      return compare(i.cond);
    } else if (what == 4) {
      i.alu = r_.one_in(3) ? Alu::sub : Alu::add;
      i.rd = moving;
      i.rn = r_.one_in(2) ? unsigned{moving} : r_.pick(pointers);
      i.has_imm = true;
      i.imm = 4 * r_.below(3);
    } else if (what == 5 && !steady && r_.one_in(5)) {
      i.kind = Ins::Kind::back;
      i.cond = condition();
    } else {
      i.alu = static_cast<Alu>(r_.below(static_cast<unsigned>(Alu::cmp)));
      i.s = r_.one_in(3);
      i.rd = reg();
      i.rn = reg();
      operand(i);
    }
    code.push_back(i);
  }
  std::size_t simple(Ins::Kind kind) {
    Ins i;
    i.kind = kind;
    code.push_back(i);
    return code.size() - 1;
  }
  void call(bool steady) override {
    const std::size_t at = simple(Ins::Kind::call);
    if (!steady && r_.one_in(3)) code[at].cond = condition();
  }
  void trap() override { simple(Ins::Kind::trap); }
  void back() override { simple(Ins::Kind::back); }
  std::size_t jump() override { return simple(Ins::Kind::branch); }
  std::size_t branch() override {
    if (!r_.one_in(3)) compare(r_.one_in(4) ? condition() : always);
    const std::size_t at = simple(Ins::Kind::branch);
    code[at].cond = condition();
    return at;
  }
  void put(Alu alu, bool s, unsigned rd, unsigned rn, W imm) {
    Ins i;
    i.alu = alu;
    i.s = s;
    i.rd = rd;
    i.rn = rn;
    i.has_imm = true;
    i.imm = imm;
    code.push_back(i);
  }
  static unsigned counter(int n) { return first_counter + static_cast<unsigned>(n); }
  void count_from(int n, std::uint64_t turns) override { put(Alu::mov, false, counter(n), 0, static_cast<W>(turns)); }
  void count_from_register(int n) override { put(Alu::and_, false, counter(n), reg(), 3); }
  std::size_t count_down(int n, bool odd) override {
    put(Alu::sub, true, counter(n), counter(n), 1);
    const std::size_t at = simple(Ins::Kind::branch);
    code[at].cond = odd ? 12 : 1;  // gt, ne
    return at;
  }
  void set_target(std::size_t at, std::size_t target) override { code[at].target = target; }
};

std::string name_of(unsigned reg) { return reg == sp ? "sp" : fmt::format("r{}", reg); }

std::string Maker::text(std::size_t at, const std::string& label_prefix) const {
  const Ins& i = code[at];
  const char* cond = conditions[i.cond];
  const std::string rd = name_of(i.rd), rn = name_of(i.rn);
  switch (i.kind) {
    case Ins::Kind::alu: {
      std::string second = i.has_imm ? fmt::format("#{:#x}", i.imm) : name_of(i.rm);
      if (i.left != 0) second += fmt::format(", lsl #{}", i.left);
      const char* name = alu_names[static_cast<int>(i.alu)];
      if (compares(i.alu)) return fmt::format("{}{} {}, {}", name, cond, rn, second);
      const std::string whole = fmt::format("{}{}{} {}, ", name, i.s ? "s" : "", cond, rd);
      return whole + (unary(i.alu) ? "" : rn + ", ") + second;
    }
    case Ins::Kind::access: {
      const char* name = i.access->name;
      if (!i.access->two()) return fmt::format("{}{} {}, [{}, #{}]", name, cond, rd, rn, i.imm);
      return fmt::format("{}{} {}{}, {{{}, r12}}", name, cond, rn, i.access->move != 0 ? "!" : "", rd);
    }
    case Ins::Kind::branch:
      return fmt::format("b{} {}{}", cond, label_prefix, i.target);
    case Ins::Kind::call:
      return fmt::format("bl{} c_function", cond);
    case Ins::Kind::back:
      return fmt::format("movs{} pc, lr", cond);
    case Ins::Kind::trap:
      return "udf #0";
  }
  return {};
}

class Processor {
 public:
  explicit Processor(Random& r) : r_(r) {
    for (W& x : regs_) x = static_cast<W>(r_.number());
    for (unsigned reg : data)
      if (r_.one_in(2)) regs_[reg] = r_.below(4);
    regs_[sp] = 0xc1000000;
    regs_[p] = 0xc2000000;
    regs_[q] = regs_[p] + (r_.one_in(2) ? 4 * r_.below(4) : r_.one_in(2) ? 2 : 0x1000);
    regs_[moving] = r_.one_in(2) ? regs_[p] : 0xc3000000;
    n_ = r_.one_in(2), z_ = r_.one_in(2), c_ = r_.one_in(2), v_ = r_.one_in(2);
  }
  std::vector<Executed> run(const std::vector<Ins>& code) {
    std::vector<Executed> walk;
    for (std::size_t at = 0; walk.size() < 4000;) {
      const Ins& i = code[at];
      const bool acts = passes(i.cond);
      walk.push_back({at++, acts || (i.kind != Ins::Kind::access && i.kind != Ins::Kind::call)});
      if (!acts) continue;
      switch (i.kind) {
        case Ins::Kind::back:
        case Ins::Kind::trap:
          return walk;
        case Ins::Kind::branch:
          at = i.target;
          break;
        case Ins::Kind::alu:
          alu(i);
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
  bool passes(unsigned cond) const {  // A8.3
    bool result = true;
    switch (cond >> 1) {
      case 0:
        result = z_;
        break;
      case 1:
        result = c_;
        break;
      case 2:
        result = n_;
        break;
      case 3:
        result = v_;
        break;
      case 4:
        result = c_ && !z_;
        break;
      case 5:
        result = n_ == v_;
        break;
      case 6:
        result = n_ == v_ && !z_;
        break;
      default:
        return true;
    }
    return (cond & 1) != 0 ? !result : result;
  }
  void alu(const Ins& i) {
    const W a = regs_[i.rn];
    const W b = i.has_imm ? i.imm : regs_[i.rm] << i.left;
    bool carry = c_;
    if (i.left != 0) carry = (regs_[i.rm] >> (32 - i.left) & 1) != 0;
    if (i.has_imm && i.imm > 0xff) carry = i.imm >> 31 != 0;  // a rotated immediate (A5.2.4)
    W v = 0;
    switch (i.alu) {
      case Alu::and_:
      case Alu::tst:
        v = a & b;
        break;
      case Alu::eor:
      case Alu::teq:
        v = a ^ b;
        break;
      case Alu::orr:
        v = a | b;
        break;
      case Alu::bic:
        v = a & ~b;
        break;
      case Alu::mov:
        v = b;
        break;
      case Alu::mvn:
        v = ~b;
        break;
      case Alu::sub:
      case Alu::cmp:
        v = sum(a, ~b, 1, i.s);
        break;
      case Alu::rsb:
        v = sum(b, ~a, 1, i.s);
        break;
      case Alu::add:
      case Alu::cmn:
        v = sum(a, b, 0, i.s);
        break;
    }
    if (i.s) {
      n_ = v >> 31 != 0, z_ = v == 0;
      if (!arithmetic(i.alu)) c_ = carry;
    }
    if (!compares(i.alu)) regs_[i.rd] = v;
  }
  W sum(W a, W b, W carry, bool s) {
    const std::uint64_t wide = std::uint64_t{a} + b + carry;
    const W v = static_cast<W>(wide);
    if (s) c_ = wide >> 32 != 0, v_ = ((a ^ v) & (b ^ v)) >> 31 != 0;
    return v;
  }
  std::uint8_t& byte(W address) {
    auto [it, fresh] = memory_.try_emplace(address);
    if (fresh) it->second = static_cast<std::uint8_t>(r_.one_in(2) ? 0 : r_.one_in(2) ? 1 : r_.next());
    return it->second;
  }
  void move(bool store, W address, unsigned width, unsigned reg) {
    W v = 0;
    for (unsigned n = 0; n < width; ++n) {
      if (store)
        byte(address + n) = static_cast<std::uint8_t>(regs_[reg] >> 8 * n);
      else
        v |= W{byte(address + n)} << 8 * n;
    }
    if (!store) regs_[reg] = v;
  }
  void access(const Ins& i) {
    if (!i.access->two()) return move(i.access->store, regs_[i.rn] + i.imm, i.access->width, i.rd);
    const W base = regs_[i.rn], low = i.access->move < 0 ? base - 8 : base;
    move(i.access->store, low, 4, i.rd);
    move(i.access->store, low + 4, 4, temporary);
    regs_[i.rn] = base + static_cast<W>(i.access->move);
  }
  // C changes r0-r3, r12, lr, the flags and any memory (AAPCS).
  void call() {
    for (unsigned reg : {0u, 1u, 2u, 3u, 12u, 14u})
      regs_[reg] = static_cast<W>(r_.one_in(2) ? r_.below(3) : r_.number());
    n_ = r_.one_in(2), z_ = r_.one_in(2), c_ = r_.one_in(2), v_ = r_.one_in(2);
    memory_.clear();
  }

  Random& r_;
  W regs_[16];
  bool n_, z_, c_, v_;
  std::map<W, std::uint8_t> memory_;
};

std::vector<Executed> Maker::run(Random& r) const { return Processor(r).run(code); }

TEST_CASE("every executed walk of a random ARM routine is a listed path") {
  test::check_random_routines<Maker>(test::Target::arm, 1000, "  .syntax unified\n  .arm\n  .text\n", "bx lr");
}

}  // namespace
}  // namespace trapline
