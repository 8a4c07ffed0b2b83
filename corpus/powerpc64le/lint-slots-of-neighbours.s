# SPDX-License-Identifier: Apache-2.0
# r20 is saved in the slot of r21, and r24 with a store of 32 bits; on the way back r27 is loaded from the slot of r26
# and r30 with a load of 32 bits.
# Made up.
#! error slot-mismatch system_call_common at save_r20: registers r20; slots PT_R21
#! error slot-mismatch system_call_common at save_r24: registers r24; slots PT_R24
#! error slot-mismatch system_call_common at load_r27: registers r27; slots PT_R26
#! error slot-mismatch system_call_common at load_r30: registers r30; slots PT_R30
#! note redundant-restore system_call_common: slots PT_R26
    .include "frame.inc"
    .text
    .globl system_call_common
system_call_common:
    ENTER_SC
    SAVE    14, 15, 16, 17, 18, 19, 20, 22, 23, 25, 26, 27, 28, 29, 30, 31
save_r20:
    std     20, REGS + 8 * 21(1)
save_r24:
    stw     24, REGS + 8 * 24(1)
    SYSTEM_CALL
    RETURN_STATE
    RESTORE 2
    RESTORE_CTR_XER
    RESTORE 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 31
load_r27:
    ld      27, REGS + 8 * 26(1)
load_r30:
    lwz     30, REGS + 8 * 30(1)
    RESTORE 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
    FUNCTIONS system_call_exception, syscall_exit_prepare
