# SPDX-License-Identifier: Apache-2.0
# The zero in PT_R0 is dead: do_syscall writes the slot on both of its ways before it reads it.
# Imitates handle_syscall with a do_syscall that notes every number for a restart.
#! note dead-frame-store handle_syscall at dead: slots PT_R0
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    csrrd   $t0, PERCPU
    la.pcrel $t1, kernelsp
    add.d   $t1, $t1, $t0
    move    $t2, $sp
    ld.d    $sp, $t1, 0
    addi.d  $sp, $sp, -PT_SIZE
    st.d    $t2, $sp, PT_R3
dead:
    st.d    $zero, $sp, 0
    csrrd   $t2, PRMD
    st.d    $t2, $sp, PT_PRMD
    SAVE    1, 4, 5, 6, 7, 8, 9, 10, 11
    csrrd   $ra, ERA
    st.d    $ra, $sp, PT_ERA
    SAVE    2, 21, 22
    SAVE_STATIC
    CALL    do_syscall
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    .type   do_syscall, @function
do_syscall:
    addi.d  $sp, $sp, -32
    st.d    $s0, $sp, 16
    move    $s0, $a0
    ld.d    $a7, $a0, PT_R11
    sltui   $t0, $a7, 460
    beqz    $t0, 1f
    addi.d  $t0, $a7, 1
    st.d    $t0, $s0, 0
    b       2f
1:  st.d    $zero, $s0, 0
2:  ld.d    $t0, $tp, 0                 # of another object: reads no slot
    ld.d    $t0, $s0, 0
    ld.d    $s0, $sp, 16
    addi.d  $sp, $sp, 32
    jr      $t0
    .data
kernelsp:
    .dword 0
