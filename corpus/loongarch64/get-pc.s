# SPDX-License-Identifier: Apache-2.0
# Two ways to learn the own address: a link-setting branch to the next instruction, which is a jump and no call, and
# pcaddi. The last branch is a real call. Imitates position-independent stubs; Linux itself uses pcaddi (6.12).
#= vmlinux loongarch64
#= handle_bp: exception-entry, paths 1, infeasible 0, nodes 10, instructions 10
#=   path either partial: exception-return either at +0x24 handle_bp+0x24
#=     insns 10  loads 1/1/8  stores 3/3/24  frame 1/3  branches 1/0  calls 1/0
#=     load 1, store 3, call 2, return 1, other 3
#=     call +0x18 do_bp
    .text
    .globl handle_bp
handle_bp:
    addi.d  $sp, $sp, -320
    st.d    $ra, $sp, 8
    bl      1f
1:  st.d    $ra, $sp, 16
    pcaddi  $t0, 0
    st.d    $t0, $sp, 96
    bl      do_bp
    ld.d    $ra, $sp, 8
    addi.d  $sp, $sp, 320
    ertn

    .type do_bp, @function
do_bp:
    ret
