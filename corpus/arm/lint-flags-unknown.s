@ SPDX-License-Identifier: Apache-2.0
@ Nobody says how the flags are numbered: the tested bits are a note.
@ Imitates ret_to_user_from_irq of Linux 5.11 and later.
@! note thread-flags-mask ret_to_user_from_irq at ret_to_user_from_irq+0x4: bits 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    .include "frame.inc"
    .text
    .globl ret_to_user_from_irq
ret_to_user_from_irq:
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    bne     work_pending
    WORK_AND_RETURN
    FUNCTIONS do_work_pending
