# SPDX-License-Identifier: Apache-2.0
# The saved status is tested and each arm has its own exception return: one to the kernel, one to the user.
# Imitates ret_from_exception and its resume_kernel arm (MIPS, Linux 6.1).
    .equ PT_PRMD, 288
    .text
    .globl handle_watch
handle_watch:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    st.d    $r21, $sp, 168
    csrrd   $a0, 1                  # PRMD
    st.d    $a0, $sp, PT_PRMD
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, 1
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, to_kernel
    ld.d    $r21, $sp, 168
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
to_kernel:
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
