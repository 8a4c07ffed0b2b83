# SPDX-License-Identifier: Apache-2.0
# A jump to a function that is to return to an address of the routine, which no call pushed.
# Made up.
#: args --entry tail
#! warning link-stack-imbalance tail at tail_link
    .text
    .globl tail
    .type tail, @function
tail:
    mflr    12
    bcl     20, 31, 1f
1:  mflr    4
    addi    4, 4, 2f - 1b
tail_link:
    mtlr    4
    b       callee
2:  mtlr    12
    blr
    .size tail, .-tail
    .globl callee
    .type callee, @function
callee:
    li      3, 0
    blr
    .size callee, .-callee
