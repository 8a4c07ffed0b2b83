@ SPDX-License-Identifier: Apache-2.0
@ The slot of r0 gets the address of the saved words instead of the interrupted r0: a kernel address reaches user mode.
@ Made up: the store that should follow is missing.
@! warning kernel-value-leak __irq_usr: registers r0
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    sub     sp, sp, #PT_REGS_SIZE
    stmia   sp, {r0 - r12}
    ldmia   r0, {r3 - r5}
    add     r0, sp, #S_PC
    mvn     r6, #0
    stmia   r0, {r4 - r6}
    stmdb   r0, {sp, lr}^
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
