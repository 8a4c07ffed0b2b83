@ SPDX-License-Identifier: Apache-2.0
@ A mask keeps the mode of the saved status, and the interrupt bit is asked for afterwards. A constant that is tested (an
@ option of the build) is no finding.
@: lint-args --config {here}/flags-renumbered.toml
@! warning flags-test-vacuous ret_to_user_from_irq at ret_to_user_from_irq+0x18
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    mov     r3, #0
    tst     r3, #1
    bne     bad
    ldr     r1, [sp, #S_PSR]
    and     r1, r1, #0x1f
    tst     r1, #0x80
    bne     bad
    ldr     r1, [r9]
    tst     r1, #0x1f
    bne     work_pending
    WORK_AND_RETURN
bad:
    udf     #0
    FUNCTIONS do_work_pending
