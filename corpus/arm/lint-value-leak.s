@ SPDX-License-Identifier: Apache-2.0
@ r3 is not reloaded after C: the interrupted program finds the kernel's.
@ Made up.
@! warning kernel-value-leak __irq_usr: registers r3
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    ldr     r1, [sp, #S_PSR]
    msr     spsr_cxsf, r1
    add     r1, sp, #S_SP
    ldmia   r1, {sp, lr}^
    nop
    ldr     lr, [sp, #S_PC]
    add     r12, sp, #16
    ldmia   r12, {r4 - r12}
    ldmia   sp, {r0 - r2}
    RETURN
    FUNCTIONS do_irq
