@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the way back to kernel code asks whether to reschedule, and nothing else.
@ Imitates __irq_svc of Linux 6.1 with CONFIG_PREEMPTION.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl __irq_svc
__irq_svc:
    ENTER_SVC
    mrc     p15, 0, r9, c13, c0, 3
    CALL    do_irq
    ldr     r0, [r9]
    tst     r0, #2                      @ TIF_NEED_RESCHED
    beq     1f
    CALL    preempt_schedule_irq
1:  ldr     r5, [sp, #S_PSR]
    msr     spsr_cxsf, r5
    ldmia   sp, {r0 - pc}^
    FUNCTIONS do_irq, preempt_schedule_irq
