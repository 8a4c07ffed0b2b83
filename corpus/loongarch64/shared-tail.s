# SPDX-License-Identifier: Apache-2.0
# Two entries, one exit: each routine owns the shared instructions in full.
# Imitates the exits that the handlers of Linux 6.1 share with ret_from_exception on RISC-V.
#= vmlinux loongarch64
#= handle_ade: exception-entry, paths 1, infeasible 0, nodes 7, instructions 7
#=   path either partial: exception-return either at +0x28 shared_exit+0x8
#=     insns 7  loads 1/1/8  stores 1/1/8  frame 1/1  branches 1/0
#=     load 1, store 1, branch 1, return 1, other 3
#= handle_bce: exception-entry, paths 1, infeasible 0, nodes 7, instructions 7
#=   path either partial: exception-return either at +0x18 shared_exit+0x8
#=     insns 7  loads 2/2/16  stores 2/2/16  frame 2/2
#=     load 2, store 2, return 1, other 2
    .text
    .globl handle_ade
handle_ade:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    ori     $a0, $zero, 1
    b       shared_exit
    .globl handle_bce
handle_bce:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    st.d    $a1, $sp, 40
    ld.d    $a1, $sp, 40
shared_exit:
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
