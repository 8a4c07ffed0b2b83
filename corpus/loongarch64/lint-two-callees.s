# SPDX-License-Identifier: Apache-2.0
# t5 is not reloaded. The last call before the return is in the image and leaves t5 alone; the one before it does not.
# Made up: ARM's exit with user_enter_callable behind the interrupt handler.
#! error kernel-register-lost handle_vint: registers t5
#! warning kernel-value-leak handle_vint: registers t5
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    bl      leave_context
    RESTORE_STATIC
    RESTORE 12, 13, 14, 15, 16, 18, 19, 20
    RESTORE_SOME
    RETURN
    .type leave_context, @function
leave_context:
    st.d    $zero, $r21, 64
    ret
    FUNCTIONS do_vint
