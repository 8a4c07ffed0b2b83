# SPDX-License-Identifier: Apache-2.0
# Three returns without an end: one runs into a word that is no instruction, one jumps to what the PACA says, one runs
# out of the section.
# Made up.
#! warning undecoded interrupt_return_srr at bad_word
#! note unresolved-jump interrupt_return_hsrr at leave
#! warning falls-off-end fast_interrupt_return_srr
    .include "frame.inc"
    .text
    FUNCTIONS interrupt_exit_prepare
    .globl interrupt_return_srr
interrupt_return_srr:
    addi    3, 1, REGS
    bl      interrupt_exit_prepare
bad_word:
    .long   0
    .globl interrupt_return_hsrr
interrupt_return_hsrr:
    ld      10, 0x200(13)
    mtctr   10
leave:
    bctr
    .globl fast_interrupt_return_srr
fast_interrupt_return_srr:
    RETURN_STATE
