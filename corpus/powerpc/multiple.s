# SPDX-License-Identifier: Apache-2.0
# stmw and lmw move three registers each and are one store and one load.
# Imitates the non-volatile registers of a 32-bit system call (entry_32.S, Linux 5.4).
#: args --entry save_and_restore
#= vmlinux powerpc
#= save_and_restore: user-named, paths 1, infeasible 0, nodes 6, instructions 6
#=   path return: return at +0x14 save_and_restore+0x14
#=     insns 6  loads 1/3/12  stores 2/4/16  frame 1/2
#=     load 1, store 2, return 1, other 2
    .text
    .globl save_and_restore
    .type save_and_restore, @function
save_and_restore:
    stwu    1, -32(1)
    stmw    29, 20(1)
    li      29, 0
    lmw     29, 20(1)
    addi    1, 1, 32
    blr
    .size save_and_restore, .-save_and_restore
