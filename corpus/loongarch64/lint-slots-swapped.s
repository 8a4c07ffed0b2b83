# SPDX-License-Identifier: Apache-2.0
# s2 is saved in the slot of s3 and s3 in that of s2: both come back exchanged, and so ptrace shows them.
# Made up: two offsets exchanged in SAVE_STATIC.
#! error slot-mismatch handle_reserved at save_s2: registers s2; slots PT_R26
#! error slot-mismatch handle_reserved at save_s3: registers s3; slots PT_R25
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE    23, 24, 27, 28, 29, 30, 31
save_s2:
    st.d    $s2, $sp, 8 * 26
save_s3:
    st.d    $s3, $sp, 8 * 25
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
