@ SPDX-License-Identifier: Apache-2.0
@ r8 is left out of a multiple load, which moves every register below it to the slot of its neighbour. r8 itself is as
@ it was: C preserves it.
@ Made up: one register struck from a list.
@! error slot-mismatch __irq_usr at restore: registers r0 r1 r2 r3 r4 r5 r6 r7; slots S_R1 S_R2 S_R3 S_R4 S_R5 S_R6 S_R7 S_R8
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    RETURN_STATE
restore:
    ldmdb   r2, {r0 - r7, r9 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
