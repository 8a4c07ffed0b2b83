# SPDX-License-Identifier: Apache-2.0
# Look-alikes: each callee writes PT_R0 in the end, and none can be said to do so before the slot is read: one calls
# another function first, one reads through a pointer that came from memory, one writes half of the slot, one reads it.
# handle_reserved does it itself, behind a load of its own.
# Made up.
#! none
    .include "frame.inc"
    .macro  EXCEPTION name, callee
    .globl  \name
\name:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    st.d    $zero, $sp, 0
    CALL    \callee
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .endm
    .text
    EXCEPTION handle_ade, calls_first
    EXCEPTION handle_ale, reads_somewhere
    EXCEPTION handle_bp, writes_half
    EXCEPTION handle_fpe, reads_first
    .globl  handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    st.d    $zero, $sp, 0
    ld.w    $t0, $sp, 4
    st.d    $r21, $sp, 0
    CALL    elsewhere
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .macro  FUNCTION name
    .type   \name, @function
\name:
    .endm
    FUNCTION calls_first
    addi.d  $sp, $sp, -16
    st.d    $ra, $sp, 8
    st.d    $s0, $sp, 0
    move    $s0, $a0
    bl      elsewhere
    st.d    $zero, $s0, 0
    ld.d    $s0, $sp, 0
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 16
    ret
    FUNCTION reads_somewhere
    ld.d    $t0, $tp, 0
    ld.d    $t0, $t0, 0
    st.d    $zero, $a0, 0
    ret
    FUNCTION writes_half
    st.w    $zero, $a0, 0
    ret
    FUNCTION reads_first
    ld.d    $t0, $a0, 0
    addi.d  $t0, $t0, 1
    st.d    $t0, $a0, 0
    ret
    FUNCTIONS elsewhere
