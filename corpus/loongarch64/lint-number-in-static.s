# SPDX-License-Identifier: Apache-2.0
# Look-alike: the number is kept in s0 across the call, which C preserves. No guard is overwritten, signal return is
# decided, and the temporaries are cleared: nothing of the kernel's gets out.
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    move    $s0, $a7
    CALL    do_syscall
    ori     $t4, $zero, NR_rt_sigreturn
    beq     $s0, $t4, 1f
    RESTORE_STATIC
    .irp    n, 12, 13, 14, 15, 16, 17, 18, 19, 20
    move    $r\n, $zero
    .endr
    RESTORE_SOME
    RETURN
1:  RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
