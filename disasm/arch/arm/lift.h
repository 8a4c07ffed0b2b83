// SPDX-License-Identifier: Apache-2.0
//
// What one ARM or Thumb instruction does. The decoding files (lift_arm, lift_media, lift_system, lift_vector,
// lift_thumb16, lift_thumb32) take the fields of the encoding apart as the manual draws them (ARM ARM DDI 0406, A5 to
// A8) and say what it does in the words of the members below, which live in lift.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "disasm/arch/arm/places.h"
#include "disasm/decode/decoder.h"
#include "disasm/image/image.h"
#include "disasm/insn.h"

namespace trapline::arm_arch {

// The sixteen data-processing operations, by the number that A32 gives them.
enum class Alu : std::uint8_t { and_, eor, sub, rsb, add, adc, sbc, rsc, tst, teq, cmp, cmn, orr, mov, bic, mvn, orn };

// A load or store of one or two registers.
struct Transfer {
  bool load = false;
  std::uint8_t width = 4;  // bytes of one register
  bool sign = false;       // sign-extended load
  std::uint8_t rt = 0;
  std::uint8_t rt2 = no_register;
  std::uint8_t rn = 0;
  Operand offset = Operand::value(0);
  bool add = true;
  bool pre = true;  // the offset is added before the access
  bool writeback = false;
  static constexpr std::uint8_t no_register = 16;
};

// A load or store of a list of registers.
struct Block {
  bool load = false;
  std::uint8_t rn = 0;
  std::uint16_t list = 0;
  bool before = false;
  bool up = true;
  bool writeback = false;
  bool caret = false;  // the ^ form
};

class Lifter {
 public:
  Lifter(const Image& image, const Decoded& decoded, bool thumb);
  Insn run();

 private:
  // --- decoding: each returns with out_ filled, or leaves Flow::unknown for what it does not know.
  void arm();
  void arm_unconditional();
  void arm_data_or_misc();
  void arm_miscellaneous();
  void arm_data_processing();
  void arm_hints_and_msr_immediate();
  void arm_extra_load_store();
  void arm_load_store();
  void block_transfer();
  void multiply();
  void halfword_multiply();
  void synchronisation();
  void media();
  void extend();
  void bit_field();
  void status_register_move();
  void banked_register_move(bool to_register);
  void write_status(bool to_spsr, unsigned mask, Operand value);
  void hint(unsigned number);
  void barrier_or_clrex(unsigned op);
  void change_processor_state(bool interrupts, unsigned imod, bool irq, bool change_mode, unsigned mode);
  void return_from_exception(unsigned rn, bool before, bool up, bool writeback);
  void store_return_state(unsigned mode, bool before, bool up, bool writeback);
  void coprocessor();
  void coprocessor_register_move();
  void coprocessor_load_store();
  void coprocessor_two_registers();
  void vfp_load_store();
  void neon_load_store();
  void vector_memory(unsigned registers, unsigned bytes, bool load, Operand address);

  void thumb16(std::uint16_t h);
  void thumb16_shift_add(std::uint16_t h);
  void thumb16_data(std::uint16_t h);
  void thumb16_special(std::uint16_t h);
  void thumb16_load_store(std::uint16_t h);
  void thumb16_misc(std::uint16_t h);
  void thumb16_adjust_sp(std::uint16_t h);
  void thumb16_branch(std::uint16_t h);
  void thumb32();
  void thumb32_multiple();
  void thumb32_dual_exclusive();
  void thumb32_exclusive_narrow();
  void thumb32_table_branch();
  void thumb32_data_register();
  void thumb32_data_immediate();
  void thumb32_plain_immediate();
  void thumb32_alu(unsigned op, Operand b);
  void thumb32_branch_misc();
  void thumb32_branch(bool conditional);
  void thumb32_control();
  void thumb32_single();
  void thumb32_register_ops();
  void thumb32_multiply();

  // --- what instructions do
  Place place(unsigned n) const { return banked(n, mode_); }
  Operand reg(unsigned n) const { return Operand::reg(place(n)); }
  // What reading register n gives: a constant for the program counter.
  Operand read(unsigned n) const;
  Operand temp();
  void op(Op what, Operand dst, Operand a, Operand b = {}, unsigned width = 4);
  void field(Op what, Operand dst, Operand a, Operand b, unsigned lsb, unsigned width_in_bits);
  // An internal address may need more than four bytes (see Image).
  void set(Operand dst, Operand a) { op(Op::set, dst, a, {}, a.imm >> 32 != 0 ? 8 : 4); }
  void clobber(Operand dst) { op(Op::clobber, dst, {}); }
  void clobber_flags() { clobber(Operand::reg(flags)); }
  // dst = a + b or a - b; constants of the program counter keep their full internal address.
  void sum(Operand dst, Operand a, Operand b, bool add = true);
  Operand summed(Operand a, Operand b, bool add = true);
  void load_value(Operand dst, Operand address, unsigned width, bool sign);

  void other(InsnClass cls = InsnClass::other);  // falls through, with this class
  void condition(unsigned cond);
  Operand shifted(unsigned rm, unsigned type, unsigned amount);
  Operand shifted_by_register(unsigned rm, unsigned type, unsigned rs);
  // `sets_flags` false inside an IT block of Thumb and without the S bit.
  void alu(Alu what, bool sets_flags, unsigned rd, unsigned rn, Operand b);
  void alu_flags(Alu what, Operand a, Operand b, Operand result);
  void write_result(unsigned rd, Operand value);
  void transfer(const Transfer& t);
  void block(const Block& b);
  void load_exclusive(unsigned rt, unsigned rt2, unsigned rn, unsigned width, unsigned offset, bool exclusive);
  void store_exclusive(unsigned status, unsigned rt, unsigned rt2, unsigned rn, unsigned width, unsigned offset,
                       bool exclusive);
  void memory_load(unsigned registers, unsigned bytes);
  void memory_store(unsigned registers, unsigned bytes);

  void jump(std::uint64_t target);
  void call(std::uint64_t target);
  void jump_to(Operand where, bool is_return, bool via_table = false);
  void call_to(Operand where);
  void exception_return(Operand where, Place status);
  void trap();
  // Registers that LLVM says are written become unknown; for what is not modelled more closely.
  void fall_back(InsnClass cls);
  void finish();
  bool only_before_v8() const;
  // The target of a relocation of the branch kind, or `encoded` where there is none.
  std::uint64_t branch_target(std::int64_t displacement) const;
  std::optional<std::uint64_t> half_address() const;  // of movw and movt
  std::uint64_t literal(std::int64_t displacement) const;

  const Image& image_;
  const Decoded& in_;
  const bool thumb_;
  Mode mode_ = Mode::svc;
  std::uint32_t w_ = 0;       // the encoding; two halfwords of Thumb with the first in the upper half
  std::uint64_t pc_ = 0;      // what reading the program counter gives
  bool in_it_block_ = false;  // Thumb: the encoding without flags is meant
  std::uint16_t temps_ = 0;
  Insn out_;
};

// The condition under which the Thumb instruction at `address` acts (0 to 14), if an IT instruction above it says one.
std::optional<unsigned> it_condition(const Image& image, std::uint64_t address);

}  // namespace trapline::arm_arch
