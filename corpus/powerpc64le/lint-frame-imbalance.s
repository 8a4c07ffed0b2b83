# SPDX-License-Identifier: Apache-2.0
# The kernel stack pointer is taken back by arithmetic on the way to the kernel, by less than the entry took.
# Made up.
#! error frame-imbalance hardware_interrupt_common
    .include "frame.inc"
    .text
    .globl hardware_interrupt_common
hardware_interrupt_common:
    andi.   10, 12, 0x4000
    bne     from_user
    mr      10, 1
    addi    1, 1, -0x400
    std     10, 0(1)
    std     11, PT_NIP(1)
    std     12, PT_MSR(1)
    std     9, PT_CCR(1)
    SAVE    0, 3, 4, 5, 6, 7, 8
    .irp    n, 9, 10, 11, 12
    ld      10, PACA_SAVED_R9 + 8 * (\n - 9)(13)
    std     10, REGS + 8 * \n(1)
    .endr
    mflr    10
    std     10, PT_LNK(1)
    ld      10, PACA_SAVED_R9 + 8 * 5(13)
    std     10, PT_CTR(1)
    mfxer   10
    std     10, PT_XER(1)
    addi    3, 1, REGS
    bl      do_IRQ
    RETURN_STATE
    RESTORE_CTR_XER
    ld      12, PT_LNK(1)
    mtlr    12
    ld      12, PT_CCR(1)
    mtcr    12
    RESTORE 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    addi    1, 1, 0x300
    rfid
from_user:
    bl      panic
    FUNCTIONS do_IRQ, panic
