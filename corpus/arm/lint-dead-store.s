@ SPDX-License-Identifier: Apache-2.0
@ do_irq writes old_r0 of the frame before it reads it, whichever way it goes. do_abort does so under a condition, so
@ that __dabt_usr, a look-alike, needs its store; do_undef does so through a pointer that it keeps on its own stack,
@ behind a call.
@ Made up.
@! note dead-frame-store __irq_usr at dead: slots S_OLD_R0
    .include "frame.inc"
    .macro  LEAVE
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    .endm
    .text
    .globl  __irq_usr
__irq_usr:
    ENTER_USR
    mvn     r6, #1
dead:
    str     r6, [sp, #S_OLD_R0]
    CALL    do_irq
    LEAVE
    .globl  __dabt_usr
__dabt_usr:
    ENTER_USR
    mvn     r6, #1
    str     r6, [sp, #S_OLD_R0]
    CALL    do_abort
    LEAVE
    .globl  __und_usr
__und_usr:
    ENTER_USR
    mvn     r6, #1
    str     r6, [sp, #S_OLD_R0]
    CALL    do_undef
    LEAVE
    .type   do_irq, %function
do_irq:
    ldr     r1, [r0, #S_PSR]
    tst     r1, #0x80
    moveq   r2, #1
    movne   r2, #2
    add     r3, r0, #S_PC
    bne     1f
    str     r2, [r3, #8]
    ldr     r1, [r3, #8]
    bx      lr
1:  str     r2, [r0, #S_OLD_R0]
    bx      lr
    .type   do_abort, %function
do_abort:
    ldr     r1, [r0, #S_PSR]
    tst     r1, #0x80
    streq   r1, [r0, #S_OLD_R0]
    bx      lr
    .type   do_undef, %function
do_undef:
    push    {r0, lr}
    bl      elsewhere
    pop     {r0, lr}
    str     r0, [r0, #S_OLD_R0]
    bx      lr
    FUNCTIONS elsewhere
