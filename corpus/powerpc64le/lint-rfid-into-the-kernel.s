# SPDX-License-Identifier: Apache-2.0
# Look-alike: rfid as a jump inside the kernel. The vector parks r9-r13, puts the kernel's MSR and the handler's
# address into SRR1 and SRR0, and goes there; r10-r13 are the kernel's, and no register is judged: a note says so.
# Imitates the real-mode vectors of Linux 6.1, arch/powerpc/kernel/exceptions-64s.S.
#! note lost-track exc_real_0x0500_hardware_interrupt
    .text
    .globl exc_real_0x0500_hardware_interrupt
exc_real_0x0500_hardware_interrupt:
    mtspr   305, 13                 # HSPRG1
    mfspr   13, 304                 # HSPRG0: PACA
    std     9, 0x80(13)
    std     10, 0x88(13)
    std     11, 0x90(13)
    std     12, 0x98(13)
    mfspr   10, 305
    std     10, 0xa0(13)
    mfspr   11, 26                  # SRR0
    mfspr   12, 27
    mfcr    9
    ld      10, 0x18(13)            # address of the kernel
    addi    10, 10, 0x100
    mtspr   26, 10
    ld      10, 0x20(13)            # MSR of the kernel
    mtspr   27, 10
    rfid
    b       .
