# SPDX-License-Identifier: Apache-2.0
# The return address is put into ra by hand and C is entered by a jump: that is a call that returns to restore_all.
# Imitates RISC-V's `la ra, ret_from_exception; jr t0` (Linux 6.1), written for LoongArch.
#= vmlinux loongarch64
#= handle_fpu: exception-entry, paths 1, infeasible 0, nodes 13, instructions 13
#=   path either partial: exception-return either at +0x34 restore_all+0xc
#=     insns 13  loads 2/2/16  stores 2/2/16  frame 2/2  branches 1/0  calls 1/1
#=     load 2, store 2, branch 1, return 1, other 7
#=     call +0x20 do_fpu
    .text
    .globl handle_fpu
handle_fpu:
    addi.d  $sp, $sp, -320
    st.d    $ra, $sp, 8
    st.d    $a0, $sp, 32
    move    $a0, $sp
    la.pcrel $ra, restore_all
    la.pcrel $t0, do_fpu
    jr      $t0
    .word   0                       # never reached
restore_all:
    ld.d    $a0, $sp, 32
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 320
    ertn

    .globl do_fpu
    .type do_fpu, @function
do_fpu:
    ret
