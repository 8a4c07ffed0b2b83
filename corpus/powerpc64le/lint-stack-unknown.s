# SPDX-License-Identifier: Apache-2.0
# r1 is what C returned; nothing says that the frame is there. The analysis must admit it.
#! warning lost-track interrupt_return_srr
    .include "frame.inc"
    .text
    .globl interrupt_return_srr
interrupt_return_srr:
    addi    3, 1, REGS
    bl      interrupt_exit_prepare
    mr      1, 3
    RETURN_STATE
    RESTORE_CTR_XER
    RESTORE_NVGPRS
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS interrupt_exit_prepare
