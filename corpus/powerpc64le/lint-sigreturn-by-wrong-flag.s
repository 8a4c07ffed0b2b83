# SPDX-License-Identifier: Apache-2.0
# Another bit than _TIF_RESTOREALL is tested: after rt_sigreturn it is clear, and the fast exit is taken.
# Made up: two thread flags confused.
#! error sigreturn-incomplete system_call_common: registers r0 r4 r5 r6 r7 r8 r9 r10 r11 r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 r30 r31 ctr xer; slots PT_R0 PT_R4 PT_R5 PT_R6 PT_R7 PT_R8 PT_R9 PT_R10 PT_R11 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20 PT_R21 PT_R22 PT_R23 PT_R24 PT_R25 PT_R26 PT_R27 PT_R28 PT_R29 PT_R30 PT_R31 PT_CTR PT_XER
#! note redundant-restore system_call_common: registers ctr r0 r4 r5 r6 r7 r8 r9 r10 r11 r12
    .include "frame.inc"
    .text
    .globl system_call_common
system_call_common:
    ENTER_SC
    SAVE_NVGPRS
    SYSTEM_CALL
    andi.   0, 3, 0x400
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
