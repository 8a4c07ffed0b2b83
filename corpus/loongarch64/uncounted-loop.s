# SPDX-License-Identifier: Apache-2.0
# A loop whose number of turns is in memory: the path goes through it once and lists it, with the cost of one turn.
# Imitates the copy of user arguments in MIPS handle_sys (Linux 6.1).
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
