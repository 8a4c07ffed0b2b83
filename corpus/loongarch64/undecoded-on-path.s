# SPDX-License-Identifier: Apache-2.0
# A word that is no instruction ends the path as `unknown` and is reported: never a silent end.
# Made up: no kernel has this; a wrong .word in a macro would make it.
#= vmlinux loongarch64
#= handle_watch: exception-entry, paths 2, infeasible 0, nodes 6, instructions 6
#=   path either partial: exception-return either at +0x18 handle_watch+0x18
#=     insns 5  loads 2/2/12  stores 1/1/8  frame 1/1  branches 1/0
#=     load 2, store 1, branch 1, return 1
#=     +0x8 taken
#=   path undecoded: unknown at +0xc handle_watch+0xc
#=     insns 4  loads 1/1/4  stores 1/1/8  frame 0/1  branches 0/1
#=     load 1, store 1, branch 1, unknown 1
#=     +0x8 not taken
#=   remark +0xc bytes ff ff ff ff are no instruction that is known
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
