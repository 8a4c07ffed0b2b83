@ SPDX-License-Identifier: Apache-2.0
@ Nobody tests TIF_SECCOMP, neither at the entry nor at the exit; the other three are tested at the entry only.
@ Made up, after ret_fast_syscall of Linux 6.2.
@: lint-args --config {here}/flags-renumbered.toml
@! warning thread-flags-mask vector_swi at exit+0x8: flags TIF_SECCOMP
@! note thread-flags-mask vector_swi at exit+0x8: flags TIF_SYSCALL_TRACE TIF_SYSCALL_AUDIT TIF_SYSCALL_TRACEPOINT
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    mrc     p15, 0, r9, c13, c0, 3      @ current
    ldr     r10, [r9]
    tst     r10, #0x700000              @ system-call tracing
    bne     trace
    bl      do_call
exit:
    cpsid   i
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    str     r0, [sp, #S_R0]
    beq     no_work
    tst     r1, #0xf00000
    bne     trace_exit
    b       work_pending
no_work:
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
trace:
    CALL    syscall_trace_enter
    bl      do_call
    str     r0, [sp, #S_R0]
trace_exit:
    CALL    syscall_trace_exit
    cpsid   i
    ldr     r1, [r9]
    tst     r1, #0x1f
    bne     work_pending
    b       no_work
work_pending:
    CALL    do_work_pending
    b       no_work
    FUNCTIONS do_call, syscall_trace_enter, syscall_trace_exit, do_work_pending
