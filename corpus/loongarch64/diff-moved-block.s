# SPDX-License-Identifier: Apache-2.0
# The rare half of a routine was moved out of line, and the branch to it turned: whoever is not zero jumps away and back,
# which is a jump more; the other path has the same number of instructions, and another branch.
#: args --entry work
#~ work changed
#~   return #1: at the same cost
#~   return #2: insns +1
    .text
    .globl  work
    .type   work, @function
work:
    ld.d    $t0, $a1, 0
    .ifdef AFTER
    bnez    $a0, 2f
1:  st.d    $t0, $a1, 8
    ret
2:  ld.d    $t1, $a1, 16
    add.d   $t0, $t0, $t1
    b       1b
    .else
    beqz    $a0, 1f
    ld.d    $t1, $a1, 16
    add.d   $t0, $t0, $t1
1:  st.d    $t0, $a1, 8
    ret
    .endif
