# SPDX-License-Identifier: Apache-2.0
# Three routines of one build go by another name, or by none, in the next. The first is the same code, and nothing else is
# like it: it was renamed. The second is built like the new one, and has an instruction less: perhaps it was renamed.
# The third is gone.
#: args --entry old_* --entry new_*
#~ new_sure same renamed from old_sure
#~ new_unsure added renamed from old_unsure
#~ old_unsure removed
#~ old_gone removed
    .macro  ROUTINE name
    .globl  \name
    .type   \name, @function
\name:
    .endm
    .text
    .ifdef AFTER
    ROUTINE new_sure
    .else
    ROUTINE old_sure
    .endif
    ld.d    $t0, $a1, 8
    beqz    $a0, 1f
    st.d    $t0, $a1, 0
1:  ret

    .ifdef AFTER
    ROUTINE new_unsure
    addi.d  $a2, $a2, 2
    .else
    ROUTINE old_unsure
    .endif
    beqz    $a0, 1f
    st.d    $a2, $a1, 0
1:  ret

    .ifndef AFTER
    ROUTINE old_gone
    st.d    $zero, $a0, 0
    ret
    .endif
