# SPDX-License-Identifier: Apache-2.0
# A bound check, a table of addresses, a jump through it: three cases and the default, four paths.
# Imitates compiled switch statements; entry code of Linux dispatches exceptions this way on other architectures.
    .text
    .globl handle_ri
handle_ri:
    st.d    $t0, $sp, -8
    st.d    $t1, $sp, -16
    csrrd   $t0, 5                  # ESTAT
    bstrpick.d $t0, $t0, 21, 16
    ori     $t1, $zero, 3
    bgeu    $t0, $t1, default
    slli.d  $t0, $t0, 3
    la.pcrel $t1, table
    ldx.d   $t0, $t1, $t0
    jr      $t0
case0:
    nop
case1:
    nop
case2:
    nop
default:
    ld.d    $t1, $sp, -16
    ld.d    $t0, $sp, -8
    ertn
    .section .rodata, "a", %progbits
    .p2align 3
table:
    .dword  case0, case1, case2
