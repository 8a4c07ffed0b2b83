# SPDX-License-Identifier: Apache-2.0
# __get_datapage of 2019: the branch by which it learns its own address stepped over a data word, and pushed an address
# that no blr pops; the same branch to the next instruction is exempt. The cost is the same, the finding is gone.
#: args --entry __kernel_get_tbfreq
#~ __kernel_get_tbfreq changed
#~   return: at the same cost
#~ fixed warning link-stack-imbalance __kernel_get_tbfreq
    .text
    .globl  __kernel_get_tbfreq
    .type   __kernel_get_tbfreq, @function
__kernel_get_tbfreq:
    mflr    12
    .ifdef AFTER
    bcl     20, 31, .+4
    .else
    bcl     20, 31, .+8
    .long   0
    .endif
    mflr    3
    mtlr    12
    ld      3, 64(3)
    blr
