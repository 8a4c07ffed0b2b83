@ SPDX-License-Identifier: Apache-2.0
@ The user's banked sp and lr are loaded on the way back, but were not stored on the way in.
@ Made up.
@! warning slot-not-saved __irq_usr: registers sp_usr lr_usr; slots S_SP S_LR
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR banked=0
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
