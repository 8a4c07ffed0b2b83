# SPDX-License-Identifier: Apache-2.0
# On the way back to the kernel the frame is taken off by arithmetic, 16 bytes short: the kernel resumes with another
# stack pointer.
# Made up: the size of pt_regs changed in one place.
#! error frame-imbalance handle_fpe
    .include "frame.inc"
    .text
    .globl handle_fpe
handle_fpe:
    addi.d  $sp, $sp, -PT_SIZE
    SAVE    1, 4, 5, 6, 7, 8, 9, 10, 11
    SAVE_TEMP
    csrrd   $a1, ERA
    st.d    $a1, $sp, PT_ERA
    csrrd   $a1, PRMD
    st.d    $a1, $sp, PT_PRMD
    andi    $a1, $a1, 3
    bnez    $a1, from_user
    CALL    do_fpe
    ld.d    $a0, $sp, PT_ERA
    csrwr   $a0, ERA
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, PRMD
    RESTORE_TEMP
    RESTORE 1, 4, 5, 6, 7, 8, 9, 10, 11
    addi.d  $sp, $sp, PT_SIZE - 16
    ertn
from_user:
    CALL    panic
    FUNCTIONS do_fpe, panic
