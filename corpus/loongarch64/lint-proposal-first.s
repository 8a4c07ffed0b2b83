# SPDX-License-Identifier: Apache-2.0
# The arm of rt_sigreturn reloads the temporaries, but not s0-s8: after the handler returns they hold the handler's.
# Ordinary calls may leave s0-s8 alone, since C preserves them.
# Imitates the first version of the proposal of 2022 for handle_syscall.
#! error sigreturn-incomplete handle_syscall: registers s0 s1 s2 s3 s4 s5 s6 s7 s8; slots PT_R23 PT_R24 PT_R25 PT_R26 PT_R27 PT_R28 PT_R29 PT_R30 PT_R31
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
    RESTORE_SOME
    RETURN
1:  RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
