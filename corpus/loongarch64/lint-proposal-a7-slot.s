# SPDX-License-Identifier: Apache-2.0
# The number is taken from the a7 slot of pt_regs after the call: but rt_sigreturn has filled the frame with what the
# handler interrupted, so that the slot says anything, and the wrong arm is taken after a signal. On the
# ordinary arm t3 is left with the slot of a7.
# Imitates an idea from the discussion of the proposal of 2022 for handle_syscall.
#! error guard-overwritten handle_syscall: slots PT_R11
#! error sigreturn-incomplete handle_syscall: registers t0 t1 t2 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
#! warning kernel-value-leak handle_syscall: registers t0 t1 t2 t5 t6 t7 t8
#! note slot-mismatch handle_syscall at load_number: registers t3; slots PT_R11
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
#! note redundant-restore handle_syscall at load_number+0x6c: slots PT_R11
#! note redundant-restore handle_syscall at load_number+0x104: slots PT_R11
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    CALL    do_syscall
load_number:
    ld.d    $t3, $sp, PT_R11
    ori     $t4, $zero, NR_rt_sigreturn
    beq     $t3, $t4, 1f
    RESTORE_STATIC
    RESTORE_SOME
    RETURN
1:  RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
