# SPDX-License-Identifier: Apache-2.0
# A load, and what is done with it, were inserted into one of two ways out; the other is the same.
#: args --entry work
#~ work changed
#~   return #2: insns +2, loads +1
    .text
    .globl  work
    .type   work, @function
work:
    beqz    $a0, 1f
    .ifdef AFTER
    ld.d    $t1, $a1, 8
    add.d   $a2, $a2, $t1
    .endif
    ld.d    $t0, $a1, 0
    st.d    $t0, $a1, 16
    bl      other
    addi.d  $a0, $a0, 1
1:  ret
    .globl  other
other: ret
