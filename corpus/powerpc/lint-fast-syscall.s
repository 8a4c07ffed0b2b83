# SPDX-License-Identifier: Apache-2.0
# The fast exit of a 32-bit system call leaves r0, r6, r9-r12, CTR and XER as C left them, and r4, r5, r7 and r8 with
# LR, CR, NIP and MSR, which are the user's own. The convention lets all of them change, and every 32-bit kernel did
# so: notes. Where CR was saved before the entry, the contract says.
# Imitates transfer_to_syscall and ret_from_syscall of Linux 6.1, arch/powerpc/kernel/entry_32.S.
#! note kernel-value-leak transfer_to_syscall: registers r0 r6 r9 r10 r11 r12 ctr xer
#! note slot-mismatch transfer_to_syscall at load_lr: registers r4; slots PT_LNK
#! note slot-mismatch transfer_to_syscall at load_lr+0x4: registers r5; slots PT_CCR
#! note slot-mismatch transfer_to_syscall at load_lr+0x8: registers r7; slots PT_NIP
#! note slot-mismatch transfer_to_syscall at load_lr+0xc: registers r8; slots PT_MSR
    .equ REGS, 16
    .equ PT_NIP, REGS + 128
    .equ PT_MSR, REGS + 132
    .equ PT_CTR, REGS + 140
    .equ PT_LNK, REGS + 144
    .equ PT_XER, REGS + 148
    .equ PT_CCR, REGS + 152
    .macro  EACH instruction registers:vararg
    .irp    n, \registers
    \instruction \n, REGS + 4 * \n(1)
    .endr
    .endm
    .text
    .globl transfer_to_syscall
transfer_to_syscall:                # r1 = frame with NIP and CR, r9 = MSR, r11 = user r1
    stw     11, REGS + 4(1)
    stw     11, 0(1)
    mflr    12
    stw     12, PT_LNK(1)
    stw     9, PT_MSR(1)
    EACH    stw, 0, 2, 3, 4, 5, 6, 7, 8
    EACH    stw, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 13
    li      12, 0
    .irp    n, 9, 10, 11, 12
    stw     12, REGS + 4 * \n(1)
    .endr
    stw     12, PT_CTR(1)
    stw     12, PT_XER(1)
    addi    9, 1, REGS
    bl      system_call_exception
    addi    4, 1, REGS
    li      5, 0
    bl      syscall_exit_prepare
load_lr:
    lwz     4, PT_LNK(1)
    lwz     5, PT_CCR(1)
    lwz     7, PT_NIP(1)
    lwz     8, PT_MSR(1)
    cmpwi   3, 0
    EACH    lwz, 3
    mtlr    4
    mtspr   26, 7
    mtspr   27, 8
    bne     restore_all
    mtcr    5
    EACH    lwz, 2, 1
    rfi
restore_all:
    mtcr    5
    lwz     4, PT_CTR(1)
    mtctr   4
    lwz     4, PT_XER(1)
    mtxer   4
    EACH    lwz, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    EACH    lwz, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1
    rfi
    .irp    name, system_call_exception, syscall_exit_prepare     # what would be C: goes on where nobody can see
    .type \name, @function
\name:
    lwz     12, 0(3)
    mtctr   12
    bctr
    .endr
