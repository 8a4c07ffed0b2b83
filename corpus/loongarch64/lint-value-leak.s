# SPDX-License-Identifier: Apache-2.0
# t5 is saved, but not restored behind the call: a user program finds what C left in it, and so does kernel code that
# was interrupted.
# Made up: RESTORE_TEMP without a line.
#! error kernel-register-lost handle_reserved: registers t5
#! warning kernel-value-leak handle_reserved: registers t5
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE 12, 13, 14, 15, 16, 18, 19, 20
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
