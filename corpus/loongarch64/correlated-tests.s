# SPDX-License-Identifier: Apache-2.0
# The privilege bits of the saved PRMD are tested three times and nothing changes them in between: of the eight walks
# that the graph allows only two are paths, six are infeasible. Imitates RESTORE_SOME of Linux 6.12, which tests
# PRMD to decide on u0, three times over.
    .equ PT_ERA, 264
    .equ PT_PRMD, 288
    .text
    .globl handle_bce
handle_bce:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    st.d    $a1, $sp, 40
    st.d    $r21, $sp, 168
    csrrd   $a0, 1                  # PRMD
    st.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 1f
    move    $a1, $zero
1:  ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 2f
    ld.d    $r21, $sp, 168
2:  ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, 1
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    bnez    $a0, 3f
    nop
3:  ld.d    $a1, $sp, 40
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
