// SPDX-License-Identifier: Apache-2.0
//
// Random PowerPC routines, as random_loongarch_test.cc has them for LoongArch: what is tested here are condition
// fields, comparisons that are signed or unsigned, of words or doublewords, and record forms. Semantics of the
// instructions: Power ISA 3.1, Book I, chapters 2 and 3.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
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
S as_signed(U v) { return static_cast<S>(v); }
U rotate(U v, unsigned n) { return n == 0 ? v : (v << n | v >> (64 - n)); }
U mask(unsigned first, unsigned last) {  // bits first to last, bit 0 the most significant, around the end
  const U from = ~U{0} >> first, to = ~U{0} << (63 - last);
  return first <= last ? from & to : from | to;
}

// imm: the immediate; of rlwinm, sh * 4096 + mb * 64 + me
enum class Form { registers, immediate, unsigned_immediate, shift64, shift32, unary, field };
struct Alu {
  const char* name;
  Form form;
  bool record;  // cr0 is set
  U (*compute)(U a, U b);
};
constexpr Alu alus[] = {
    {"add", Form::registers, false, [](U a, U b) { return a + b; }},
    {"add.", Form::registers, true, [](U a, U b) { return a + b; }},
    {"subf", Form::registers, false, [](U a, U b) { return b - a; }},
    {"subf.", Form::registers, true, [](U a, U b) { return b - a; }},
    {"and", Form::registers, false, [](U a, U b) { return a & b; }},
    {"and.", Form::registers, true, [](U a, U b) { return a & b; }},
    {"or", Form::registers, false, [](U a, U b) { return a | b; }},
    {"or.", Form::registers, true, [](U a, U b) { return a | b; }},
    {"xor", Form::registers, false, [](U a, U b) { return a ^ b; }},
    {"nor", Form::registers, false, [](U a, U b) { return ~(a | b); }},
    {"andc", Form::registers, false, [](U a, U b) { return a & ~b; }},
    {"mulld", Form::registers, false, [](U a, U b) { return a * b; }},
    {"sld", Form::registers, false, [](U a, U b) { return (b & 64) != 0 ? U{0} : a << (b & 63); }},
    {"srw", Form::registers, false, [](U a, U b) { return (b & 32) != 0 ? U{0} : (a & 0xffffffff) >> (b & 31); }},
    {"addi", Form::immediate, false, [](U a, U b) { return a + b; }},
    {"addi", Form::immediate, false, [](U a, U b) { return a + b; }},
    {"addis", Form::immediate, false, [](U a, U b) { return a + (b << 16); }},
    {"mulli", Form::immediate, false, [](U a, U b) { return a * b; }},
    {"andi.", Form::unsigned_immediate, true, [](U a, U b) { return a & b; }},
    {"andi.", Form::unsigned_immediate, true, [](U a, U b) { return a & b; }},
    {"andis.", Form::unsigned_immediate, true, [](U a, U b) { return a & b << 16; }},
    {"ori", Form::unsigned_immediate, false, [](U a, U b) { return a | b; }},
    {"xoris", Form::unsigned_immediate, false, [](U a, U b) { return a ^ b << 16; }},
    {"sldi", Form::shift64, false, [](U a, U b) { return a << b; }},
    {"srdi", Form::shift64, false, [](U a, U b) { return a >> b; }},
    {"sradi", Form::shift64, false, [](U a, U b) { return static_cast<U>(as_signed(a) >> b); }},
    {"slwi", Form::shift32, false, [](U a, U b) { return a << b & 0xffffffff; }},
    {"srwi", Form::shift32, false, [](U a, U b) { return (a & 0xffffffff) >> b; }},
    {"srawi", Form::shift32, false, [](U a, U b) { return static_cast<U>(as_signed(sign(a, 32)) >> b); }},
    {"extsb", Form::unary, false, [](U a, U) { return sign(a, 8); }},
    {"extsw", Form::unary, false, [](U a, U) { return sign(a, 32); }},
    {"extsw.", Form::unary, true, [](U a, U) { return sign(a, 32); }},
    {"neg", Form::unary, false, [](U a, U) { return 0 - a; }},
    {"mr", Form::unary, false, [](U a, U) { return a; }},
    {"mr.", Form::unary, true, [](U a, U) { return a; }},
    {"rlwinm", Form::field, false,
     [](U a, U b) {
       const U low = a & 0xffffffff;
       return rotate(low | low << 32, static_cast<unsigned>(b >> 12)) & mask((b >> 6 & 63) + 32, (b & 63) + 32);
     }},
    {"rlwinm.", Form::field, true,
     [](U a, U b) {
       const U low = a & 0xffffffff;
       return rotate(low | low << 32, static_cast<unsigned>(b >> 12)) & mask((b >> 6 & 63) + 32, (b & 63) + 32);
     }},
};

