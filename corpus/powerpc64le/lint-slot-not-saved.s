# SPDX-License-Identifier: Apache-2.0
# r16 and r17 are reloaded on every exit, but were stored nowhere.
# Made up.
#! warning slot-not-saved system_call_common: registers r16 r17; slots PT_R16 PT_R17
    .include "frame.inc"
    .text
    .globl system_call_common
system_call_common:
    ENTER_SC
    SAVE    14, 15, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    SYSTEM_CALL
    RETURN_STATE
    RESTORE_CTR_XER
    RESTORE_NVGPRS
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS system_call_exception, syscall_exit_prepare
