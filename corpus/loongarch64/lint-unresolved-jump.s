# SPDX-License-Identifier: Apache-2.0
# The way back is read from per-CPU data: where it goes is not known, and nothing is said about it.
# Made up; boot code of several architectures fills such pointers.
#! note unresolved-jump handle_vint at leave
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    ld.d    $t0, $r21, 64
leave:
    jr      $t0
    FUNCTIONS do_vint
