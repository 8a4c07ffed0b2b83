@ SPDX-License-Identifier: Apache-2.0
@ A word that is no instruction lies on the path without work; the other one is whole.
@ Made up.
@! warning undecoded __irq_usr at bad_word
    .include "frame.inc"
    .text
    .globl __irq_usr
__irq_usr:
    ENTER_USR
    CALL    do_irq
    ldr     r1, [sp, #S_OLD_R0]
    cmp     r1, #0
    bne     1f
bad_word:
    .inst   0xffffffff
1:  RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_irq
