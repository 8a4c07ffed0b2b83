@ SPDX-License-Identifier: Apache-2.0
@ The same with one flag too few: bit 23, TIF_SECCOMP.
@: lint-args --config {here}/flags-renumbered.toml
@! note thread-flags-mask vector_swi: flags TIF_SECCOMP
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    mrc     p15, 0, r9, c13, c0, 3      @ current
    ldr     r10, [r9]
    tst     r10, #0xf00000              @ system-call tracing
    bne     trace
    bl      do_call
    str     r0, [sp, #S_R0]
    cpsid   i
    ldr     r1, [r9]
    tst     r1, #0x1f
    tsteq   r1, #0x700000
    bne     1f
no_work:
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
1:  tst     r1, #0xf00000
    bne     trace_exit
    b       work_pending
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
