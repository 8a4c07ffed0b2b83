@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: what one routine cleared before it comes to a shared test, another did not.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq, ret_from_exception
ret_to_user_from_irq:
    ldr     r1, [r9]
    tst     r1, #0x1f
    bne     work_pending
    mov     r1, r1, lsl #16             @ nothing is left of it
shared:
    tst     r1, #0x1f
    bne     work_pending
    WORK_AND_RETURN
ret_from_exception:
    ldr     r1, [r9]
    b       shared
    FUNCTIONS do_work_pending
