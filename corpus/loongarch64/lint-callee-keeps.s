# SPDX-License-Identifier: Apache-2.0
# Look-alike: of all registers only ra and t0 are saved around a call in kernel mode. A C function may change a0-a7
# and t1-t8 as well, but this one is in the image and does not.
# Made up; PowerPC's load_up_fpu is called that way.
#! none
    .include "frame.inc"
    .text
    .globl handle_fpu
handle_fpu:
    addi.d  $sp, $sp, -32
    st.d    $ra, $sp, 8
    st.d    $t0, $sp, 0
    csrrd   $t0, ERA
    st.d    $t0, $sp, 16
    csrrd   $t0, PRMD
    st.d    $t0, $sp, 24
    andi    $t0, $t0, 3
    bnez    $t0, from_user
    bl      enable_fpu
    ld.d    $t0, $sp, 16
    csrwr   $t0, ERA
    ld.d    $t0, $sp, 24
    csrwr   $t0, PRMD
    ld.d    $t0, $sp, 0
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 32
    ertn
from_user:
    b       .
    .type enable_fpu, @function
enable_fpu:
    csrrd   $t0, 2                  # EUEN
    ori     $t0, $t0, 1
    csrwr   $t0, 2
    ret
