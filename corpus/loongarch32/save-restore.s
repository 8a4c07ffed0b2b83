# SPDX-License-Identifier: Apache-2.0
# The 32-bit form: words of four bytes, a frame of 160 bytes.
# Imitates handle_syscall of LoongArch32 as Linux 7.0 lays out struct pt_regs.
#= vmlinux loongarch32
#= handle_syscall: syscall-entry, paths 1, infeasible 0, nodes 13, instructions 13
#=   path user partial: exception-return user at +0x30 handle_syscall+0x30
#=     insns 13  loads 3/3/12  stores 3/3/12  frame 3/3  calls 1/0  system 2
#=     load 3, store 3, call 1, return 1, system 2, other 3
#=     call +0x18 do_syscall
    .equ PT_SIZE, 160
    .equ PT_ERA, 132
    .text
    .globl handle_syscall
handle_syscall:
    addi.w  $sp, $sp, -PT_SIZE
    st.w    $ra, $sp, 4
    st.w    $a0, $sp, 16
    csrrd   $ra, 6                  # ERA
    st.w    $ra, $sp, PT_ERA
    move    $a0, $sp
    bl      do_syscall
    ld.w    $a0, $sp, PT_ERA
    csrwr   $a0, 6
    ld.w    $a0, $sp, 16
    ld.w    $ra, $sp, 4
    addi.w  $sp, $sp, PT_SIZE
    ertn

    .globl do_syscall
    .type do_syscall, @function
do_syscall:
    ret
