# SPDX-License-Identifier: Apache-2.0
# Look-alike: scv comes in with the return address in LR and the MSR in CTR, and rfscv takes them from there: slots
# cross registers on purpose. r9-r12 and XER are cleared.
# Imitates system_call_vectored_common of Linux 6.1.
#: each ^std (?!10, 0\(1\))
#: each ^mt(ctr [45]|xer|lr)
#: each ^ld ([0-9]|1[134]|2[0-9]|3[01]), (?!40\(13\)|16\(13\))
#! note redundant-restore system_call_vectored_common: registers r0 r4 r5 r6 r7 r8
    .include "frame.inc"
    .text
    .globl system_call_vectored_common
system_call_vectored_common:
    ENTER_SC
    SAVE_NVGPRS
    SYSTEM_CALL
    cmpdi   3, 0
    ld      4, PT_NIP(1)
    ld      5, PT_MSR(1)
    RESTORE 2, 3
    bne     restore_all
    mtlr    4
    mtctr   5
    CLEAR   9, 10, 11, 12
    mtxer   9
    RESTORE 0, 4, 5, 6, 7
    ld      8, PT_CCR(1)
    mtcr    8
    RESTORE 8, 13, 1
    .long   0x4c0000a4              # rfscv
restore_all:
    mtspr   SRR0, 4
    mtspr   SRR1, 5
    RESTORE_CTR_XER
    RESTORE_NVGPRS
    RESTORE 0, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS system_call_exception, syscall_exit_prepare
