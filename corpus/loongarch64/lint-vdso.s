# SPDX-License-Identifier: Apache-2.0
# A vDSO function that lets s0 go on one of two ways, one that returns with ra of its call, and two look-alikes: s0 kept
# on the stack over a call and a loop, ra through a system call.
# Made up; the second way is how arm64's vDSO lost its return address in 2014.
#: link -shared --soname=linux-vdso.so.1
#! error callee-saved-clobbered __vdso_clock_gettime at fault: registers s0
#! error callee-saved-clobbered __vdso_gettimeofday at lost
    .macro  FUNCTION name
    .globl  \name
    .type   \name, @function
\name:
    .endm
    .text
    FUNCTION __vdso_clock_gettime
    beqz    $a1, 1f
fault:
    move    $s0, $a0
    st.d    $s0, $a1, 0
    ret
1:  addi.d  $sp, $sp, -16
    st.d    $s0, $sp, 0
    move    $s0, $a0
    ld.d    $s0, $sp, 0
    addi.d  $sp, $sp, 16
    ret
    .size   __vdso_clock_gettime, .-__vdso_clock_gettime
    FUNCTION __vdso_gettimeofday
    move    $t0, $ra
    beqz    $a0, 1f
    bl      helper
lost:
    ret
1:  jr      $t0
    .size   __vdso_gettimeofday, .-__vdso_gettimeofday
    FUNCTION __vdso_clock_getres
    addi.d  $sp, $sp, -32
    st.d    $ra, $sp, 24
    st.d    $s0, $sp, 16
    move    $s0, $a0
1:  move    $a0, $s0
    bl      helper
    addi.d  $s0, $s0, -1
    bnez    $s0, 1b
    ld.d    $s0, $sp, 16
    ld.d    $ra, $sp, 24
    addi.d  $sp, $sp, 32
    ret
    .size   __vdso_clock_getres, .-__vdso_clock_getres
    FUNCTION __vdso_getcpu
    ori     $a7, $zero, 168
    syscall 0
    ret
    .size   __vdso_getcpu, .-__vdso_getcpu
    .type   helper, @function
helper:
    addi.d  $a0, $a0, 1
    ret
    .size   helper, .-helper
