# SPDX-License-Identifier: Apache-2.0
# Look-alike: u0 is reloaded where the saved status says user mode; the bits are taken out with another instruction,
# and the test is made before the call, in a callee-saved register.
# Made up.
#! none
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    csrrd   $t0, PRMD
    bstrpick.d $s1, $t0, 1, 0
    CALL    do_vint
    beqz    $s1, 1f
    RESTORE 21
1:  ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, ERA
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, PRMD
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE 1, 4, 5, 6, 7, 8, 9, 10, 11, 2, 22
    RETURN
    FUNCTIONS do_vint
