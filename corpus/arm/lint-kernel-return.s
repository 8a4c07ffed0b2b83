@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: one load brings back r0-r12, sp, lr and pc, with the status: a return to the kernel code that was
@ interrupted.
@ Imitates svc_exit of Linux 6.1.
@: each ^(sub|stm|ldm|mov r3|add|str|msr)
@! none
    .include "frame.inc"
    .text
    .globl __irq_svc
__irq_svc:
    ENTER_SVC
    mrc     p15, 0, r9, c13, c0, 3
    CALL    do_irq
    ldr     r5, [sp, #S_PSR]
    msr     spsr_cxsf, r5
    ldmia   sp, {r0 - pc}^
    FUNCTIONS do_irq
