@ SPDX-License-Identifier: Apache-2.0
@ Eight turns that follow from a constant are part of the path. The conditional load acts on one of two paths;
@ where its predicate fails it is an instruction and no load.
@ Imitates the mitigation loop of the vector stubs, Linux 6.1.
@: args --entry flush_history
@= vmlinux arm
@= flush_history: user-named, paths 2, infeasible 0, nodes 8, instructions 8
@=   path return #1: return at +0x1c flush_history+0x1c
@=     insns 29  branches 15/1  barriers 1
@=     branch 16, return 1, barrier 1, other 11
@=     +0x18 not taken
@=     loop +0x4 turns 8: 3 insns, 0 loads, 0 stores a turn
@=   path return #2: return at +0x1c flush_history+0x1c
@=     insns 29  loads 1/1/4  branches 15/1  barriers 1
@=     load 1, branch 16, return 1, barrier 1, other 10
@=     +0x18 taken
@=     loop +0x4 turns 8: 3 insns, 0 loads, 0 stores a turn
    .syntax unified
    .arch   armv7-a
    .text
    .globl flush_history
    .type flush_history, %function
flush_history:
    mov     r8, #8
1:  b       2f
2:  subs    r8, r8, #1
    bne     1b
    dsb     nsh
    cmp     r0, #0
    ldrne   r1, [r0]
    bx      lr
    .size flush_history, .-flush_history
