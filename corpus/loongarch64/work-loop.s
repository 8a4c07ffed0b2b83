# SPDX-License-Identifier: Apache-2.0
# Thread flags are read in a loop until no work is left. One path leaves; the turn with work comes back to a
# node that was entered before, so it is no path and is listed beside the path as an uncounted loop.
# Imitates the work_pending loop that assembly exits had before the generic entry code (MIPS, Linux 6.1).
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