struct Access {
  const char* name;
  unsigned width;
  bool store;
  bool is_signed;
};
constexpr Access accesses[] = {{"ld", 8, false, false}, {"ld", 8, false, false},  {"lwz", 4, false, false},
                               {"lwa", 4, false, true}, {"lbz", 1, false, false}, {"lhz", 2, false, false},
                               {"std", 8, true, false}, {"std", 8, true, false},  {"std", 8, true, false},
                               {"stw", 4, true, false}, {"sth", 2, true, false},  {"stb", 1, true, false}};

constexpr const char* compares[] = {"cmpwi", "cmplwi", "cmpdi", "cmpldi", "cmpw", "cmplw", "cmpd", "cmpld"};
constexpr const char* conditions[] = {"blt", "bge", "bgt", "ble", "beq", "bne", "bso", "bns"};

enum : unsigned { sp = 1, moving = 26, counters = 27, p = 30, q = 31, index = 11 };
constexpr unsigned data[] = {3, 4, 5, 9, 10};
constexpr unsigned pointers[] = {sp, sp, p, q};

struct Ins {
  enum class Kind { alu, compare, access, branch, jump, call, back, trap } kind = Kind::alu;
  const Alu* alu = nullptr;
  const Access* access = nullptr;
  unsigned compare = 0, condition = 0, field = 0;
  unsigned rt = 0, ra = 0, rb = 0;
  U imm = 0;
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
    f.may_end = i.kind == Ins::Kind::back || i.kind == Ins::Kind::trap;
    const bool jumps = i.kind == Ins::Kind::branch || i.kind == Ins::Kind::jump;
    if (!f.may_end && i.kind != Ins::Kind::jump) f.next.push_back(at + 1);
    if (jumps) f.next.push_back(i.target);
    f.loads = i.access != nullptr && !i.access->store;
    f.stores = i.access != nullptr && i.access->store;
    f.calls = i.kind == Ins::Kind::call;
    return f;
  }

 private:
  unsigned reg() { return r_.pick(data); }
  U immediate(bool is_unsigned) {
    const U v = r_.one_in(2) ? r_.below(16) : r_.below(0x10000);
    return is_unsigned ? v : sign(v, 16);
  }
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
    i.rt = reg();
    i.ra = reg();
    i.rb = reg();
    switch (i.alu->form) {
      case Form::immediate:
        i.imm = r_.one_in(2) ? static_cast<U>(S{r_.below(17)} - 8) : immediate(false);
        break;
      case Form::unsigned_immediate:
        i.imm = immediate(true);
        break;
      case Form::shift64:
        i.imm = 1 + r_.below(63);
        break;
      case Form::shift32:
        i.imm = 1 + r_.below(31);
        break;
      case Form::field:
        i.imm = r_.below(32) * 4096 + r_.below(32) * 64 + r_.below(32);
        break;
      default:
        break;
    }
    code.push_back(i);
  }
  void put(const char* name, unsigned rt, unsigned ra, U imm) {
    Ins i;
    for (const Alu& a : alus)
      if (std::string_view(a.name) == name) i.alu = &a;
    i.rt = rt;
    i.ra = ra;
    i.rb = static_cast<unsigned>(imm);  // of forms with three registers
    i.imm = imm;
    code.push_back(i);
  }
  void compare() {
    Ins i;
    i.kind = Ins::Kind::compare;
    i.compare = r_.below(8);
    i.field = r_.below(3);
    i.ra = reg();
    i.rb = reg();
    const bool is_unsigned = (i.compare & 1) != 0;
    i.imm = r_.one_in(3) ? 0 : immediate(is_unsigned);
    if (const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::compare) : nullptr; before != nullptr) {
      i.ra = before->ra;
      i.rb = before->rb;
      if ((before->compare & 1) == (i.compare & 1)) i.imm = before->imm;
      if (r_.one_in(3)) std::swap(i.ra, i.rb);
    }
    code.push_back(i);
  }
  void memory() {
    Ins i;
    i.kind = Ins::Kind::access;
    i.access = &r_.pick(accesses);
    i.rt = reg();
    i.ra = r_.one_in(6) ? unsigned{moving} : r_.pick(pointers);
    i.imm = r_.one_in(3) ? 4 * r_.below(5) : 8 * r_.below(3);
    if (const Ins* before = r_.one_in(2) ? earlier(Ins::Kind::access) : nullptr; before != nullptr) {
      i.ra = before->ra;
      i.imm = before->imm;
    } else if (r_.one_in(8)) {
      put("andi.", index, reg(), 0x18);
      put("add", index, i.ra, index);
      i.ra = index;
    }
    code.push_back(i);
  }
  void plain_instruction(bool) override {
    const unsigned what = r_.below(10);
    if (what < 3)
      memory();
    else if (what == 3)
      put("addi", reg(), 0, r_.below(4));  // li
    else if (what == 4)
      put("addi", moving, r_.one_in(2) ? unsigned{moving} : r_.pick(pointers), 8 * r_.below(2));
    else if (what == 5)
      compare();
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
    if (!r_.one_in(3)) compare();
    const unsigned field =
        code.empty() || code.back().kind != Ins::Kind::compare || r_.one_in(5) ? r_.below(3) : code.back().field;
    const std::size_t at = simple(Ins::Kind::branch);
    code[at].field = field;
    code[at].condition = r_.below(8);
    return at;
  }
  static unsigned counter(int n) { return counters + static_cast<unsigned>(n); }
  void count_from(int n, U turns) override { put("addi", counter(n), 0, turns); }
  void count_from_register(int n) override { put("andi.", counter(n), reg(), 3); }
  std::size_t count_down(int n, bool odd) override {
    put("addi", counter(n), counter(n), ~U{0});
    const std::size_t test = simple(Ins::Kind::compare);
    code[test].compare = odd ? 0 : r_.below(4);  // of the immediate forms; cmpwi
    code[test].ra = counter(n);
    code[test].field = r_.below(3);
    const std::size_t at = simple(Ins::Kind::branch);
    code[at].field = code[test].field;
    code[at].condition = odd ? 2 : 5;  // bgt, bne
    return at;
  }
  void set_target(std::size_t at, std::size_t target) override { code[at].target = target; }
};

