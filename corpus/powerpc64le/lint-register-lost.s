# SPDX-License-Identifier: Apache-2.0
# r14 carries a flag while the interrupt is served and is reloaded on the way to user mode only.
# Made up.
#! error kernel-register-lost interrupt_return_srr: registers r14
#! note redundant-restore interrupt_return_srr: slots PT_MSR
    .include "frame.inc"
    .text
    .globl interrupt_return_srr
interrupt_return_srr:
    li      14, 1
    addi    3, 1, REGS
    bl      interrupt_exit_prepare
    RETURN_STATE
    RESTORE_CTR_XER
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      12, PT_MSR(1)
    andi.   12, 12, 0x4000
    beq     2f
    RESTORE_NVGPRS
    RETURN  12
2:  ld      12, PT_LNK(1)
    mtlr    12
    ld      12, PT_CCR(1)
    mtcr    12
    RESTORE 12, 1
    rfid
    FUNCTIONS interrupt_exit_prepare
