# SPDX-License-Identifier: Apache-2.0
# The stack pointer is what a C function returned; nothing says that the frame is there. The analysis must admit it.
# Imitates a switch of stacks inside an exit path.
#! warning lost-track handle_vint
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    move    $sp, $a0
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint
