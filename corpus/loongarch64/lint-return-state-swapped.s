# SPDX-License-Identifier: Apache-2.0
# The saved address goes into PRMD and the saved status into ERA.
# Made up: two slot names exchanged in RESTORE_SOME.
#! error slot-mismatch handle_reserved: registers ERA; slots PT_PRMD
#! error slot-mismatch handle_reserved: registers PRMD; slots PT_ERA
#! note redundant-restore handle_reserved: slots PT_PRMD
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
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 8f
    RESTORE 21
8:  ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, ERA
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, PRMD
    RESTORE 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 22
    RETURN
    FUNCTIONS do_reserved
