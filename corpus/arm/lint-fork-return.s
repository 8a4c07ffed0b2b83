@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: a new task returns with registers that copy_thread put into its frame; no instruction here stored them.
@ r4 and r5, which a kernel thread finds its function in, are callee-saved and do not stay.
@ Imitates ret_from_fork of Linux 6.1.
@! none
    .include "frame.inc"
    .text
    .globl ret_from_fork
ret_from_fork:
    bl      schedule_tail
    cmp     r5, #0
    movne   r0, r4
    adrne   lr, 1f
    movne   pc, r5
1:  RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS schedule_tail
