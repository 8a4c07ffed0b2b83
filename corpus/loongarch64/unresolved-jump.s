# SPDX-License-Identifier: Apache-2.0
# A jump through a register that was loaded from thread data goes nobody knows where; the path ends there and says so.
# Imitates handlers installed at run time (Linux 6.12 sets exception vectors by copying).
#= vmlinux loongarch64
#= handle_lbt: exception-entry, paths 1, infeasible 0, nodes 3, instructions 3
#=   path unresolved: unknown at +0x8 handle_lbt+0x8
#=     insns 3  loads 1/1/8  stores 1/1/8  frame 0/1  branches 1/0
#=     load 1, store 1, branch 1
#=   remark +0x8 the target of 'jr $t0' is not known
    .text
    .globl handle_lbt
handle_lbt:
    st.d    $a0, $sp, -8
    ld.d    $t0, $tp, 40
    jr      $t0
