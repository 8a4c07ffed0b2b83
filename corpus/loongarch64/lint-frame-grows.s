# SPDX-License-Identifier: Apache-2.0
# Each time work is found, 16 bytes stay on the stack before the path starts anew at `resume`.
# Made up: the work loop of an older exit with an unbalanced push.
#! note thread-flags-mask handle_vint at resume: bits 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
#! error frame-imbalance handle_vint
#! warning slot-not-saved handle_vint at restore+0x54: registers u0; slots PT_R21
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
resume:
    ld.w    $t0, $tp, 8
    beqz    $t0, restore
    move    $a0, $sp
    addi.d  $sp, $sp, -16
    bl      do_notify_resume
    b       resume
restore:
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint, do_notify_resume
