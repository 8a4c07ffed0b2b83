# SPDX-License-Identifier: Apache-2.0
# The system call is restarted by a jump back to the entry: no path, but listed among the loops.
# Imitates local_restart of ARM's entry-common.S (Linux 6.1).
#= vmlinux loongarch64
#= handle_syscall: syscall-entry, paths 1, infeasible 0, nodes 8, instructions 8
#=   path user partial: exception-return user at +0x14 handle_syscall+0x14
#=     insns 6  loads 1/1/8  stores 1/1/8  frame 1/1  branches 0/1  calls 1/0
#=     load 1, store 1, branch 1, call 1, return 1, other 1
#=     +0xc not taken
#=     call +0x8 do_syscall
#=     loop +0x0 uncounted: 6 insns, 0 loads, 1 stores a turn
#=   loop +0x0 uncounted: 6 insns, 0 loads, 1 stores a turn
    .text
    .globl handle_syscall
handle_syscall:
    st.d    $a7, $sp, 88
    move    $a0, $sp
    bl      do_syscall
    bltz    $a0, again
    ld.d    $a7, $sp, 88
    ertn
again:
    ori     $a7, $zero, 128
    b       handle_syscall

    .type do_syscall, @function
do_syscall:
    ret
