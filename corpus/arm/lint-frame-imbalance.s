@ SPDX-License-Identifier: Apache-2.0
@ The return pops pc and status out of the frame where they lie and leaves twelve bytes of it on the stack.
@ Made up: the frame grew by two words (Linux 4.9), the exit did not follow.
@! error frame-imbalance __irq_svc
    .include "frame.inc"
    .text
    .globl __irq_svc
__irq_svc:
    ENTER_SVC
    CALL    do_irq
    ldmia   sp, {r0 - r12}
    ldr     lr, [sp, #S_LR]
    add     sp, sp, #S_PC
    rfeia   sp!
    FUNCTIONS do_irq
