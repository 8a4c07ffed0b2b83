# SPDX-License-Identifier: Apache-2.0
# The return from an interrupt tests the work and two flags of system calls, 0 (tracing) and 11 (TIF_RESTOREALL).
# Imitates ret_from_except_lite of Linux 5.0.
#: lint-args --config {here}/flags.toml
#! warning thread-flags-mask hardware_interrupt_common: flags TIF_SYSCALL_TRACE TIF_RESTOREALL
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
    ld      12, PT_MSR(1)
    andi.   0, 12, 0x4000
    beq     kernel
    clrrdi  9, 1, 14                # thread_info is at the bottom of the stack
    ld      4, 128(9)               # flags
    andi.   0, 4, 0x6867
    bne     work
restore:
    RETURN_STATE
    RESTORE_CTR_XER
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    RETURN  12
work:
    addi    3, 1, REGS
    bl      do_notify_resume
    b       restore
kernel:
    ld      4, PT_NIP(1)
    mtspr   SRR0, 4
    mtspr   SRR1, 12
    RESTORE_CTR_XER
    RESTORE 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      12, PT_LNK(1)           # r13 is the kernel's own
    mtlr    12
    ld      12, PT_CCR(1)
    mtcr    12
    RESTORE 12, 1
    rfid
    FUNCTIONS do_IRQ, do_notify_resume
