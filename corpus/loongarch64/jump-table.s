# SPDX-License-Identifier: Apache-2.0
# A bound check, a table of addresses, a jump through it: three cases and the default, four paths.
# Imitates compiled switch statements; entry code of Linux dispatches exceptions this way on other architectures.
#= vmlinux loongarch64
#= handle_ri: exception-entry, paths 4, infeasible 0, nodes 17, instructions 17
#=   path either partial #1: exception-return either at +0x40 default+0x8
#=     insns 9  loads 2/2/16  stores 2/2/16  frame 2/2  branches 1/0  system 1
#=     load 2, store 2, branch 1, return 1, system 1, other 2
#=     +0x14 taken
#=   path either partial #2: exception-return either at +0x40 default+0x8
#=     insns 15  loads 3/3/24  stores 2/2/16  frame 2/2  branches 1/1  system 1  nops 1
#=     load 3, store 2, branch 2, return 1, system 1, nop 1, other 5
#=     +0x14 not taken
#=     +0x28 taken
#=   path either partial #3: exception-return either at +0x40 default+0x8
#=     insns 16  loads 3/3/24  stores 2/2/16  frame 2/2  branches 1/1  system 1  nops 2
#=     load 3, store 2, branch 2, return 1, system 1, nop 2, other 5
#=     +0x14 not taken
#=     +0x28 taken
#=   path either partial #4: exception-return either at +0x40 default+0x8
#=     insns 17  loads 3/3/24  stores 2/2/16  frame 2/2  branches 1/1  system 1  nops 3
#=     load 3, store 2, branch 2, return 1, system 1, nop 3, other 5
#=     +0x14 not taken
#=     +0x28 taken
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
