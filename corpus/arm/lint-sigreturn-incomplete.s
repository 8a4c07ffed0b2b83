@ SPDX-License-Identifier: Apache-2.0
@ r8 is not reloaded. C preserves it, so that an ordinary call returns with the user's r8; but every call may have been
@ rt_sigreturn, after which r8 must be what the signal handler interrupted. That r0 stays as C left it is right.
@ Made up.
@! error sigreturn-incomplete vector_swi: registers r8; slots S_R8
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI r10
    bl      do_call
    mov     r2, sp
    ldr     r1, [r2, #S_PSR]
    msr     spsr_cxsf, r1
    add     r1, sp, #S_SP
    ldmia   r1, {sp, lr}^
    nop
    ldr     lr, [sp, #S_PC]
    add     r12, sp, #36
    ldmia   r12, {r9 - r12}
    ldmib   sp, {r1 - r7}
    RETURN
    FUNCTIONS do_call
