# SPDX-License-Identifier: Apache-2.0
# The return address is put into ra by hand and C is entered by a jump: that is a call that returns to restore_all.
# Imitates RISC-V's `la ra, ret_from_exception; jr t0` (Linux 6.1), written for LoongArch.
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
