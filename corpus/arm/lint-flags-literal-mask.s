@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the mask comes from a literal pool, on one exit; on the other the field is cut out and compared.
@: lint-args --config {here}/flags-renumbered.toml
@! none
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq, ret_from_exception
ret_to_user_from_irq:
    ldr     r1, [r9]
    ldr     r3, =0x4000001f             @ bit 30 is no flag
    tst     r1, r3
    bne     work_pending
    WORK_AND_RETURN
ret_from_exception:
    ldr     r1, [r9]
    ubfx    r3, r1, #0, #5
    cmp     r3, #0
    bne     work_pending
    b       no_work
    .ltorg
    FUNCTIONS do_work_pending
