# SPDX-License-Identifier: Apache-2.0
# a6 comes back from a load of 32 bits: its upper half is the sign of the lower one.
# Made up: ld.w where LONG_L was meant.
#! error slot-mismatch handle_reserved at load_a6: registers a6; slots PT_R10
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
load_a6:
    ld.w    $a6, $sp, 8 * 10
    RETURN
    FUNCTIONS do_reserved
