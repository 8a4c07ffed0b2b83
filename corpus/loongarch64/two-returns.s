# SPDX-License-Identifier: Apache-2.0
# The saved status is tested and each arm has its own exception return: one to the kernel, one to the user.
# Imitates ret_from_exception and its resume_kernel arm (MIPS, Linux 6.1).
#= vmlinux loongarch64
#= handle_watch: exception-entry, paths 2, infeasible 0, nodes 17, instructions 17
#=   path user partial: exception-return user at +0x34 handle_watch+0x34
#=     insns 14  loads 4/4/32  stores 3/3/24  frame 4/3  branches 0/1  system 2
#=     load 4, store 3, branch 1, return 1, system 2, other 3
#=     +0x24 not taken
#=   path kernel partial: exception-return kernel at +0x40 to_kernel+0x8
#=     insns 13  loads 3/3/24  stores 3/3/24  frame 3/3  branches 1/0  system 2
#=     load 3, store 3, branch 1, return 1, system 2, other 3
#=     +0x24 taken
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
