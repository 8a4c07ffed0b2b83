@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: an exception return that goes into the kernel. The stub saves three words on the stack of its own mode,
@ sets the status to SVC mode and jumps with movs pc, lr. lr, r0 and the status are no longer the user's, and need not
@ be.
@ Imitates vector_stub of arch/arm/kernel/entry-armv.S, Linux 6.1.
@! none
    .include "frame.inc"
    .text
    .globl vector_irq
vector_irq:
    sub     lr, lr, #4
    stmia   sp, {r0, lr}
    mrs     lr, spsr
    str     lr, [sp, #8]
    mrs     r0, cpsr
    eor     r0, r0, #1                  @ IRQ mode to SVC mode
    msr     spsr_cxsf, r0
    and     lr, lr, #15
    mov     r0, sp
    ldr     lr, [pc, lr, lsl #2]
    movs    pc, lr
    .long   irq_usr
    .rept   15
    .long   irq_invalid
    .endr
irq_usr:
    ENTER_USR
    CALL    do_irq
    RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
irq_invalid:
    b       .
    FUNCTIONS do_irq
