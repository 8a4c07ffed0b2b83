# SPDX-License-Identifier: Apache-2.0
# u0 is not reloaded on any path: right for the kernel, whose per-CPU base it is, wrong for user mode.
# Made up: RESTORE_SOME without its test.
#! warning kernel-value-leak handle_vint: registers u0
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    RESTORE_STATIC
    RESTORE_TEMP
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, ERA
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, PRMD
    RESTORE 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 22
    RETURN
    FUNCTIONS do_vint
