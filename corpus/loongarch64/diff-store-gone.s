# SPDX-License-Identifier: Apache-2.0
# The zero that says "not to be restarted" need not be stored when do_syscall writes PT_R0 on all of its paths: one store
# less. Imitates a patch proposed for handle_syscall.
#~ handle_syscall changed
#~   user full: insns -1, stores -1
#~   kernel full: insns -1, stores -1
#~ fixed note dead-frame-store handle_syscall: slots PT_R0
    .include "frame.inc"
    .text
    .globl  handle_syscall
handle_syscall:
    csrrd   $t0, PERCPU
    la.pcrel $t1, kernelsp
    add.d   $t1, $t1, $t0
    move    $t2, $sp
    ld.d    $sp, $t1, 0
    addi.d  $sp, $sp, -PT_SIZE
    st.d    $t2, $sp, PT_R3
    .ifndef AFTER
    st.d    $zero, $sp, 0
    .endif
    csrrd   $t2, PRMD
    st.d    $t2, $sp, PT_PRMD
    SAVE    1, 4, 5, 6, 7, 8, 9, 10, 11
    csrrd   $ra, ERA
    st.d    $ra, $sp, PT_ERA
    SAVE    2, 21, 22
    move    $r21, $t0
    SAVE_STATIC
    SAVE_TEMP
    move    $a0, $sp
    bl      do_syscall
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .type   do_syscall, @function
do_syscall:
    ld.d    $t0, $a0, 88
    st.d    $t0, $a0, 0
    ret
    .data
kernelsp: .dword 0
