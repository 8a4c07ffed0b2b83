# SPDX-License-Identifier: Apache-2.0
# Zero is saved in the slot of t3. Nothing leaks, but an exception must bring t3 back.
# Imitates entry_INT80_compat of x86 before 2018, which pushed zeros for r8-r11.
#! error kernel-register-lost handle_reserved: registers t3
#! warning kernel-value-leak handle_reserved: registers t3
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE    12, 13, 14, 16, 17, 18, 19, 20
    st.d    $zero, $sp, 8 * 15
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
