@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the multiple store writes r0, which points to the saved words, into the slot of r0; the interrupted r0
@ follows. Only what the slot holds in the end counts.
@! none
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    sub     sp, sp, #PT_REGS_SIZE
    stmia   sp, {r0 - r12}
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
