@ SPDX-License-Identifier: Apache-2.0
@ The code ends where the return should stand.
@! warning falls-off-end __irq_usr
    .include "frame.inc"
    .text
    FUNCTIONS do_irq
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    add     sp, sp, #PT_REGS_SIZE
