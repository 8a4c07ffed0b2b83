# SPDX-License-Identifier: Apache-2.0
# Two that pop what nobody pushed: a function called with blrl, which is a return as well; blr as a jump to an address of
# the routine.
# Imitates ret_from_kernel_thread before 5.8 (89bbe4c798bc mended it); the other is made up.
#: args --entry ret_from_kernel_thread --entry go_on
#: sweep found 2, exempt 1, balanced 1
#! warning link-stack-imbalance ret_from_kernel_thread at thread_function
#! warning link-stack-imbalance go_on at go_on_link
    .text
    .globl ret_from_kernel_thread
    .type ret_from_kernel_thread, @function
ret_from_kernel_thread:
    mtlr    14
    mr      3, 15
thread_function:
    blrl
    li      3, 0
    b       .
    .size ret_from_kernel_thread, .-ret_from_kernel_thread
    .globl go_on
    .type go_on, @function
go_on:
    mflr    12
    bcl     20, 31, 1f
1:  mflr    4
    addi    4, 4, 2f - 1b
go_on_link:
    mtlr    4
    blr
    nop
2:  mtlr    12
    blr
    .size go_on, .-go_on
