# SPDX-License-Identifier: Apache-2.0
# Every system call reloads t0-t8, on a way out of its own: only rt_sigreturn needs them. What the restores share with
# the way of rt_sigreturn (s0-s8 and the rest) is needed there.
# Made up, after the proposal of 2022.
#! note redundant-restore handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8
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
    RESTORE_TEMP
    b       2f
1:  RESTORE_TEMP
2:  RESTORE_STATIC
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
