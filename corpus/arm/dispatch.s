@ SPDX-License-Identifier: Apache-2.0
@ The return address is put into lr and the handler is loaded into pc when the number is in range: a call that returns to
@ ret_fast_syscall. Out of range the same address in lr makes the branch to arm_syscall a call as well.
@ Imitates the dispatch of vector_swi, Linux 6.1.
    .syntax unified
    .arch   armv7-a
    .text
    .globl vector_swi
    .type vector_swi, %function
vector_swi:
    sub     sp, sp, #72
    stmia   sp, {r0 - r12}
    mrs     r8, spsr
    str     r8, [sp, #64]
    adr     lr, ret_fast_syscall
    cmp     r7, #400
    ldrcc   pc, [r9, r7, lsl #2]
    b       arm_syscall
ret_fast_syscall:
    ldr     r1, [sp, #64]
    msr     spsr_fsxc, r1
    ldmia   sp, {r0 - r12}
    add     sp, sp, #72
    movs    pc, lr

    .type arm_syscall, %function
arm_syscall:
    bx      lr
