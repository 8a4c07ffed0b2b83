# SPDX-License-Identifier: Apache-2.0
# Load-linked and store-conditional: a load and a store, both atomic; the retry is an uncounted loop.
# Imitates the page-table update of handle_tlb_modify (Linux 5.19 arch/loongarch/mm/tlbex.S).
#= vmlinux loongarch64
#= handle_tlb_modify: tlb-handler, paths 1, infeasible 0, nodes 13, instructions 13
#=   path either: exception-return either at +0x30 retry+0x24
#=     insns 13  loads 1/1/8  stores 1/1/8  branches 0/1  system 7  barriers 1  atomics 2
#=     load 1, store 1, branch 1, return 1, system 7, barrier 1, other 1
#=     +0x18 not taken
#=     loop +0xc uncounted: 4 insns, 1 loads, 1 stores a turn
#=   loop +0xc uncounted: 4 insns, 1 loads, 1 stores a turn
    .text
    .globl handle_tlb_modify
handle_tlb_modify:
    csrwr   $t0, 0x30               # KS0
    csrwr   $ra, 0x31               # KS1
    csrrd   $t0, 7                  # BADV
retry:
    ll.d    $ra, $t0, 0
    ori     $ra, $ra, 0x102
    sc.d    $ra, $t0, 0
    beqz    $ra, retry
    dbar    0
    tlbsrch
    tlbwr
    csrrd   $t0, 0x30
    csrrd   $ra, 0x31
    ertn
