@= vmlinux arm
@= vector_swi: syscall-entry, paths 2, infeasible 0, nodes 13, instructions 13
@=   path user partial #1: exception-return user at +0x30 ret_fast_syscall+0x10
@=     insns 12  loads 3/15/60  stores 2/14/56  frame 2/2  branches 1/0  calls 1/1  system 2
@=     load 3, store 2, return 1, system 2, other 4
@=     +0x18 taken
@=     call +0x18 ?
@=   path user partial #2: exception-return user at +0x30 ret_fast_syscall+0x10
@=     insns 13  loads 2/14/56  stores 2/14/56  frame 2/2  branches 1/1  calls 1/0  system 2
@=     load 2, store 2, branch 1, return 1, system 2, other 5
@=     +0x18 not taken
@=     call +0x1c arm_syscall
@= ret_fast_syscall: return-to-user, paths 1, infeasible 0, nodes 5, instructions 5
@=   path user partial: exception-return user at +0x10 ret_fast_syscall+0x10
@=     insns 5  loads 2/14/56  frame 2/0  system 1
@=     load 2, return 1, system 1, other 1
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
