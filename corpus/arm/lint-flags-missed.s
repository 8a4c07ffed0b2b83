@ SPDX-License-Identifier: Apache-2.0
@ The mask forgets TIF_NOTIFY_SIGNAL, bit 4.
@: lint-args --config {here}/flags-renumbered.toml
@! warning thread-flags-mask ret_to_user_from_irq at ret_to_user_from_irq+0x4: flags TIF_NOTIFY_SIGNAL
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    tst     r1, #0xf
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
