# SPDX-License-Identifier: Apache-2.0
# A loop whose number of turns is in memory: the path goes through it once and lists it, with the cost of one turn.
# Imitates the copy of user arguments in MIPS handle_sys (Linux 6.1).
#= vmlinux loongarch64
#= handle_lasx: exception-entry, paths 1, infeasible 0, nodes 12, instructions 12
#=   path either partial: exception-return either at +0x2c copy+0x1c
#=     insns 12  loads 4/4/28  stores 3/3/24  frame 2/2  branches 0/1
#=     load 4, store 3, branch 1, return 1, other 3
#=     +0x1c not taken
#=     loop +0x10 uncounted: 4 insns, 1 loads, 1 stores a turn
#=   loop +0x10 uncounted: 4 insns, 1 loads, 1 stores a turn
    .text
    .globl handle_lasx
handle_lasx:
    addi.d  $sp, $sp, -320
    st.d    $t0, $sp, 96
    st.d    $t1, $sp, 104
    ld.w    $t0, $tp, 24
copy:
    ldx.d   $t1, $tp, $t0
    stx.d   $t1, $tp, $t0
    addi.d  $t0, $t0, -8
    bnez    $t0, copy
    ld.d    $t1, $sp, 104
    ld.d    $t0, $sp, 96
    addi.d  $sp, $sp, 320
    ertn
