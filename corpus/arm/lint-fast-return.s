@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: r0 goes to the user as C left it (it is the result, and after rt_sigreturn C returns the interrupted r0);
@ r1-r12 and the user's banked sp and lr come back in one load. A status that is no user's ends in a trap.
@ Imitates ret_fast_syscall of Linux 6.1.
@: each ^(sub|stm|add|str (lr|r8)|mrs|ldr (r1|lr),|msr|ldm)
@! none
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    bl      do_call
    mov     r2, sp
    ldr     r1, [r2, #S_PSR]
    ldr     lr, [r2, #S_PC]!
    tst     r1, #0x8f
    bne     1f
    msr     spsr_cxsf, r1
    ldmdb   r2, {r1 - lr}^
    nop
    RETURN
1:  udf     #0
    FUNCTIONS do_call
