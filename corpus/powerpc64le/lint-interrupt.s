# SPDX-License-Identifier: Apache-2.0
# Look-alike of much: r9-r13 come from the PACA's save area; r14-r31 are saved, but C preserves them and they are not
# reloaded; both returns share their code, and CTR and XER come back through r4.
# Imitates hardware_interrupt_common and interrupt_return_srr of Linux 6.1.
#! note redundant-restore hardware_interrupt_common: slots PT_MSR
    .include "frame.inc"
    .text
    .globl hardware_interrupt_common
hardware_interrupt_common:
    andi.   10, 12, 0x4000          # from user mode?
    mr      10, 1
    addi    1, 1, -0x400
    beq     1f
    ld      1, PACA_STACK(13)
1:  std     10, 0(1)
    std     11, PT_NIP(1)
    std     12, PT_MSR(1)
    std     9, PT_CCR(1)
    std     10, REGS + 8(1)
    SAVE    0, 2, 3, 4, 5, 6, 7, 8
    .irp    n, 9, 10, 11, 12, 13
    ld      10, PACA_SAVED_R9 + 8 * (\n - 9)(13)
    std     10, REGS + 8 * \n(1)
    .endr
    mflr    10
    std     10, PT_LNK(1)
    ld      10, PACA_SAVED_R9 + 8 * 5(13)
    std     10, PT_CTR(1)
    mfxer   10
    std     10, PT_XER(1)
    SAVE_NVGPRS
    ld      2, PACA_TOC(13)
    addi    3, 1, REGS
    bl      do_IRQ
    RETURN_STATE
    RESTORE_CTR_XER
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      12, PT_MSR(1)
    andi.   12, 12, 0x4000
    beq     2f
    RETURN  12
2:  ld      12, PT_LNK(1)           # r13 is the kernel's own
    mtlr    12
    ld      12, PT_CCR(1)
    mtcr    12
    RESTORE 12, 1
    rfid
    FUNCTIONS do_IRQ
