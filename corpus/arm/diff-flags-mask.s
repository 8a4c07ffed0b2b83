@ SPDX-License-Identifier: Apache-2.0
@ The exit from an interrupt tested bits 0 to 15 of the thread flags with a shift, and with it the flags of tracing (4 to 7);
@ the mask of work alone is tested instead, which costs an instruction more. Another mask of the same word is the same
@ question, so both paths keep their match.
@ Imitates ret_to_user_from_irq of Linux 5.11 to 6.1, mended.
@: lint-args --config {here}/flags-first.toml
@~ ret_to_user_from_irq changed
@~   user full: insns +1
@~   user full work: insns +1
@~ fixed warning thread-flags-mask ret_to_user_from_irq: flags TIF_SECCOMP TIF_SYSCALL_AUDIT TIF_SYSCALL_TRACE TIF_SYSCALL_TRACEPOINT
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    .ifdef AFTER
    movw    r2, #0x10f
    tst     r1, r2
    .else
    movs    r1, r1, lsl #16
    .endif
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
