# SPDX-License-Identifier: Apache-2.0
# t0 was overwritten before it is saved: its slot, and t0 at the return, hold a word of the kernel's.
# Imitates SAVE_TEMP of Linux 6.1 without the line that reads t0 back from the scratch register.
#! error kernel-register-lost handle_reserved: registers t0
#! warning kernel-value-leak handle_reserved: registers t0
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    csrrd   $t0, PERCPU
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
