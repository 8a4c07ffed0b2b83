# SPDX-License-Identifier: Apache-2.0
# A word that is no instruction ends the path as `unknown` and is reported: never a silent end.
# Made up: no kernel has this; a wrong .word in a macro would make it.
    .text
    .globl handle_watch
handle_watch:
    st.d    $a0, $sp, -8
    ld.w    $a0, $tp, 16
    beqz    $a0, 1f
    .word   0xffffffff
    ertn
1:  ld.d    $a0, $sp, -8
    ertn
