# SPDX-License-Identifier: Apache-2.0
# a3 is loaded from the slot of a4 and still holds it at the return. That a3 was loaded from another slot before, for
# use as a scratch register, is no mistake.
# Made up: an offset off by one.
#! error slot-mismatch handle_reserved at load_a3: registers a3; slots PT_R8
#! note redundant-restore handle_reserved: slots PT_PRMD
#! note redundant-restore handle_reserved: slots PT_R8
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
    ld.d    $a3, $sp, PT_PRMD
    andi    $a3, $a3, 3
    beqz    $a3, 8f
    RESTORE 21
8:  ld.d    $a3, $sp, PT_ERA
    csrwr   $a3, ERA
    ld.d    $a3, $sp, PT_PRMD
    csrwr   $a3, PRMD
    RESTORE 1, 4, 5, 6, 8, 9, 10, 11, 2, 22
load_a3:
    ld.d    $a3, $sp, 8 * 8
    RETURN
    FUNCTIONS do_reserved
