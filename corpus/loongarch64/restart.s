# SPDX-License-Identifier: Apache-2.0
# The system call is restarted by a jump back to the entry: no path, but listed among the loops.
# Imitates local_restart of ARM's entry-common.S (Linux 6.1).
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
