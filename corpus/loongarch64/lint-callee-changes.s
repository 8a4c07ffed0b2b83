# SPDX-License-Identifier: Apache-2.0
# A handler that saves only ra and t0 calls a helper that has begun to use t2: the kernel resumes with another t2.
# Imitates the FP-unavailable path of 32-bit PowerPC, 2013: the helper used r7 and r8, the fast return does not
# restore them.
#! error kernel-register-lost handle_fpu: registers t2
    .include "frame.inc"
    .text
    .globl handle_fpu
handle_fpu:
    addi.d  $sp, $sp, -32
    st.d    $ra, $sp, 8
    st.d    $t0, $sp, 0
    csrrd   $t0, ERA
    st.d    $t0, $sp, 16
    csrrd   $t0, PRMD
    st.d    $t0, $sp, 24
    andi    $t0, $t0, 3
    bnez    $t0, from_user
    bl      enable_fpu
    ld.d    $t0, $sp, 16
    csrwr   $t0, ERA
    ld.d    $t0, $sp, 24
    csrwr   $t0, PRMD
    ld.d    $t0, $sp, 0
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 32
    ertn
from_user:
    b       .
    .type enable_fpu, @function
enable_fpu:
    csrrd   $t2, 2                  # EUEN
    ori     $t2, $t2, 1
    csrwr   $t2, 2
    ret
