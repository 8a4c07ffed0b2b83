@ SPDX-License-Identifier: Apache-2.0
@ r9 pointed to the current task while the interrupt was served and is not reloaded.
@ Imitates svc_exit of a Thumb-2 kernel, Linux 6.1, with a register forgotten.
@! error kernel-register-lost __irq_svc: registers r9
    .include "frame.inc"
    .text
    .globl __irq_svc
__irq_svc:
    ENTER_SVC
    mrc     p15, 0, r9, c13, c0, 3
    CALL    do_irq
    ldr     r1, [sp, #S_PC]
    ldr     r2, [sp, #S_PSR]
    str     r1, [sp, #SVC_REGS_SIZE - 8]
    str     r2, [sp, #SVC_REGS_SIZE - 4]
    ldmia   sp, {r0 - r8}
    ldr     r10, [sp, #40]
    ldr     r11, [sp, #44]
    ldr     r12, [sp, #48]
    ldr     lr, [sp, #S_LR]
    add     sp, sp, #SVC_REGS_SIZE - 8
    rfeia   sp!
    FUNCTIONS do_irq
