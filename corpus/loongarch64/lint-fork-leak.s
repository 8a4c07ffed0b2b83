# SPDX-License-Identifier: Apache-2.0
# The first return of a new task leaves t0-t8 as C left them. No kernel since 5.19 reloads them here: tolerated.
# Imitates ret_from_fork of Linux 6.1, arch/loongarch/kernel/entry.S.
#! note kernel-value-leak ret_from_fork: registers t0 t1 t2 t3 t4 t5 t6 t7 t8
    .include "frame.inc"
    .text
    .globl ret_from_fork
ret_from_fork:
    bl      schedule_tail
    CALL    syscall_exit_to_user_mode
    RESTORE_STATIC
    RESTORE_SOME
    RETURN
    FUNCTIONS schedule_tail, syscall_exit_to_user_mode
