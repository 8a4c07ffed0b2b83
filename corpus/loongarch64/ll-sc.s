# SPDX-License-Identifier: Apache-2.0
# Load-linked and store-conditional: a load and a store, both atomic; the retry is an uncounted loop.
# Imitates the page-table update of handle_tlb_modify (Linux 5.19 arch/loongarch/mm/tlbex.S).
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
