# SPDX-License-Identifier: Apache-2.0
# A call of panic does not come back: the path ends at the call, what follows belongs to no path.
# Imitates the bad-stack checks of exception entries (RISC-V handle_kernel_stack_overflow, Linux 6.6).
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
