# SPDX-License-Identifier: Apache-2.0
# The four immediates of an address in a copied stub are zero in the file; the kernel fills them from the table
# .la_abs before any of it runs. Both the jump and the call are known only through that table.
# Imitates handle_sys and the la_abs macro of Linux 6.3 and later.
#= vmlinux loongarch64
#= handle_syscall: syscall-entry, paths 1, infeasible 0, nodes 8, instructions 8
#=   path user partial: exception-return user at +0x1c handle_syscall+0x1c
#=     insns 8  loads 1/1/8  stores 1/1/8  frame 1/1  calls 1/1
#=     load 1, store 1, call 1, return 1, other 4
#=     call +0x14 do_syscall
#= handle_sys: syscall-entry, paths 1, infeasible 0, nodes 13, instructions 13
#=   path user partial: exception-return user at +0x30 handle_syscall+0x1c
#=     insns 13  loads 1/1/8  stores 1/1/8  frame 1/1  branches 1/0  calls 1/1
#=     load 1, store 1, branch 1, call 1, return 1, other 8
#=     call +0x28 do_syscall
    .macro la_abs reg, symbol
766:
    lu12i.w \reg, 0
    ori     \reg, \reg, 0
    lu32i.d \reg, 0
    lu52i.d \reg, \reg, 0
    .pushsection ".la_abs", "aw", %progbits
    .p2align 3
    .dword  766b
    .dword  \symbol
    .popsection
    .endm

    .text
    .globl handle_sys
handle_sys:
    la_abs  $t0, handle_syscall
    jr      $t0
    .globl handle_syscall
handle_syscall:
    st.d    $a0, $sp, -8
    la_abs  $t0, do_syscall
    jirl    $ra, $t0, 0
    ld.d    $a0, $sp, -8
    ertn

    .globl do_syscall
    .type do_syscall, @function
do_syscall:
    ret
