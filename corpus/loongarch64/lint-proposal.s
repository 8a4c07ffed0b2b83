# SPDX-License-Identifier: Apache-2.0
# The number is kept in thread_info; only rt_sigreturn reloads t0-t8. No register is lost, but what do_syscall left
# in t0-t3 and t5-t8 reaches user mode (t4 holds the constant 139).
# Imitates the proposal of 2022 for handle_syscall.
#! warning kernel-value-leak handle_syscall: registers t0 t1 t2 t3 t5 t6 t7 t8
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    st.d    $a7, $tp, TI_SYSCALL
    CALL    do_syscall
    ld.d    $t3, $tp, TI_SYSCALL
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
