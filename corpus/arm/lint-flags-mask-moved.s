@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the mask is moved as the copy was.
@: lint-args --config {here}/flags-first.toml
@! none
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    mrc     p15, 0, r9, c13, c0, 3
    bl      do_call
    str     r0, [sp, #S_R0]
    cpsid   i
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    beq     no_work
shifted:
    tst     r1, #0xf00000
    bne     trace_exit
    CALL    do_work_pending
no_work:
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
trace_exit:
    CALL    syscall_trace_exit
    b       no_work
    FUNCTIONS do_call, syscall_trace_exit, do_work_pending
