@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: two words with the fifth and sixth argument lie below the frame, and every offset is larger by 8.
@ Storing the result with write-back takes them off again.
@ Imitates ret_fast_syscall and fast_work_pending of Linux 6.1.
@: each ^(sub|stm|add|str (lr|r8)|mrs|ldr r1, \[r2|ldr lr|msr|ldm|str r0, \[sp, #0x8\])
@! note thread-flags-mask vector_swi at vector_swi+0x30: bits 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    mrc     p15, 0, r9, c13, c0, 3
    stmdb   sp!, {r4, r5}
    bl      do_call
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    bne     1f
    mov     r2, sp
    ldr     r1, [r2, #8 + S_PSR]
    ldr     lr, [r2, #8 + S_PC]!
    msr     spsr_cxsf, r1
    ldmdb   r2, {r1 - lr}^
    nop
    add     sp, sp, #8 + PT_REGS_SIZE
    movs    pc, lr
1:  str     r0, [sp, #8]!
    CALL    do_work_pending
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_call, do_work_pending
