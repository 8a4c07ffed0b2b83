# SPDX-License-Identifier: Apache-2.0
# The fast exit clears all registers that may change but r8, which leaves the kernel with what C put there.
# Imitates system_call_common of Linux 6.1 with a line forgotten.
#! warning kernel-value-leak system_call_common: registers r8
#! note redundant-restore system_call_common: registers r12
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
    CLEAR   0, 4, 5, 6, 7, 9, 10, 11
    mtctr   0
    mtxer   0
    RESTORE 3
    RETURN  12
restore_all:
    RESTORE_CTR_XER
    RESTORE_NVGPRS
    RESTORE 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS system_call_exception, syscall_exit_prepare
