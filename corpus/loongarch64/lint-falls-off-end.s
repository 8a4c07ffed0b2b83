# SPDX-License-Identifier: Apache-2.0
# The code ends where the return should stand.
# Made up: an ertn inside the wrong #ifdef.
#! warning falls-off-end handle_vint
    .include "frame.inc"
    .data
kernelsp:
    .dword 0
    .text
    .globl handle_vint
do_vint:
    ret
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RESTORE 3
