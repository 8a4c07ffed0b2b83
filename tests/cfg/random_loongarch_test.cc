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
#include "random_program.h"

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
    if (!ends && i.kind != Ins::Kind::jump) f.next.push_back(at + 1);
    if (i.kind == Ins::Kind::jump || i.kind == Ins::Kind::branch) f.next.push_back(i.target);
    f.loads = i.access != nullptr && !i.access->store;
    f.stores = i.access != nullptr && i.access->store;
    f.calls = i.kind == Ins::Kind::call;
    return f;
  }

 private:
  unsigned reg() { return r_.pick(data); }
  unsigned source() { return r_.one_in(8) ? unsigned{zero} : reg(); }
  static unsigned counter(int n) { return s2 + static_cast<unsigned>(n); }

  // An earlier instruction of that kind, to ask or touch the same again.
  const Ins* earlier(Ins::Kind kind) {
    std::vector<const Ins*> some;
    for (const Ins& i : code)
      if (i.kind == kind) some.push_back(&i);
    return some.empty() ? nullptr : r_.pick(some);
  }
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
  void memory() {
    Ins i;
    i.kind = Ins::Kind::access;
    i.access = &r_.pick(accesses);
    i.rd = i.access->store ? source() : reg();
    i.rj = r_.pick(pointers);
    i.imm = r_.one_in(3) ? r_.below(20) : 8 * r_.below(3);
    if (const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::access) : nullptr; before != nullptr) {
      i.rj = before->rj;
      i.imm = before->imm;
    } else if (r_.one_in(6)) {  // through a computed address
      put("andi", t4, reg(), 0x18);
      put("add.d", t4, i.rj, t4);
      i.rj = t4;
    } else if (r_.one_in(6)) {
      i.rj = s7;  // a pointer that moves
    }
    code.push_back(i);
  }
  void plain_instruction(bool) override {
    const unsigned what = r_.below(9);
    if (what < 3)
      memory();
    else if (what == 3)
      put("ori", reg(), zero, r_.one_in(3) ? r_.below(4096) : r_.below(4));
    else if (what == 4 && r_.one_in(6))
      put("addi.d", sp, sp, static_cast<U>(8 * (S{r_.below(3)} - 1)));
    else if (what == 4 && r_.one_in(2))
      put("addi.d", s7, r_.pick(pointers), 8 * r_.below(2));
    else if (what == 4)
      put("addi.d", s7, s7, 8);
    else
      arithmetic();
  }
  std::size_t simple(Ins::Kind kind) {
    Ins i;
    i.kind = kind;
    code.push_back(i);
    return code.size() - 1;
  }
  void call(bool) override { simple(Ins::Kind::call); }
  void trap() override { simple(Ins::Kind::trap); }
  void back() override { simple(Ins::Kind::back); }
  std::size_t jump() override { return simple(Ins::Kind::jump); }
  std::size_t branch() override {
    const std::size_t at = simple(Ins::Kind::branch);
    Ins& i = code[at];
    i.branch = &r_.pick(branches);
    i.rj = reg();
    i.rk = source();
    const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::branch) : nullptr;
    if (before != nullptr && before->branch != nullptr) {
      i.rj = before->rj;
      i.rk = before->rk;
      if (r_.one_in(3)) std::swap(i.rj, i.rk);
    }
    if (!i.branch->with_zero && i.rk == i.rj) i.rk = i.rj == zero ? reg() : unsigned{zero};
    return at;
  }
  void count_from(int n, U turns) override { put("ori", counter(n), zero, turns); }
  void count_from_register(int n) override { put("andi", counter(n), reg(), 3); }
  std::size_t count_down(int n, bool odd) override {
    put("addi.d", counter(n), counter(n), ~U{0});
    const std::size_t at = simple(Ins::Kind::branch);
    Ins& i = code[at];
    for (const Branch& b : branches)
      if (std::string_view(b.name) == (odd ? "blt" : "bnez")) i.branch = &b;
    i.rj = odd ? unsigned{zero} : counter(n);
    i.rk = counter(n);
    return at;
  }
  void set_target(std::size_t at, std::size_t target) override { code[at].target = target; }
};

std::string Maker::text(std::size_t at, const std::string& label_prefix) const {
  auto reg = [](unsigned n) { return std::string("$") + names[n]; };
  const Ins& i = code[at];
  const std::string label = label_prefix + std::to_string(i.target);
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
      if (i.branch->with_zero) return fmt::format("{} {}, {}", i.branch->name, reg(i.rj), label);
      return fmt::format("{} {}, {}, {}", i.branch->name, reg(i.rj), reg(i.rk), label);
    case Ins::Kind::jump:
      return "b " + label;
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
  std::vector<Executed> run(const std::vector<Ins>& code) {
    std::vector<Executed> walk;
    for (std::size_t at = 0; walk.size() < 4000;) {
      walk.push_back({at, true});
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

std::vector<Executed> Maker::run(Random& r) const { return Processor(r).run(code); }

TEST_CASE("every executed walk of a random LoongArch routine is a listed path") {
  test::check_random_routines<Maker>(test::Target::loongarch64, 0, "  .text\n", "ret");
}

}  // namespace
}  // namespace trapline
