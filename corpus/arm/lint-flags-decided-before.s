@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: a second test of bits that the path has found to be zero; on the way that comes from elsewhere it decides.
@ What a path knows is no reason: the code is shared.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq, ret_from_exception
ret_to_user_from_irq:
    ldr     r1, [r9]
    tst     r1, #0x1f
    bne     work_pending
again:
    tst     r1, #0x1f                   @ known, when it comes from above
    bne     work_pending
    WORK_AND_RETURN
ret_from_exception:
    ldr     r1, [r9]
    b       again
    FUNCTIONS do_work_pending
