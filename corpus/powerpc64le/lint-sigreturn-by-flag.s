# SPDX-License-Identifier: Apache-2.0
# Look-alike: one bit of the result of syscall_exit_prepare, _TIF_RESTOREALL, is tested. It is set after rt_sigreturn.
# Imitates the exit of Linux 5.8 and later with a narrower test.
#! note redundant-restore system_call_common: registers r12
    .include "frame.inc"
    .text
    .globl system_call_common
system_call_common:
    ENTER_SC
    SAVE_NVGPRS
    SYSTEM_CALL
    andi.   0, 3, 0x800
    RETURN_STATE
    RESTORE 2
    bne     restore_all
    CLEAR   0, 4, 5, 6, 7, 8, 9, 10, 11
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
