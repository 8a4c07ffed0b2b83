// SPDX-License-Identifier: Apache-2.0
//
// What Capstone 4 says of ARM and Thumb branches, and where it is known to differ.
#include "disasm/arch/arm/second_decoder.h"

#include <algorithm>
#include <array>

namespace trapline::arm_arch {
namespace {

bool is_register(const cs_arm_op& op, int reg) { return op.type == ARM_OP_REG && op.reg == reg; }

// Thumb's `subs pc, lr, #n` names the program counter only among the implicit registers.
bool writes_pc(const cs_insn& insn) {
  const cs_detail& detail = *insn.detail;
  const cs_arm& arm = detail.arm;
  return std::any_of(
             arm.operands, arm.operands + arm.op_count,
             [](const cs_arm_op& op) { return is_register(op, ARM_REG_PC) && (op.access & CS_AC_WRITE) != 0; }) ||
         std::find(detail.regs_write, detail.regs_write + detail.regs_write_count, ARM_REG_PC) !=
             detail.regs_write + detail.regs_write_count;
}

// An instruction that writes the program counter and is no branch.
FlowKind computed_jump(const cs_insn& insn) {
  const cs_arm& arm = insn.detail->arm;
  switch (insn.id) {
    case ARM_INS_LDM:
    case ARM_INS_LDMDA:
    case ARM_INS_LDMDB:
    case ARM_INS_LDMIB:
      if (arm.usermode) return FlowKind::exception_return;
      return is_register(arm.operands[0], ARM_REG_SP) ? FlowKind::ret : FlowKind::indirect_jump;
    case ARM_INS_POP:
      return FlowKind::ret;
    case ARM_INS_LDR:  // `ldr pc, [sp], #4` is how a single register is popped
      return arm.writeback && arm.op_count > 1 && arm.operands[1].type == ARM_OP_MEM &&
                     arm.operands[1].mem.base == ARM_REG_SP
                 ? FlowKind::ret
                 : FlowKind::indirect_jump;
    default:
      break;
  }
  if (arm.update_flags) return FlowKind::exception_return;
  return insn.id == ARM_INS_MOV && is_register(arm.operands[1], ARM_REG_LR) ? FlowKind::ret : FlowKind::indirect_jump;
}

std::optional<std::uint64_t> last_immediate(const cs_arm& arm) {
  if (arm.op_count == 0 || arm.operands[arm.op_count - 1].type != ARM_OP_IMM) return std::nullopt;
  return static_cast<std::uint32_t>(arm.operands[arm.op_count - 1].imm);
}

InsnView view(const cs_insn& insn) {
  const cs_arm& arm = insn.detail->arm;
  InsnView v;
  v.conditional = arm.cc != ARM_CC_AL && arm.cc != ARM_CC_INVALID;
  switch (insn.id) {
    case ARM_INS_CBZ:
    case ARM_INS_CBNZ:
      v.conditional = true;
      [[fallthrough]];
    case ARM_INS_B:
      v.flow = FlowKind::jump;
      v.target = last_immediate(arm);
      return v;
    case ARM_INS_BL:
    case ARM_INS_BLX:
      v.target = last_immediate(arm);
      v.flow = v.target ? FlowKind::call : FlowKind::indirect_call;
      return v;
    case ARM_INS_BX:
    case ARM_INS_BXJ:
      v.flow = is_register(arm.operands[0], ARM_REG_LR) ? FlowKind::ret : FlowKind::indirect_jump;
      return v;
    case ARM_INS_TBB:
    case ARM_INS_TBH:
      v.flow = FlowKind::indirect_jump;
      return v;
    case ARM_INS_SVC:
    case ARM_INS_HVC:
    case ARM_INS_SMC:
      v.flow = FlowKind::syscall;
      return v;
    case ARM_INS_UDF:
    case ARM_INS_TRAP:
    case ARM_INS_BKPT:
    case ARM_INS_HLT:
      v.flow = FlowKind::trap;
      return v;
    case ARM_INS_ERET:
    case ARM_INS_RFEDA:
    case ARM_INS_RFEDB:
    case ARM_INS_RFEIA:
    case ARM_INS_RFEIB:
      v.flow = FlowKind::exception_return;
      return v;
    default:
      break;
  }
  if (writes_pc(insn)) v.flow = computed_jump(insn);
  return v;
}

// ldc2 and stc2; mcr and mrc of coprocessor 10
constexpr std::array coprocessors = std::to_array<WordPattern>({{0xfe000000, 0xfc000000}, {0x0f000f10, 0x0e000a10}});
constexpr std::array load_multiple = std::to_array<WordPattern>({{0x0e508000, 0x08108000}});
constexpr std::array thumb_load_multiple =
    std::to_array<WordPattern>({{0xffd08000, 0xe8908000}, {0xffd08000, 0xe9108000}});
constexpr std::array bx_pc = std::to_array<WordPattern>({{0x0fffffff, 0x012fff1f}});
constexpr std::array thumb_bx_pc = std::to_array<WordPattern>({{0xffffffff, 0x4778}});
constexpr std::array thumb_bxj = std::to_array<WordPattern>({{0xfff0ffff, 0xf3c08f00}});

using enum DifferenceKind;
constexpr std::string_view ldm_reason =
    "ldm with pc in its list and a base other than sp. Restoring a saved return address this way is a return for "
    "trapline; the encoding alone says no more than a jump.";
constexpr std::string_view bx_pc_reason =
    "trapline knows what pc holds and calls the jump a direct one; for Capstone it goes through a register.";

constexpr std::array explained = std::to_array<ExplainedClass>({
    {"arm-coprocessors", undecoded_there, "trapline",
     "Capstone, asked for ARMv8, refuses coprocessor instructions that ARMv8 took away. The kernel has some for cores "
     "with iWMMXt registers (ldc2, stc2) and for the performance monitor of Krait (mcr and mrc of coprocessor 10).",
     "ARM DDI 0406C, A8.8 (LDC2, STC2, MCR, MRC)", coprocessors},
    {"arm-ldm-pc", flow, "both", ldm_reason, "ARM DDI 0406C, A8.8 (LDM)", load_multiple},
    {"arm-bx-pc", flow, "both", bx_pc_reason, "ARM DDI 0406C, A2.3 (PC)", bx_pc},
});

constexpr std::array thumb_explained = std::to_array<ExplainedClass>({
    {"thumb-ldm-pc", flow, "both", ldm_reason, "ARM DDI 0406C, A8.8 (LDM)", thumb_load_multiple},
    {"thumb-bx-pc", flow, "both", bx_pc_reason, "ARM DDI 0406C, A2.3 (PC)", thumb_bx_pc},
    {"thumb-bxj", undecoded_there, "trapline", "Capstone, asked for ARMv8, refuses bxj, which is bx there.",
     "ARM DDI 0487, F5.1 (BXJ)", thumb_bxj},
});

constexpr cs_mode mode(unsigned bits) { return static_cast<cs_mode>(bits); }
constexpr unsigned big = static_cast<unsigned>(CS_MODE_BIG_ENDIAN);

constexpr CapstoneSpec arm_little{CS_ARCH_ARM, mode(CS_MODE_ARM | CS_MODE_V8), view, explained};
constexpr CapstoneSpec arm_big{CS_ARCH_ARM, mode(CS_MODE_ARM | CS_MODE_V8 | big), view, explained};
constexpr CapstoneSpec thumb_little{CS_ARCH_ARM, mode(CS_MODE_THUMB | CS_MODE_V8), view, thumb_explained};
constexpr CapstoneSpec thumb_big{CS_ARCH_ARM, mode(CS_MODE_THUMB | CS_MODE_V8 | big), view, thumb_explained};

}  // namespace

const CapstoneSpec& capstone_spec(bool thumb, bool big_endian_code) {
  if (thumb) return big_endian_code ? thumb_big : thumb_little;
  return big_endian_code ? arm_big : arm_little;
}

}  // namespace trapline::arm_arch
