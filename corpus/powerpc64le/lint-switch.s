# SPDX-License-Identifier: Apache-2.0
# Look-alike: the switch of tasks returns on the next task's stack, with its callee-saved registers and its LR.
# Imitates _switch of Linux 6.1.
#! none
    .include "frame.inc"
    .text
    .globl _switch
    .type _switch, @function
_switch:
    mflr    0
    std     0, 16(1)
    stdu    1, -0x200(1)
    SAVE_NVGPRS
    mfcr    23
    std     23, PT_CCR(1)
    std     0, PT_NIP(1)
    std     1, 0(3)
    ld      8, 0(4)
    std     4, 0x900(13)
    mr      1, 8
    ld      6, PT_CCR(1)
    mtcr    6
    RESTORE_NVGPRS
    ld      7, PT_NIP(1)
    mtlr    7
    addi    1, 1, 0x200
    blr
