# SPDX-License-Identifier: Apache-2.0
# A jump to a C function that knows no way back to an exception return: the path ends there, `jump`, with its name.
# Imitates ret_from_kernel_thread handing over to a function that never comes back (Linux 5.19).
#= vmlinux loongarch64
#= handle_reserved: exception-entry, paths 1, infeasible 0, nodes 4, instructions 4
#=   path jump do_reserved: jump at +0xc do_reserved
#=     insns 4  stores 1/1/8  frame 0/1  branches 1/0
#=     store 1, branch 1, other 2
    .text
    .globl handle_reserved
handle_reserved:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    move    $a0, $sp
    b       do_reserved

    .globl do_reserved
    .type do_reserved, @function
do_reserved:
    addi.d  $sp, $sp, -16
    st.d    $ra, $sp, 8
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 16
    ret
