// SPDX-License-Identifier: Apache-2.0
//
// What one LoongArch instruction does. lift() is the only way in; the class below is shared by the files that hold its
// handlers: lift_integer.cc, lift_memory.cc, lift_flow.cc, lift_system.cc. opcodes.cc has the table that chooses one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "disasm/arch/loongarch/encoding.h"
#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::loongarch {

// `register_bytes` is 8 for loongarch64, 4 for loongarch32. A word that LLVM MC does not decode stays at Flow::unknown.
Insn lift(const Image& image, const Decoded& decoded, unsigned register_bytes);

class Lifter;

// One row of the opcode table. `bits` are the leading bits of the word, as appendix B of the manual draws them.
// `width` (bytes) and `op` are what the handler makes of them.
struct Opcode {
  std::string_view bits;
  void (Lifter::*handle)(const Opcode& row);
  unsigned width = 0;
  Op op = Op::clobber;
};

// The row of the table for a word, or null.
const Opcode* find_opcode(std::uint32_t word);

class Lifter {
 public:
  Lifter(const Image& image, const Decoded& decoded, unsigned register_bytes);
  Insn run();

  // Integer computation (lift_integer.cc).
  void arithmetic(const Opcode& row);      // rd = rj op rk
  void arithmetic_not(const Opcode& row);  // rd = rj op ~rk
  void nor(const Opcode& row);
  void add_immediate(const Opcode& row);       // rd = rj + si12
  void add_upper(const Opcode& row);           // addu16i.d
  void logic_immediate(const Opcode& row);     // rd = rj op ui12
  void shift(const Opcode& row);               // rd = rj op (rk mod bits)
  void shift_immediate(const Opcode& row);     // rd = rj op ui5 or ui6
  void shift_add(const Opcode& row);           // alsl
  void shift_add_unsigned(const Opcode& row);  // alsl.wu
  void multiply_words(const Opcode& row);      // mulw.d.w
  void multiply_words_unsigned(const Opcode& row);
  void extend(const Opcode& row);  // ext.w.b, ext.w.h
  void insert_bits_word(const Opcode& row);
  void insert_bits(const Opcode& row);
  void pick_bits_word(const Opcode& row);
  void pick_bits(const Opcode& row);
  void keep_unless_zero(const Opcode& row);      // maskeqz
  void keep_if_zero(const Opcode& row);          // masknez
  void upper_immediate(const Opcode& row);       // lu12i.w
  void bits_51_32(const Opcode& row);            // lu32i.d
  void bits_63_52(const Opcode& row);            // lu52i.d
  void address_near(const Opcode& row);          // pcaddi
  void address_page(const Opcode& row);          // pcalau12i
  void address_upper(const Opcode& row);         // pcaddu12i, pcaddu18i
  void compute(const Opcode& row);               // rd gets a value that is not followed
  void compute_both(const Opcode& row);          // rdtime: rd and rj
  void compute_condition(const Opcode& row);     // FP comparison: fcc cd
  void integer_to_condition(const Opcode& row);  // movgr2cf
  void condition_to_integer(const Opcode& row);  // movcf2gr
  void no_effect(const Opcode& row);             // nothing that is followed, class other

  // Memory (lift_memory.cc).
  void load(const Opcode& row);  // rd = sign-extended [rj + si12]
  void load_unsigned(const Opcode& row);
  void load_shifted(const Opcode& row);  // ldptr: [rj + si14 * 4]
  void load_indexed(const Opcode& row);  // ldx: [rj + rk]
  void load_indexed_unsigned(const Opcode& row);
  void load_checked(const Opcode& row);  // ldgt, ldle: [rj]
  void load_part(const Opcode& row);     // ldl, ldr: part of rd
  void load_linked(const Opcode& row);
  void load_linked_acquire(const Opcode& row);
  void store(const Opcode& row);
  void store_shifted(const Opcode& row);
  void store_indexed(const Opcode& row);
  void store_checked(const Opcode& row);
  void store_part(const Opcode& row);
  void store_conditional(const Opcode& row);
  void store_conditional_release(const Opcode& row);
  void store_conditional_pair(const Opcode& row);  // sc.q
  void read_modify_write(const Opcode& row);
  void swap(const Opcode& row);  // amswap
  void compare_and_swap(const Opcode& row);
  void fp_load(const Opcode& row);  // fld, vld, xvld
  void fp_load_indexed(const Opcode& row);
  void fp_load_checked(const Opcode& row);
  void fp_load_replicated(const Opcode& row);  // vldrepl
  void fp_store(const Opcode& row);
  void fp_store_indexed(const Opcode& row);
  void fp_store_checked(const Opcode& row);
  void fp_store_element(const Opcode& row);     // vstelm
  void page_directory_load(const Opcode& row);  // lddir
  void page_entry_load(const Opcode& row);      // ldpte

