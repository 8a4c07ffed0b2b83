# SPDX-License-Identifier: Apache-2.0
# t0 is not read back from the scratch register before it is saved: bits of the status are saved, and come back, as t0.
# Imitates SAVE_TEMP of Linux 6.1 without the line that reads t0.
#! error kernel-register-lost handle_reserved: registers t0
#! warning kernel-value-leak handle_reserved: registers t0
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    csrrd   $t0, PRMD
    andi    $t0, $t0, 3
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
