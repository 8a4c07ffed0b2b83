# SPDX-License-Identifier: Apache-2.0
# A routine does not end at the next symbol: handle_ale runs into exception_common, a global label, and then past
# a local one. Imitates the handlers of Linux 5.19 arch/loongarch/kernel/genex.S.
#= vmlinux loongarch64
#= handle_ale: exception-entry, paths 1, infeasible 0, nodes 9, instructions 9
#=   path either partial: exception-return either at +0x20 past_a_local_label+0xc
#=     insns 9  loads 2/2/16  stores 3/3/24  frame 2/3  system 1
#=     load 2, store 3, return 1, system 1, other 2
    .text
    .globl handle_ale
handle_ale:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    .globl exception_common
exception_common:
    st.d    $a1, $sp, 40
    csrrd   $a1, 7                  # BADV
    st.d    $a1, $sp, 272
past_a_local_label:
    ld.d    $a1, $sp, 40
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
