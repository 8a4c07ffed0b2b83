@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: a word of thread_info beside the flags is tested, and one of another structure.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9, #4]                @ preempt_count
    tst     r1, #0xf00
    bne     work_pending
    ldr     r3, [r9, #8]
    ldr     r1, [r3]
    tst     r1, #0x20000
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
