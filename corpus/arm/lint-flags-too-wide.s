@ SPDX-License-Identifier: Apache-2.0
@ The mask of work became too wide for an immediate; a shift tests bits 0 to 15, with system-call tracing in 4 to 7.
@ Imitates ret_to_user_from_irq of Linux 5.11 to 6.1.
@: lint-args --config {here}/flags-first.toml
@! warning thread-flags-mask ret_to_user_from_irq at ret_to_user_from_irq+0x4: flags TIF_SYSCALL_TRACE TIF_SYSCALL_AUDIT TIF_SYSCALL_TRACEPOINT TIF_SECCOMP
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
