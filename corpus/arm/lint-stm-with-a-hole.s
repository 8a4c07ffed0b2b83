@ SPDX-License-Identifier: Apache-2.0
@ r4 is left out of a multiple store, which puts every register behind it into the slot of its neighbour; nothing is
@ stored for r12.
@ Made up: one register struck from a list.
@! error slot-mismatch __irq_usr at save: registers r5 r6 r7 r8 r9 r10 r11 r12; slots S_R4 S_R5 S_R6 S_R7 S_R8 S_R9 S_R10 S_FP
@! warning slot-not-saved __irq_usr: registers r12; slots S_IP
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    sub     sp, sp, #PT_REGS_SIZE
save:
    stmib   sp, {r1 - r3, r5 - r12}
    ldmia   r0, {r3 - r5}
    add     r0, sp, #S_PC
    mvn     r6, #0
    str     r3, [sp, #S_R0]
    stmia   r0, {r4 - r6}
    stmdb   r0, {sp, lr}^
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
