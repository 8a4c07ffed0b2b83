# SPDX-License-Identifier: Apache-2.0
# Look-alike: s0-s8 are reloaded only on the way to user mode. Nothing changed them: C preserves them.
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
    beqz    $t0, 1f
    RESTORE_STATIC
1:  RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint
