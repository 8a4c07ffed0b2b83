# SPDX-License-Identifier: Apache-2.0
# What stands behind the exception return is not part of any path, with a symbol or without, and data there
# is no finding. Imitates the literal and the dead `b .` behind returns in several ports (Linux 6.1).
#= vmlinux loongarch64
#= handle_ri: exception-entry, paths 1, infeasible 0, nodes 3, instructions 3
#=   path either partial: exception-return either at +0x8 handle_ri+0x8
#=     insns 3  loads 1/1/8  stores 1/1/8  frame 1/1
#=     load 1, store 1, return 1
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
