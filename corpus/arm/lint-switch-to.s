@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the switch of tasks ends in the next task: other callee-saved registers, another stack pointer, another
@ return address, all loaded at once.
@ Imitates __switch_to of Linux 6.1.
@! none
    .include "frame.inc"
    .text
    .globl __switch_to
    .type __switch_to, %function
__switch_to:
    add     ip, r1, #28
    stmia   ip!, {r4 - r11}
    str     sp, [ip], #4
    str     lr, [ip], #4
    mcr     p15, 0, r2, c13, c0, 3
    add     r4, r2, #28
    ldmia   r4, {r4 - r11, sp, pc}
