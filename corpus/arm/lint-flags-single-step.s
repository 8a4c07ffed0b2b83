@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: a flag that is no work is tested, and what it decides is no work either: nothing is called.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    tst     r1, #0x20000                @ TIF_USING_IWMMXT
    beq     1f
    mcr     p15, 0, r1, c15, c1, 0      @ coprocessors on
1:  tst     r1, #0x1f
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
