# SPDX-License-Identifier: Apache-2.0
# A word that is no instruction lies on the path to the kernel; the one to user mode is whole.
# Made up: a wrong .word in a macro.
#! warning undecoded handle_vint at bad_word
#! note redundant-restore handle_vint: slots PT_PRMD
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    ld.d    $t0, $sp, PT_PRMD
    andi    $t0, $t0, 3
    bnez    $t0, 1f
bad_word:
    .word   0xffffffff
1:  RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint
