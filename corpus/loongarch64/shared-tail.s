# SPDX-License-Identifier: Apache-2.0
# Two entries, one exit: each routine owns the shared instructions in full.
# Imitates the exits that the handlers of Linux 6.1 share with ret_from_exception on RISC-V.
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
