// SPDX-License-Identifier: Apache-2.0
//
// One decoded instruction, architecture-neutral. An architecture's lifter fills it; everything to the right
// of disasm/ reads only this. It says four things about an instruction:
//
//   flow     where control goes next
//   class    which of the eleven disjoint cost classes it is in, with its memory traffic
//   ops      what it does to registers and memory, as a few micro-operations on values
//   when     the predicate under which it acts, if it is conditional
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trapline {

// A register-like thing of one architecture: general, link, count, condition or system register. An index
// into Facts::places; the architecture gives it a name.
using Place = std::uint16_t;
inline constexpr Place no_place = 0xffff;

// Where control goes. A conditional form of any of these is the same flow with Insn::when set.
enum class Flow : std::uint8_t {
  next,              // falls through
  jump,              // direct jump to Insn::target
  call,              // direct link-setting branch to Insn::target
  ret,               // jump to the address in the link register, meant as a return
  indirect_jump,     // jump to the address in Insn::jump_to
  indirect_call,     // link-setting branch to the address in Insn::jump_to
  exception_return,  // ertn, rfid, eret, movs pc, lr, ... (see Insn::returns_by)
  syscall,           // a system call instruction: a call into another kernel, control comes back (vDSO code)
  trap,              // undefined-by-design or breakpoint instruction: control does not come back
  halt,              // jump to itself
  unknown,           // not decoded
};

// The disjoint cost classes of the design; every instruction is in exactly one.
enum class InsnClass : std::uint8_t {
  load,
  store,
  load_store,
  branch,
  call,
  ret,
  system,
  barrier,
  nop,
  other,
  unknown
};
inline constexpr int insn_class_count = 11;

// Memory traffic of one instruction. Multiple and pair instructions are one access that moves several registers.
struct MemoryTraffic {
  bool loads = false;                 // reads memory
  bool stores = false;                // writes memory
  bool atomic = false;                // load-linked, store-conditional, read-modify-write
  std::uint8_t registers_loaded = 0;  // registers moved from memory
  std::uint8_t registers_stored = 0;  // registers moved to memory
  std::uint16_t bytes_loaded = 0;
  std::uint16_t bytes_stored = 0;
};

// An operand of a micro-operation.
struct Operand {
  enum class Kind : std::uint8_t { none, place, temp, imm };
  Kind kind = Kind::none;
  std::uint16_t index = 0;  // Place, or number of a temporary (0..15) that lives within one instruction
  std::uint64_t imm = 0;

  static Operand reg(Place p) { return {Kind::place, p, 0}; }
  static Operand tmp(std::uint16_t n) { return {Kind::temp, n, 0}; }
  static Operand value(std::uint64_t v) { return {Kind::imm, 0, v}; }
};

// What a micro-operation computes. Arithmetic is modulo 2^(8*width); results are zero-extended to the
// register size of the architecture unless a sext follows.
enum class Op : std::uint8_t {
  set,      // dst = a
  add,      // dst = a + b
  sub,      // dst = a - b
  and_,     // dst = a & b
  or_,      // dst = a | b
  xor_,     // dst = a ^ b
  not_,     // dst = ~a
  shl,      // dst = a << b
  shr,      // dst = a >> b, zeros shifted in
  sar,      // dst = a >> b, sign shifted in
  ror,      // dst = a rotated right by b, in `width` bytes
  mul,      // dst = a * b
  extract,  // dst = bits [lsb, lsb+bits) of a, zero-extended
  insert,   // dst = a with bits [lsb, lsb+bits) replaced by the low bits of b
  sext,     // dst = the low `bits` bits of a, sign-extended to the register size
  zext,     // dst = the low `bits` bits of a
  load,     // dst = memory at a, `width` bytes, zero-extended (a sext op follows for a signed load)
  store,    // memory at a = low `width` bytes of b
  compare,  // dst (a flags place) = flags of a - b, in `width` bytes; `bits` = 1: lt, ge, gt, le asked of these flags
            // mean the unsigned order (PowerPC, where the compare and not the branch says which)
  compare_add,  // dst (a flags place) = flags of a + b, in `width` bytes
  test,         // dst (a flags place) = flags of the value a compared with zero (logical result), in `width` bytes;
                // `bits` = 1: carry and overflow are not made from a (ARM, where they stay or come from the shifter)
  clobber,      // dst = a value that the analysis does not follow (a kernel value made by this instruction)
};

struct MicroOp {
  Op op = Op::clobber;
  std::uint8_t width = 8;  // bytes
  std::uint8_t lsb = 0;    // extract, insert
  std::uint8_t bits = 0;   // extract, insert, sext, zext
  Operand dst;
  Operand a;
  Operand b;
};

// Relation of a conditional instruction. The unsigned ones end in u.
enum class Rel : std::uint8_t {
  eq,
  ne,
  lt,
  ge,
  gt,
  le,
  ltu,
  geu,
  gtu,
  leu,
  negative,     // result of the flag-setting operation is negative (ARM mi)
  nonnegative,  // (ARM pl)
  overflow,
  no_overflow,
  opaque,  // a bit that the analysis cannot express (PowerPC SO); equal `a`, same `tag` = same answer
  opaque_not,
};

// The predicate of a conditional instruction. With `flags` set, the relation is asked of a flags value (compare,
// compare_add, test) held in place `flags`; otherwise of the operands a and b, compared in `width` bytes.
struct Predicate {
  Rel rel = Rel::eq;
  Place flags = no_place;
  Operand a;
  Operand b;
  std::uint8_t width = 8;
  std::uint8_t tag = 0;  // tells apart different opaque questions about the same value (a bit number)
  // true: the predicate guards every effect of the instruction and reads the state before it (ARM).
  // false: the micro-ops act in any case and the predicate, read after them, guards only the transfer of control
  // (branches of all architectures; PowerPC bdnz, bcl).
  bool guards_effects = false;
};

// How an exception return decides where it returns to.
enum class ReturnsBy : std::uint8_t {
  none,
  status,        // privilege comes from the return-status place (PRMD, SRR1, SPSR) named in Insn::status
  kernel_entry,  // an exception-return instruction used as a jump into the kernel (ARM vector stub)
};

struct Insn {
  std::uint64_t address = 0;  // internal address (see Image)
  std::uint8_t size = 0;      // bytes
  std::uint32_t word = 0;     // encoding of a fixed-width instruction, in the manual's bit order
  Flow flow = Flow::unknown;
  InsnClass cls = InsnClass::unknown;
  MemoryTraffic memory;
  std::optional<std::uint64_t> target;  // direct jump or call
  Operand jump_to;                      // indirect jump, indirect call, ret: the place or temp with the address
  std::optional<Predicate> when;
  ReturnsBy returns_by = ReturnsBy::none;
  Place status = no_place;   // exception_return: place whose privilege bits decide
  bool sets_link = false;    // writes the return address into the link register (bl, bcl, jirl $ra)
  bool barrier = false;      // counted as a barrier
  bool system = false;       // counted as a system instruction
  bool landing_pad = false;  // hints and landing pads, counted as nops
  bool irq_on = false;       // may enable interrupts: scratch and return registers are unknown after it
  bool via_table = false;    // indirect jump through a jump table that the lifter recognises in ops
  std::vector<MicroOp> ops;
};

}  // namespace trapline
