@ SPDX-License-Identifier: Apache-2.0
@ Look-alike: the user's sp and lr are saved and restored by a switch to system mode, where sp and lr are the user's;
@ in SVC mode they are the kernel's again.
@ Imitates store_user_sp_lr and load_user_sp_lr of Linux 6.1 (Thumb-2 kernels).
@! none
    .include "frame.inc"
    .text
    .globl vector_swi
vector_swi:
    sub     sp, sp, #PT_REGS_SIZE
    stmia   sp, {r0 - r12}
    mov     r8, sp
    mrs     r10, cpsr
    eor     r10, r10, #0x13 ^ 0x1f
    msr     cpsr_c, r10
    str     sp, [r8, #S_SP]
    str     lr, [r8, #S_LR]
    eor     r10, r10, #0x13 ^ 0x1f
    msr     cpsr_c, r10
    mrs     r8, spsr
    str     lr, [sp, #S_PC]
    str     r8, [sp, #S_PSR]
    bl      do_call
    mov     r2, sp
    mrs     r3, cpsr
    eor     r3, r3, #0x13 ^ 0x1f
    msr     cpsr_c, r3
    ldr     sp, [r2, #S_SP]
    ldr     lr, [r2, #S_LR]
    eor     r3, r3, #0x13 ^ 0x1f
    msr     cpsr_c, r3
    ldr     r1, [sp, #S_PSR]
    ldr     lr, [sp, #S_PC]
    add     sp, sp, #S_SP
    msr     spsr_cxsf, r1
    ldmdb   sp, {r1 - r12}
    add     sp, sp, #PT_REGS_SIZE - S_SP
    movs    pc, lr
    FUNCTIONS do_call
