@ SPDX-License-Identifier: Apache-2.0
@ The choice of the return is made by the slot of r7, the number of the call; rt_sigreturn (173) has overwritten it with
@ the r7 that the handler interrupted, so that the partial return may follow it.
@ Made up; the ARM kernel reloads everything on both returns.
@! error guard-overwritten vector_swi: slots S_R7
@! error sigreturn-incomplete vector_swi: registers r4 r5 r6 r7 r8 r9 r11; slots S_R4 S_R5 S_R6 S_R7 S_R8 S_R9 S_FP
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI r10
    bl      do_call
    ldr     r10, [sp, #S_R7]
    cmp     r10, #173
    beq     1f
    ldr     r1, [sp, #S_PSR]            @ r4-r9 and r11 are preserved by C
    msr     spsr_cxsf, r1
    add     r1, sp, #S_SP
    ldmia   r1, {sp, lr}^
    nop
    ldr     lr, [sp, #S_PC]
    ldr     r10, [sp, #40]
    ldr     r12, [sp, #48]
    ldmib   sp, {r1 - r3}
    RETURN
1:  RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_call
