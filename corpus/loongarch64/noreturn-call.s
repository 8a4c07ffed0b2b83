# SPDX-License-Identifier: Apache-2.0
# A call of panic does not come back: the path ends at the call, what follows belongs to no path.
# Imitates the bad-stack checks of exception entries (RISC-V handle_kernel_stack_overflow, Linux 6.6).
#= vmlinux loongarch64
#= handle_ade: exception-entry, paths 2, infeasible 0, nodes 8, instructions 8
#=   path either partial: exception-return either at +0x20 handle_ade+0x20
#=     insns 5  loads 1/1/8  stores 1/1/8  frame 1/1  branches 1/0
#=     load 1, store 1, branch 1, return 1, other 1
#=     +0x8 taken
#=   path no-return panic: no-return at +0x14 handle_ade+0x14
#=     insns 6  stores 1/1/8  frame 0/1  branches 0/1  calls 1/0
#=     store 1, branch 1, call 1, other 3
#=     +0x8 not taken
#=     call +0x14 panic
    .text
    .globl handle_ade
handle_ade:
    st.d    $a0, $sp, -8
    srli.d  $a0, $sp, 60
    bnez    $a0, 1f
    la.pcrel $a0, message
    bl      panic
    .word   0xffffffff
1:  ld.d    $a0, $sp, -8
    ertn

    .globl panic
    .type panic, @function
panic:
    b       .
    .data
message:
    .asciz "bad stack"
