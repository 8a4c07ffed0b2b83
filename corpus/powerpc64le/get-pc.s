# SPDX-License-Identifier: Apache-2.0
# `bcl 20,31` to the next instruction learns the own address: a jump that sets the link register, and no call. The
# caller's link register is kept in r0 meanwhile. Imitates __get_datapage of the vDSO, Linux 5.6.
#: args --entry __get_datapage
#= vmlinux powerpc64le
#= __get_datapage: user-named, paths 1, infeasible 0, nodes 8, instructions 8
#=   path return: return at +0x1c __get_datapage+0x1c
#=     insns 8  loads 1/1/4  branches 1/0
#=     load 1, call 1, return 1, other 5
    .text
    .globl __get_datapage
    .type __get_datapage, @function
__get_datapage:
    mflr    0
    bcl     20, 31, 1f
1:  mflr    3
    mtlr    0
    addi    3, 3, 0x10
    lwz     0, 0(3)
    add     3, 0, 3
    blr
    .size __get_datapage, .-__get_datapage