std::string Maker::text(std::size_t at, const std::string& label_prefix) const {
  const Ins& i = code[at];
  const S imm = as_signed(i.imm);
  const std::string label = label_prefix + std::to_string(i.target);
  switch (i.kind) {
    case Ins::Kind::alu:
      switch (i.alu->form) {
        case Form::registers:
          return fmt::format("{} {}, {}, {}", i.alu->name, i.rt, i.ra, i.rb);
        case Form::unary:
          return fmt::format("{} {}, {}", i.alu->name, i.rt, i.ra);
        case Form::field:
          return fmt::format("{} {}, {}, {}, {}, {}", i.alu->name, i.rt, i.ra, i.imm >> 12, i.imm >> 6 & 63,
                             i.imm & 63);
        default:
          return fmt::format("{} {}, {}, {}", i.alu->name, i.rt, i.ra, imm);
      }
    case Ins::Kind::compare:
      if (i.compare < 4) return fmt::format("{} {}, {}, {}", compares[i.compare], i.field, i.ra, imm);
      return fmt::format("{} {}, {}, {}", compares[i.compare], i.field, i.ra, i.rb);
    case Ins::Kind::access:
      return fmt::format("{} {}, {}({})", i.access->name, i.rt, imm, i.ra);
    case Ins::Kind::branch:
      return fmt::format("{} {}, {}", conditions[i.condition], i.field, label);
    case Ins::Kind::jump:
      return "b " + label;
    case Ins::Kind::call:
      return "bl c_function";
    case Ins::Kind::back:
      return "rfid";
    case Ins::Kind::trap:
      return "trap";
  }
  return {};
}

