# SPDX-License-Identifier: Apache-2.0
# Functions of the vDSO that break their callers: one returns early with LR gone, one loses r30 and r31, and
# r30 must not even be touched, one overwrites cr0.SO behind the instruction that cleared it, one returns by a call's
# address. The last three keep all: r31 through the stack, LR through r12, SO as the kernel left it.
# Imitates the vDSO of Linux 5.10; the faults are made up but r30's (a88603f4b92e).
#: link -shared --soname=linux-vdso64.so.1
#! error callee-saved-clobbered __kernel_get_tbfreq at early
#! error callee-saved-clobbered __kernel_get_tbfreq at early+0xc
#! error callee-saved-clobbered __kernel_time at touch_r30: registers r30 r31
#! error callee-saved-clobbered __kernel_time at touch_r30: registers r30
#! error callee-saved-clobbered __kernel_getcpu at compare: registers cr0.SO
#! error callee-saved-clobbered __kernel_sync_dicache at by_call
    .macro  FUNCTION name
    .globl  \name
    .type   \name, @function
\name:
    .endm
    .text
    FUNCTION __kernel_get_tbfreq
    bcl     20, 31, 1f
1:  mflr    9
    ld      9, 64(9)
    cmpldi  3, 0
early:
    beqlr
    std     9, 0(3)
    crclr   4*cr0+so
    blr
    .size   __kernel_get_tbfreq, .-__kernel_get_tbfreq
    FUNCTION __kernel_time
    cmpdi   3, 0
touch_r30:
    li      30, 1
    std     31, -8(1)
    add     31, 30, 3
    mr      3, 31
    cmpdi   3, 0
    crclr   4*cr0+so
    beqlr
    ld      31, -8(1)
    blr
    .size   __kernel_time, .-__kernel_time
    FUNCTION __kernel_getcpu
    mfspr   5, 259
    crclr   4*cr0+so
compare:
    cmpldi  3, 0
    beqlr
    stw     5, 0(3)
    blr
    .size   __kernel_getcpu, .-__kernel_getcpu
    FUNCTION __kernel_sync_dicache
    mflr    12
    std     12, 16(1)
    stdu    1, -32(1)
    bl      helper
    addi    1, 1, 32
    li      3, 0
    crclr   4*cr0+so
by_call:
    blr
    .size   __kernel_sync_dicache, .-__kernel_sync_dicache
    FUNCTION __kernel_gettimeofday
    mflr    0
    std     0, 16(1)
    std     31, -8(1)
    stdu    1, -48(1)
    mr      31, 3
    bl      helper
    cmpdi   3, 0
    addi    1, 1, 48
    ld      0, 16(1)
    ld      31, -8(1)
    mtlr    0
    crclr   4*cr0+so
    beqlr
    crset   4*cr0+so
    neg     3, 3
    blr
    .size   __kernel_gettimeofday, .-__kernel_gettimeofday
    FUNCTION __kernel_get_syscall_map
    mflr    12
    bcl     20, 31, 1f
1:  mflr    9
    mtlr    12
    cmpldi  3, 0
    crclr   4*cr0+so
    beqlr
    std     9, 0(3)
    blr
    .size   __kernel_get_syscall_map, .-__kernel_get_syscall_map
    FUNCTION __kernel_clock_getres
    li      0, 247
    sc
    blr
    .size   __kernel_clock_getres, .-__kernel_clock_getres
    .type   helper, @function
helper:
    ld      3, 0(31)
    blr
    .size   helper, .-helper
