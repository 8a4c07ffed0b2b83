# SPDX-License-Identifier: Apache-2.0
# What stands behind the exception return is not part of any path, with a symbol or without, and data there
# is no finding. Imitates the literal and the dead `b .` behind returns in several ports (Linux 6.1).
    .text
    .globl handle_ri
handle_ri:
    st.d    $a0, $sp, -8
    ld.d    $a0, $sp, -8
    ertn
    ld.d    $a1, $sp, -16
    b       .
    .word   0xffffffff
handle_ri_end:
    ld.d    $a2, $sp, -24
    ret
