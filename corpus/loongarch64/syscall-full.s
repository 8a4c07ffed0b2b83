# SPDX-License-Identifier: Apache-2.0
# A whole system call: 29 words stored, one load to find the stack, 34 to go back to user mode, of which the nine
# temporaries were never stored on the way in. A return to the kernel does not reload u0: 33.
# Imitates handle_syscall of Linux 6.12 with SAVE_SOME, SAVE_STATIC and RESTORE_ALL_AND_RET, without KGDB.
#= vmlinux loongarch64
#= handle_syscall: syscall-entry, paths 2, infeasible 0, nodes 86, instructions 86
#=   path user full: exception-return user at +0x154 handle_syscall+0x154
#=     insns 86  loads 35/35/280  stores 29/29/232  frame 34/29  branches 0/1  calls 1/0  system 9
#=     load 35, store 29, branch 1, call 1, return 1, system 9, other 10
#=     +0x10c not taken
#=     call +0xb8 do_syscall
#=   path kernel full: exception-return kernel at +0x154 handle_syscall+0x154
#=     insns 85  loads 34/34/272  stores 29/29/232  frame 33/29  branches 1/0  calls 1/0  system 9
#=     load 34, store 29, branch 1, call 1, return 1, system 9, other 10
#=     +0x10c taken
#=     call +0xb8 do_syscall
    .equ PT_R3, 24
    .equ PT_ERA, 264
    .equ PT_PRMD, 288

    .text
    .globl handle_syscall
handle_syscall:
    csrrd   $t0, 0x33               # per-CPU base
    la.pcrel $t1, kernelsp
    add.d   $t1, $t1, $t0
    move    $t2, $sp
    ld.d    $sp, $t1, 0
    addi.d  $sp, $sp, -320
    st.d    $t2, $sp, PT_R3
    st.d    $zero, $sp, 0
    csrrd   $t2, 1                  # PRMD
    st.d    $t2, $sp, PT_PRMD
    csrrd   $t2, 0                  # CRMD
    st.d    $t2, $sp, 280
    csrrd   $t2, 2                  # EUEN
    st.d    $t2, $sp, 296
    csrrd   $t2, 4                  # ECFG
    st.d    $t2, $sp, 304
    csrrd   $t2, 5                  # ESTAT
    st.d    $t2, $sp, 312
    st.d    $ra, $sp, 8
    .irp    n, 4, 5, 6, 7, 8, 9, 10, 11         # a0-a7
    st.d    $r\n, $sp, 8 * \n
    .endr
    csrrd   $ra, 6                  # ERA
    st.d    $ra, $sp, PT_ERA
    st.d    $tp, $sp, 16
    st.d    $r21, $sp, 168
    st.d    $fp, $sp, 176
    .irp    n, 23, 24, 25, 26, 27, 28, 29, 30, 31   # s0-s8
    st.d    $r\n, $sp, 8 * \n
    .endr
    move    $r21, $t0
    li.d    $tp, ~0x3fff
    and     $tp, $tp, $sp
    move    $a0, $sp
    bl      do_syscall
    .irp    n, 23, 24, 25, 26, 27, 28, 29, 30, 31   # s0-s8
    ld.d    $r\n, $sp, 8 * \n
    .endr
    .irp    n, 12, 13, 14, 15, 16, 17, 18, 19, 20   # t0-t8
    ld.d    $r\n, $sp, 8 * \n
    .endr
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 8f
    ld.d    $r21, $sp, 168
8:  ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, 6
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, 1
    ld.d    $ra, $sp, 8
    .irp    n, 4, 5, 6, 7, 8, 9, 10, 11         # a0-a7
    ld.d    $r\n, $sp, 8 * \n
    .endr
    ld.d    $tp, $sp, 16
    ld.d    $fp, $sp, 176
    ld.d    $sp, $sp, PT_R3
    ertn

    .globl do_syscall
    .type do_syscall, @function
do_syscall:
    ret
    .data
kernelsp:
    .dword 0
