# SPDX-License-Identifier: Apache-2.0
# An exception must bring every register back: t5 and t6 are loaded from slots that nothing stored.
# Made up: SAVE_TEMP without two lines.
#! warning slot-not-saved handle_reserved: registers t5 t6; slots PT_R17 PT_R18
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE    12, 13, 14, 15, 16, 19, 20
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
