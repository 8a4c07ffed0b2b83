@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the same shift, tracing in bits 20 to 23. Bits 5 to 15 are no flags and do not matter.
@ Imitates ret_to_user_from_irq of Linux 6.2 and later.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