class Processor {
 public:
  explicit Processor(Random& r) : r_(r), overflow_(r.one_in(2)) {
    for (U& x : regs_) x = r_.number();
    for (unsigned reg : data)
      if (r_.one_in(2)) regs_[reg] = r_.below(4);
    for (Field& f : cr_) f = unknown();
    regs_[sp] = 0xc0000000'10000000;
    regs_[p] = 0xc0000000'20000000;
    regs_[q] = regs_[p] + (r_.one_in(2) ? 8 * r_.below(3) : r_.one_in(2) ? 4 : 0x1000);
    regs_[moving] = r_.one_in(2) ? regs_[p] : 0xc0000000'30000000;
  }
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
          if (cr_[i.field][i.condition / 2] == (i.condition % 2 == 0)) at = i.target;
          break;
        case Ins::Kind::alu:
          alu(i);
          break;
        case Ins::Kind::compare:
          compare(i);
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
  using Field = std::array<bool, 4>;  // less, greater, equal, summary overflow
  Field unknown() { return {r_.one_in(2), r_.one_in(2), r_.one_in(2), r_.one_in(2)}; }
  void set(unsigned field, bool less, bool greater) { cr_[field] = {less, greater, !less && !greater, overflow_}; }

  void alu(const Ins& i) {
    const bool from_zero = i.alu->form == Form::immediate && i.ra == 0 && i.alu->name[0] == 'a';  // li, lis
    const U a = from_zero ? 0 : regs_[i.ra];
    const U v = i.alu->compute(a, i.alu->form == Form::registers ? regs_[i.rb] : i.imm);
    regs_[i.rt] = v;
    if (i.alu->record) set(0, as_signed(v) < 0, as_signed(v) > 0);
  }
  void compare(const Ins& i) {
    U a = regs_[i.ra], b = i.compare < 4 ? i.imm : regs_[i.rb];
    const bool words = (i.compare & 2) == 0, is_unsigned = (i.compare & 1) != 0;
    if (words) a = is_unsigned ? a & 0xffffffff : sign(a, 32), b = is_unsigned ? b & 0xffffffff : sign(b, 32);
    if (is_unsigned)
      set(i.field, a<b, a> b);
    else
      set(i.field, as_signed(a) < as_signed(b), as_signed(a) > as_signed(b));
  }
  std::uint8_t& byte(U address) {
    auto [it, fresh] = memory_.try_emplace(address);
    if (fresh) it->second = static_cast<std::uint8_t>(r_.one_in(2) ? 0 : r_.one_in(2) ? 1 : r_.next());
    return it->second;
  }
  void access(const Ins& i) {
    const U address = regs_[i.ra] + i.imm;
    U v = 0;
    for (unsigned n = 0; n < i.access->width; ++n) {
      if (i.access->store)
        byte(address + n) = static_cast<std::uint8_t>(regs_[i.rt] >> 8 * n);
      else
        v |= U{byte(address + n)} << 8 * n;
    }
    if (!i.access->store) regs_[i.rt] = i.access->is_signed ? sign(v, i.access->width * 8) : v;
  }
  // C changes r0, r3 to r12, cr0, cr1 and any memory (64-bit ELF V2 ABI, 2.2.2).
  void call() {
    for (unsigned reg = 0; reg < 13; ++reg)
      if (reg == 0 || reg > 2) regs_[reg] = r_.one_in(2) ? r_.below(3) : r_.number();
    cr_[0] = unknown();
    cr_[1] = unknown();
    memory_.clear();
  }

  Random& r_;
  U regs_[32];
  bool overflow_;
  std::array<Field, 3> cr_;
  std::map<U, std::uint8_t> memory_;
};

std::vector<Executed> Maker::run(Random& r) const { return Processor(r).run(code); }

TEST_CASE("every executed walk of a random PowerPC routine is a listed path") {
  test::check_random_routines<Maker>(test::Target::powerpc64le, 2000, "  .text\n", "blr");
}

}  // namespace
}  // namespace trapline
