# SPDX-License-Identifier: Apache-2.0
# The multiple load of r14-r31 begins one word too high: each register gets the slot of the next one, r31 the saved NIP.
# Imitates REST_NVGPRS of 32-bit Linux with a wrong offset.
#! error slot-mismatch interrupt_return at restore: registers r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 r30 r31; slots PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20 PT_R21 PT_R22 PT_R23 PT_R24 PT_R25 PT_R26 PT_R27 PT_R28 PT_R29 PT_R30 PT_R31 PT_NIP
    .equ REGS, 16
    .text
    .globl interrupt_return
interrupt_return:
    addi    3, 1, REGS
    bl      interrupt_exit_prepare
    lwz     3, REGS + 128(1)
    lwz     4, REGS + 132(1)
    mtspr   26, 3
    mtspr   27, 4
restore:
    lmw     14, REGS + 4 * 15(1)
    lwz     4, REGS + 140(1)
    mtctr   4
    lwz     4, REGS + 144(1)
    mtlr    4
    lwz     4, REGS + 148(1)
    mtxer   4
    lwz     4, REGS + 152(1)
    mtcr    4
    .irp    n, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1
    lwz     \n, REGS + 4 * \n(1)
    .endr
    rfi
    .irp    name, interrupt_exit_prepare     # what would be C: goes on where nobody can see
    .type \name, @function
\name:
    lwz     12, 0(3)
    mtctr   12
    bctr
    .endr
