@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the result is put into the slot of r0 before work is done, and comes back from there. The work loop starts
@ anew with the same stack pointer.
@ Imitates ret_slow_syscall of Linux 6.1.
@! note thread-flags-mask vector_swi at check_work+0x8: bits 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    ENTER_SWI
    mrc     p15, 0, r9, c13, c0, 3      @ current
    bl      do_call
    str     r0, [sp, #S_R0]
check_work:
    cpsid   i
    ldr     r1, [r9]
    movs    r1, r1, lsl #16
    beq     1f
    mov     r0, sp
    bl      do_work_pending
    b       check_work
1:  RETURN_STATE
    ldmdb   r2, {r0 - lr}^
    nop
    RETURN
    FUNCTIONS do_call, do_work_pending
