# SPDX-License-Identifier: Apache-2.0
# A routine does not end at the next symbol: handle_ale runs into exception_common, a global label, and then past
# a local one. Imitates the handlers of Linux 5.19 arch/loongarch/kernel/genex.S.
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
