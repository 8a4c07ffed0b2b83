# SPDX-License-Identifier: Apache-2.0
# Thread flags are read in a loop until no work is left. One path leaves; the turn with work comes back to a
# node that was entered before, so it is no path and is listed beside the path as an uncounted loop.
# Imitates the work_pending loop that assembly exits had before the generic entry code (MIPS, Linux 6.1).
#= vmlinux loongarch64
#= handle_vint: exception-entry, paths 1, infeasible 0, nodes 14, instructions 14
#=   path either partial: exception-return either at +0x34 restore+0xc
#=     insns 11  loads 3/3/20  stores 2/2/16  frame 2/2  branches 1/0  calls 1/0
#=     load 3, store 2, branch 1, call 1, return 1, other 3
#=     +0x18 taken
#=     call +0xc do_vint
#=     loop +0x10 uncounted: 6 insns, 1 loads, 0 stores a turn
#=   loop +0x10 uncounted: 6 insns, 1 loads, 0 stores a turn
    .text
    .globl handle_vint
handle_vint:
    addi.d  $sp, $sp, -320
    st.d    $ra, $sp, 8
    st.d    $a0, $sp, 32
    bl      do_vint
resume:
    ld.w    $a0, $tp, 16
    andi    $a0, $a0, 0x0e
    beqz    $a0, restore
    move    $a0, $sp
    bl      do_notify_resume
    b       resume
restore:
    ld.d    $a0, $sp, 32
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 320
    ertn

    .type do_vint, @function
do_vint:
    ret
    .type do_notify_resume, @function
do_notify_resume:
    ret
