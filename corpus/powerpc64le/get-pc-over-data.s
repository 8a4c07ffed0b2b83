# SPDX-License-Identifier: Apache-2.0
# The older form jumps over a data word whose address it learns. That is a jump as well: the word is on no path.
# Imitates __get_datapage of the vDSO, Linux 5.5, where this form unbalanced the link stack.
#: args --entry __get_datapage
#= vmlinux powerpc64le
#= __get_datapage: user-named, paths 1, infeasible 0, nodes 7, instructions 7
#=   path return: return at +0x1c __get_datapage+0x1c
#=     insns 7  loads 1/1/4  branches 1/0
#=     load 1, call 1, return 1, other 4
    .text
    .globl __get_datapage
    .type __get_datapage, @function
__get_datapage:
    mflr    0
    bcl     20, 31, 2f
1:  .long   0
2:  mflr    3
    mtlr    0
    lwz     0, 0(3)
    add     3, 0, 3
    blr
    .size __get_datapage, .-__get_datapage
