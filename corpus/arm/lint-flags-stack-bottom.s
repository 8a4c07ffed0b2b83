@ SPDX-License-Identifier: Apache-2.0
@ thread_info at the bottom of the stack, found by clearing bits of the stack pointer; bit 3, TIF_UPROBE, is missed.
@ Imitates ret_to_user_from_irq before Linux 5.16.
@: lint-args --config {here}/flags-renumbered.toml
@! warning thread-flags-mask __irq_usr: flags TIF_UPROBE
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    mov     r8, sp, lsr #13
    mov     r8, r8, lsl #13
    ldr     r1, [r8]
    tst     r1, #0x17
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_irq, do_work_pending
