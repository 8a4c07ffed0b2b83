# SPDX-License-Identifier: Apache-2.0
# A jump through a register that was loaded from thread data goes nobody knows where; the path ends there and says so.
# Imitates handlers installed at run time (Linux 6.12 sets exception vectors by copying).
    .text
    .globl handle_lbt
handle_lbt:
    st.d    $a0, $sp, -8
    ld.d    $t0, $tp, 40
    jr      $t0
