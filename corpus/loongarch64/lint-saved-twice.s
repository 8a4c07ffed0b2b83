# SPDX-License-Identifier: Apache-2.0
# handle_vint saves s0 twice, handle_ade saves over t7 what it does not mean to (and mends it). handle_reserved only looks
# so: a function is called between the stores of s1.
# Made up: macros split badly.
#! note redundant-save handle_vint at twice: slots PT_R23
#! note dead-frame-store handle_ade at dead: slots PT_R19
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
twice:
    st.d    $s0, $sp, 184
    CALL    do_vint
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .globl handle_ade
handle_ade:
    ENTER_EXCEPTION
    SAVE    12, 13, 14, 15, 16, 17, 18, 20
dead:
    st.d    $t8, $sp, 152
    st.d    $t7, $sp, 152
    SAVE_STATIC
    CALL    do_vint
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    st.d    $s1, $sp, 192
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint
