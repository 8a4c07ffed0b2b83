# SPDX-License-Identifier: Apache-2.0
# A loop whose eight turns follow from a constant is part of the path: it is walked eight times.
# Imitates the branch-history loop of ARM's vector stubs (`mov r8, #8`, Linux 6.1).
#= vmlinux loongarch64
#= handle_lsx: exception-entry, paths 1, infeasible 0, nodes 12, instructions 12
#=   path either partial: exception-return either at +0x2c handle_lsx+0x2c
#=     insns 40  loads 10/10/80  stores 2/2/16  frame 2/2  branches 15/1
#=     load 10, store 2, branch 16, return 1, other 11
#=     loop +0x10 turns 8: 4 insns, 1 loads, 0 stores a turn
    .text
    .globl handle_lsx
handle_lsx:
    addi.d  $sp, $sp, -320
    st.d    $t0, $sp, 96
    st.d    $t1, $sp, 104
    ori     $t0, $zero, 8
1:  b       2f
2:  ld.d    $t1, $tp, 16
    addi.d  $t0, $t0, -1
    bnez    $t0, 1b
    ld.d    $t1, $sp, 104
    ld.d    $t0, $sp, 96
    addi.d  $sp, $sp, 320
    ertn
