# SPDX-License-Identifier: Apache-2.0
# Look-alike: the TLB handler has no frame. t0 and t1 wait in scratch registers; the other way out jumps to the
# page-fault handler, which takes them from there.
# Imitates handle_tlb_load of Linux 6.1, arch/loongarch/mm/tlbex.S.
#! none
    .include "frame.inc"
    .text
    .globl handle_tlb_load
handle_tlb_load:
    csrwr   $t0, KS0
    csrwr   $t1, KS1
    csrrd   $t0, 7                  # BADV
    csrrd   $t1, 0x1b               # PGD
    bstrpick.d $t0, $t0, 35, 25
    alsl.d  $t1, $t0, $t1, 3
    ld.d    $t1, $t1, 0
    andi    $t0, $t1, 1
    beqz    $t0, no_page
    tlbwr
    csrrd   $t0, KS0
    csrrd   $t1, KS1
    ertn
no_page:
    la.pcrel $t0, tlb_do_page_fault_0
    jr      $t0
    .globl tlb_do_page_fault_0
tlb_do_page_fault_0:
    ENTER_EXCEPTION park=0
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_page_fault
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_page_fault
