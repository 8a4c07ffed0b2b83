@ SPDX-License-Identifier: Apache-2.0
@ System calls are dispatched with a return address that no call put on the return stack, and a routine learns its address
@ with bl: notes, since the first is what every kernel does on purpose. Silent: a local subroutine; an address by adr; a
@ handler entered by an exception return; mov pc, lr, which cores predict or not.
@ Imitates the dispatch of vector_swi, Linux 6.1; the others are made up.
@: args --entry vector_swi --entry learn --entry silent --entry stub
@! note link-stack-imbalance vector_swi at dispatch
@! note link-stack-imbalance learn at learn_here
    .syntax unified
    .arch   armv7-a
    .text
    .globl vector_swi
    .type vector_swi, %function
vector_swi:
    sub     sp, sp, #72
    stmia   sp, {r0 - r12}
    mrs     r8, spsr
    str     r8, [sp, #64]
    str     lr, [sp, #60]
    add     r8, sp, #60
    stmdb   r8, {sp, lr}^
    mov     r8, r9
dispatch:
    adr     lr, ret_fast_syscall
    cmp     r7, #400
    ldrcc   pc, [r8, r7, lsl #2]
    b       sys_ni_syscall
ret_fast_syscall:
    ldr     r1, [sp, #64]
    ldr     lr, [sp, #60]
    msr     spsr_fsxc, r1
    ldmib   sp, {r1 - lr}^
    add     sp, sp, #72
    movs    pc, lr
    .size vector_swi, .-vector_swi
    .globl sys_ni_syscall
    .type sys_ni_syscall, %function
sys_ni_syscall:
    mvn     r0, #37
    bx      lr
    .size sys_ni_syscall, .-sys_ni_syscall
    .globl learn
    .type learn, %function
learn:
    mov     r3, lr
learn_here:
    bl      1f
    .word   0
1:  ldr     r0, [lr]
    mov     lr, r3
    bx      lr
    .size learn, .-learn
    .globl silent
    .type silent, %function
silent:
    push    {r4, lr}
    adr     r4, 2f
    bl      1f
    bl      1f
    pop     {r4, pc}
1:  add     r0, r0, #1
    bx      lr
2:  .word   0
    .size silent, .-silent
    .globl stub
    .type stub, %function
stub:
    mov     r3, lr
    adr     lr, 1f
    mov     pc, lr
1:  mov     lr, r3
    bx      lr
    .size stub, .-stub
