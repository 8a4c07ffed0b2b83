# SPDX-License-Identifier: Apache-2.0
# handle_vint loads PRMD to test where it returns to, and again for the return, as the kernel does. The others only look
# so: something is stored to the slot between, a function is called between, and the second load is also come to on a
# way that has not loaded before.
# Imitates RESTORE_SOME of Linux 5.19 and later.
#! note redundant-restore handle_vint at twice: slots PT_PRMD
    .include "frame.inc"
    .macro  ENTER
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    RESTORE_STATIC
    RESTORE_TEMP
    .endm
    .macro  LEAVE
    csrwr   $a0, PRMD
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, ERA
    RESTORE 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 22
    RETURN
    .endm
    .text
    .globl  handle_vint
handle_vint:
    ENTER
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 1f
    RESTORE 21
1:
twice:
    ld.d    $a0, $sp, PT_PRMD
    LEAVE
    .globl  handle_ade
handle_ade:
    ENTER
    ld.d    $a0, $sp, PT_PRMD
    andi    $a1, $a0, 3
    beqz    $a1, 1f
    RESTORE 21
1:  ori     $a0, $a0, 4                 # with interrupts on
    st.d    $a0, $sp, PT_PRMD
    ld.d    $a0, $sp, PT_PRMD
    LEAVE
    .globl  handle_ale
handle_ale:
    ENTER
    ld.d    $s0, $sp, PT_PRMD
    CALL    do_vint
    andi    $s0, $s0, 3
    RESTORE_TEMP
    beqz    $s0, 1f
    RESTORE 21
1:  RESTORE 23
    ld.d    $a0, $sp, PT_PRMD
    LEAVE
    .globl  handle_bp
handle_bp:
    ENTER
    csrrd   $a2, 5                      # ESTAT
    andi    $a2, $a2, 1
    beqz    $a2, 1f
    ld.d    $a1, $sp, PT_PRMD
    st.d    $a1, $tp, 0                 # for a trace
1:  ld.d    $a0, $sp, PT_PRMD
    andi    $a1, $a0, 3
    beqz    $a1, 1f
    RESTORE 21
1:
    LEAVE
    FUNCTIONS do_vint
