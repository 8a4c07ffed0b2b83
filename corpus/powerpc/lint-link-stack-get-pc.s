# SPDX-License-Identifier: Apache-2.0
# A 32-bit vDSO function learns its address with bcl over a data word, calls C, and returns to what it kept on the stack.
# Beside it the same with the exempt form, which is silent.
# Imitates __kernel_gettimeofday, arch/powerpc/kernel/vdso/gettimeofday.S, before and after c974809a26a1.
#: args --entry __kernel_*
#: sweep found 1, exempt 1
#! warning link-stack-imbalance __kernel_gettimeofday at over_data
    .macro  ENTER_C from, word
    mflr    0
    stwu    1, -16(1)
    stwu    1, -16(1)
    stw     0, 36(1)
\from:
    bcl     20, 31, 2f
    .ifnb   \word
    .long   0
    .endif
2:  mflr    5
    addi    5, 5, 0x100
    bl      c_gettimeofday
    lwz     0, 36(1)
    cmpwi   3, 0
    mtlr    0
    addi    1, 1, 32
    crclr   4*cr0+so
    beqlr
    crset   4*cr0+so
    neg     3, 3
    blr
    .endm
    .text
    .globl c_gettimeofday
    .type c_gettimeofday, @function
c_gettimeofday:
    li      3, 0
    blr
    .size c_gettimeofday, .-c_gettimeofday
    .globl __kernel_gettimeofday
    .type __kernel_gettimeofday, @function
__kernel_gettimeofday:
    ENTER_C over_data, 1
    .size __kernel_gettimeofday, .-__kernel_gettimeofday
    .globl __kernel_gettimeofday_mended
    .type __kernel_gettimeofday_mended, @function
__kernel_gettimeofday_mended:
    ENTER_C to_next
    .size __kernel_gettimeofday_mended, .-__kernel_gettimeofday_mended
