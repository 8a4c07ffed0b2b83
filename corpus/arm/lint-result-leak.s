@ SPDX-License-Identifier: Apache-2.0
@ The fast return of a system call, which leaves r0 as C left it, used for an interrupt: the interrupted program finds
@ the result of do_irq in r0.
@ Made up: restore_user_regs with fast = 1 in the wrong place.
@! warning kernel-value-leak __irq_usr: registers r0
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r1 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
