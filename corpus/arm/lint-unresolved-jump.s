@ SPDX-License-Identifier: Apache-2.0
@ The way back is read from thread data: where it goes is not known, and nothing is said about it.
@! note unresolved-jump __irq_usr at leave
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    mrc     p15, 0, r9, c13, c0, 3
    CALL    do_irq
    ldr     r3, [r9, #64]
leave:
    bx      r3
    FUNCTIONS do_irq
