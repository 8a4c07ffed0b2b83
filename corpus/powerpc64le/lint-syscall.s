# SPDX-License-Identifier: Apache-2.0
# Look-alike: the fast exit leaves r14-r31 alone, which C preserves, and clears what the convention lets change.
# Signal return is told by the result of syscall_exit_prepare, and everything comes back then.
# Imitates system_call_common of Linux 6.1.
#: each ^std (?!10, 0\(1\))
#: each ^(ld|li) (?!1, 40|12, 0|2, 16|3, 136|5, 0|11, 0|4, 368|5, 376)
#: each ^mt(ctr [04]|xer|lr|cr)
#! none
    .include "frame.inc"
    .text
    .globl system_call_common
system_call_common:
    ENTER_SC
    SAVE_NVGPRS
    SYSTEM_CALL
    cmpdi   3, 0
    RETURN_STATE
    RESTORE 2
    bne     restore_all
    li      0, 0
    CLEAR   4, 5, 6, 7, 8, 9, 10, 11
    mtctr   0
    mtxer   0
    RESTORE 3
    ld      12, PT_LNK(1)
    mtlr    12
    ld      12, PT_CCR(1)
    mtcr    12
    li      12, 0
    RESTORE 13, 1
    rfid
restore_all:
    RESTORE_CTR_XER
    RESTORE_NVGPRS
    RESTORE 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS system_call_exception, syscall_exit_prepare
