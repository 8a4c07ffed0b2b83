# SPDX-License-Identifier: Apache-2.0
# The smallest entry and exit: five registers saved, the same five restored. No branch, one call.
# Imitates handle_syscall of Linux 6.12, which saves 29 words.
#= vmlinux loongarch64
#= handle_syscall: syscall-entry, paths 1, infeasible 0, nodes 22, instructions 22
#=   path user partial: exception-return user at +0x54 handle_syscall+0x54
#=     insns 22  loads 6/6/48  stores 5/5/40  frame 5/5  calls 1/0  system 3
#=     load 6, store 5, call 1, return 1, system 3, other 6
#=     call +0x38 do_syscall
    .equ PT_SIZE, 320
    .equ PT_ERA, 264
    .text
    .globl handle_syscall
handle_syscall:
    csrrd   $t0, 0x33               # per-CPU base
    la.pcrel $t1, kernelsp
    add.d   $t1, $t1, $t0
    move    $t2, $sp
    ld.d    $sp, $t1, 0
    addi.d  $sp, $sp, -PT_SIZE
    st.d    $t2, $sp, 24
    st.d    $ra, $sp, 8
    st.d    $a0, $sp, 32
    st.d    $a1, $sp, 40
    csrrd   $ra, 6                  # ERA
    st.d    $ra, $sp, PT_ERA
    move    $a0, $sp
    bl      do_syscall
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, 6
    ld.d    $a1, $sp, 40
    ld.d    $a0, $sp, 32
    ld.d    $ra, $sp, 8
    ld.d    $sp, $sp, 24
    ertn

    .globl do_syscall
    .type do_syscall, @function
do_syscall:
    ret
    .data
kernelsp:
    .dword 0
