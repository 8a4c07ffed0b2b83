@ SPDX-License-Identifier: Apache-2.0
@ The stack pointer is what C returned; nothing says that the frame is there. The analysis must admit it.
@! warning lost-track __irq_usr
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    mov     sp, r0
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
