# SPDX-License-Identifier: Apache-2.0
# Each time work is found, 16 bytes stay on the stack before the path starts anew at `resume`.
# Made up: the work loop of an older exit with an unbalanced push.
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
