# SPDX-License-Identifier: Apache-2.0
# s4 is saved with a store of 32 bits: its upper half comes back as whatever lay in the slot.
# Made up: st.w where LONG_S was meant.
#! error slot-mismatch handle_reserved at save_s4: registers s4; slots PT_R27
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE    23, 24, 25, 26, 28, 29, 30, 31
save_s4:
    st.w    $s4, $sp, 8 * 27
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
