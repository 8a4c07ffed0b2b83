// SPDX-License-Identifier: Apache-2.0
//
// What Capstone 4 says of ARM and Thumb branches, and where it is known to differ.
#include "disasm/arch/arm/second_decoder.h"

#include <algorithm>
#include <array>

namespace trapline::arm_arch {
namespace {

bool is_register(const cs_arm_op& op, int reg) { return op.type == ARM_OP_REG && op.reg == reg; }

// An instruction that writes the program counter without being a branch.
InsnView computed_jump(const cs_insn& insn, InsnView v) {
  const cs_arm& arm = insn.detail->arm;
  const bool through_stack =
      arm.op_count > 1 && (arm.operands[1].type == ARM_OP_MEM && arm.operands[1].mem.base == ARM_REG_SP);
  const bool load_multiple =
      insn.id == ARM_INS_LDM || insn.id == ARM_INS_LDMDA || insn.id == ARM_INS_LDMDB || insn.id == ARM_INS_LDMIB;
  if (load_multiple && arm.usermode) {
    v.flow = FlowKind::exception_return;
  } else if (load_multiple) {
    v.flow = is_register(arm.operands[0], ARM_REG_SP) ? FlowKind::ret : FlowKind::indirect_jump;
  } else if (insn.id == ARM_INS_POP || (insn.id == ARM_INS_LDR && through_stack)) {
    v.flow = FlowKind::ret;
  } else if (arm.update_flags) {
    v.flow = FlowKind::exception_return;
  } else if (insn.id == ARM_INS_MOV && is_register(arm.operands[1], ARM_REG_LR)) {
    v.flow = FlowKind::ret;
  } else {
    v.flow = FlowKind::indirect_jump;
  }
  return v;
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
  const bool writes_pc = std::any_of(arm.operands, arm.operands + arm.op_count, [](const cs_arm_op& op) {
    return is_register(op, ARM_REG_PC) && (op.access & CS_AC_WRITE) != 0;
  });
  return writes_pc ? computed_jump(insn, v) : v;
}

// ldc2 and stc2; mcr and mrc of coprocessor 10
constexpr std::array coprocessors = std::to_array<WordPattern>({{0xfe000000, 0xfc000000}, {0x0f000f10, 0x0e000a10}});
constexpr std::array other_stack = std::to_array<WordPattern>({{0x0e508000, 0x08108000}});

using enum DifferenceKind;
constexpr std::array explained = std::to_array<ExplainedClass>({
    {"arm-coprocessors", undecoded_there, "trapline",
     "Capstone, asked for ARMv8, refuses coprocessor instructions that ARMv8 took away. The kernel has some for cores "
     "with iWMMXt registers (ldc2, stc2) and for the performance monitor of Krait (mcr and mrc of coprocessor 10).",
     "ARM DDI 0406C, A8.8 (LDC2, STC2, MCR, MRC)", coprocessors},
    {"arm-ldm-pc", flow, "both",
     "ldm with pc in its list and a base other than sp. Restoring a saved return address this way is a return for "
     "trapline; the encoding alone says no more than a jump.",
     "ARM DDI 0406C, A8.8 (LDM)", other_stack},
});

constexpr cs_mode mode(unsigned bits) { return static_cast<cs_mode>(bits); }
constexpr unsigned big = static_cast<unsigned>(CS_MODE_BIG_ENDIAN);

constexpr CapstoneSpec arm_little{CS_ARCH_ARM, mode(CS_MODE_ARM | CS_MODE_V8), view, explained};
constexpr CapstoneSpec arm_big{CS_ARCH_ARM, mode(CS_MODE_ARM | CS_MODE_V8 | big), view, explained};
constexpr CapstoneSpec thumb_little{CS_ARCH_ARM, mode(CS_MODE_THUMB | CS_MODE_V8), view, {}};
constexpr CapstoneSpec thumb_big{CS_ARCH_ARM, mode(CS_MODE_THUMB | CS_MODE_V8 | big), view, {}};

}  // namespace

const CapstoneSpec& capstone_spec(bool thumb, bool big_endian_code) {
  if (thumb) return big_endian_code ? thumb_big : thumb_little;
  return big_endian_code ? arm_big : arm_little;
}

}  // namespace trapline::arm_arch