  // Control flow (lift_flow.cc).
  void branch_compare(const Opcode& row);    // beq and relatives
  void branch_zero(const Opcode& row);       // beqz, bnez
  void branch_condition(const Opcode& row);  // bceqz, bcnez, jiscr0, jiscr1
  void branch(const Opcode& row);            // b
  void branch_and_link(const Opcode& row);   // bl
  void jump_and_link(const Opcode& row);     // jirl
  void break_(const Opcode& row);
  void syscall(const Opcode& row);
  void exception_return(const Opcode& row);

  // Privileged and barriers (lift_system.cc).
  void csr(const Opcode& row);          // csrrd, csrwr, csrxchg
  void guest_csr(const Opcode& row);    // gcsrrd, gcsrwr, gcsrxchg
  void system(const Opcode& row);       // no effect on what is followed
  void system_read(const Opcode& row);  // rd gets a value that is not followed
  void hypercall(const Opcode& row);
  void tlb_search(const Opcode& row);
  void tlb_read(const Opcode& row);
  void barrier(const Opcode& row);

 private:
  // Operands. Register 0 reads as the constant 0, and nothing is written to it.
  Operand source(unsigned r) const { return r == 0 ? Operand::value(0) : Operand::reg(static_cast<Place>(r)); }
  Operand temporary() { return Operand::tmp(next_temporary_++); }
  Operand constant(std::int64_t v) const;
  std::uint8_t register_width() const { return static_cast<std::uint8_t>(register_bytes_); }

  // Micro-operations.
  void emit(Op op, Operand dst, Operand a, Operand b = {}, unsigned width = 0, unsigned lsb = 0, unsigned bits = 0);
  Operand compute_to_temporary(Op op, Operand a, Operand b, unsigned width = 0);
  void set(unsigned r, Operand value);
  void clobber(unsigned r);
  // Register `r` gets `value`, a result of `width` bytes: 32-bit results are sign-extended in a 64-bit register.
  void set_result(unsigned r, Operand value, unsigned width);
  // rd = a op b, computed in `width` bytes.
  void result(Op op, Operand a, Operand b, unsigned width);
  // A temporary with the low `bits` bits of `value`, extended.
  Operand low_bits(Operand value, unsigned bits, Op extension);

  // Memory.
  Operand address(unsigned base, std::int64_t displacement);
  Operand indexed_address();
  void load_from(Operand from, unsigned width, Op extension);
  void store_to(Operand to, unsigned width, Operand value);
  void fp_load_from(Operand from, unsigned width);
  void fp_store_to(Operand to, unsigned width);
  void count_load(unsigned width);
  void count_store(unsigned width);
  void modify(unsigned width, Op op);

  // Control flow.
  void conditional(Predicate predicate, std::int64_t offset);
  std::uint64_t branch_target(std::int64_t offset) const;

  // Relocations of an object file.
  std::optional<std::uint64_t> fix(std::uint32_t type) const;
  std::optional<std::uint64_t> low_part_fix() const;

  void fallback();
  void klass(InsnClass c) { insn_.cls = c; }

  const Image& image_;
  const Decoded& decoded_;
  unsigned register_bytes_;
  Encoding e_;
  Insn insn_;
  std::uint16_t next_temporary_ = 0;
};

// Does the break instruction at `address` come from WARN: a record of __bug_table names it, with BUGFLAG_WARNING set?
// The handler then goes on behind it. False where there is no table.
bool break_is_warning(const Image& image, std::uint64_t address);

}  // namespace trapline::loongarch
