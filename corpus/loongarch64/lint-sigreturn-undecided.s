# SPDX-License-Identifier: Apache-2.0
# Nothing tells signal return from other calls, so that every path must reload everything: a1 and fp are forgotten. fp
# is callee-saved, which excuses an ordinary call only; a1 also hands out what C left in it.
# Imitates a slip in RESTORE_SOME of Linux 6.1.
#! error sigreturn-incomplete handle_syscall: registers a1 fp; slots PT_R5 PT_R22
#! warning kernel-value-leak handle_syscall: registers a1
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    CALL    do_syscall
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE 21
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, ERA
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, PRMD
    RESTORE 1, 4, 6, 7, 8, 9, 10, 11, 2
    RETURN
    FUNCTIONS do_syscall
