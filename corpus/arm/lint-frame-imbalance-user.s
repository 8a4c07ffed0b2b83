@ SPDX-License-Identifier: Apache-2.0
@ The return to user mode takes the frame off the stack, but not the two words with the fifth and sixth argument below
@ it: the next entry finds less stack.
@ Imitates ret_fast_syscall of Linux 6.1 without S_OFF in its last addition.
@! error frame-imbalance vector_swi
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    stmdb   sp!, {r4, r5}
    bl      do_call
    mov     r2, sp
    ldr     r1, [r2, #8 + S_PSR]
    ldr     lr, [r2, #8 + S_PC]!
    msr     spsr_cxsf, r1
    ldmdb   r2, {r1 - lr}^
    nop
    add     sp, sp, #PT_REGS_SIZE
    movs    pc, lr
    FUNCTIONS do_call
