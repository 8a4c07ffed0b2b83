# SPDX-License-Identifier: Apache-2.0
# Look-alike: a new task returns with registers that copy_thread put into its frame; no instruction here stored them. A
# kernel thread calls its function through s0 before.
# Imitates ret_from_fork and ret_from_kernel_thread of Linux 6.1, with the temporaries reloaded.
#: each ^ld\.d \$(ra|tp|sp|fp|r21|a[1-7]|[st][0-8]), \$sp
#! none
    .include "frame.inc"
    .text
    .globl ret_from_fork
ret_from_fork:
    bl      schedule_tail
    CALL    syscall_exit_to_user_mode
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .globl ret_from_kernel_thread
ret_from_kernel_thread:
    bl      schedule_tail
    move    $a0, $s1
    jirl    $ra, $s0, 0
    CALL    syscall_exit_to_user_mode
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS schedule_tail, syscall_exit_to_user_mode
