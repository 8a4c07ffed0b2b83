# SPDX-License-Identifier: Apache-2.0
# s0 serves as a scratch register and is reloaded only on the way to user mode; the kernel code that was interrupted
# resumes with another s0. That u0 is not reloaded there is right: it is the kernel's own.
# Made up: a faster way back to the kernel, as ret_from_irq of older architectures had.
#! error kernel-register-lost handle_vint: registers s0
#! note redundant-restore handle_vint: slots PT_PRMD
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    move    $s0, $sp
    CALL    do_vint
    ld.d    $t0, $sp, PT_PRMD
    andi    $t0, $t0, 3
    beqz    $t0, 1f
    RESTORE_STATIC
1:  RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint
