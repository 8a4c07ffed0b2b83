# SPDX-License-Identifier: Apache-2.0
# A function returns early without taking its frame off the stack.
# Made up.
#: args --entry sum_of --entry sum_kept
#! error frame-imbalance sum_of
    .text
    .globl sum_of
    .type sum_of, @function
sum_of:
    addi.d  $sp, $sp, -32
    st.d    $ra, $sp, 24
    st.d    $s0, $sp, 16
    beqz    $a0, 1f
    move    $s0, $a1
    bl      helper
    add.d   $a0, $a0, $s0
    ld.d    $s0, $sp, 16
    ld.d    $ra, $sp, 24
    addi.d  $sp, $sp, 32
1:  ret
    # Look-alike: the stack pointer comes back from a callee-saved register, whatever was taken from the stack.
    .globl sum_kept
    .type sum_kept, @function
sum_kept:
    addi.d  $sp, $sp, -16
    st.d    $ra, $sp, 8
    st.d    $fp, $sp, 0
    addi.d  $fp, $sp, 16
    sub.d   $sp, $sp, $a0
    bl      helper
    addi.d  $sp, $fp, -16
    ld.d    $fp, $sp, 0
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 16
    ret
    .type helper, @function
helper:
    ret
