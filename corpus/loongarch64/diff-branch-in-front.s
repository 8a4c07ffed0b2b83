# SPDX-License-Identifier: Apache-2.0
# A new question in front of all others: whoever passes 0 in a2 is spared a load. Each of the two old paths is now two: the
# slow one has the branch more; the fast one, for which the load goes, too, has as many instructions as before.
#: args --entry work
#~ work changed
#~   return #1: loads -1
#~   return #2: loads -1
#~   split return #1 -> return #3: insns +1
#~   split return #2 -> return #4: insns +1
    .text
    .globl  work
    .type   work, @function
work:
    .ifdef AFTER
    beqz    $a2, 1f
    .endif
    ld.d    $t3, $a1, 8
1:  beqz    $a0, 2f
    st.d    $t0, $a1, 16
2:  ret
