@ SPDX-License-Identifier: Apache-2.0
@ Shifted the wrong way: bits 16 to 31 are tested, and none of the work.
@: lint-args --config {here}/flags-renumbered.toml
@! warning thread-flags-mask ret_to_user_from_irq at ret_to_user_from_irq+0x4: flags TIF_USING_IWMMXT TIF_MEMDIE TIF_RESTORE_SIGMASK TIF_SYSCALL_TRACE TIF_SYSCALL_AUDIT TIF_SYSCALL_TRACEPOINT TIF_SECCOMP
@! warning thread-flags-mask ret_to_user_from_irq at ret_to_user_from_irq+0x4: flags TIF_SIGPENDING TIF_NEED_RESCHED TIF_NOTIFY_RESUME TIF_UPROBE TIF_NOTIFY_SIGNAL
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    movs    r1, r1, lsr #16
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
