# SPDX-License-Identifier: Apache-2.0
# Look-alike: the TLB miss handler has no frame. r10 and r11 wait in scratch registers, CR in r11 before it is used
# again.
# Imitates the handlers of arch/powerpc/kernel/head_8xx.S, Linux 6.1.
#! none
    .text
    .globl DataStoreTLBMiss
DataStoreTLBMiss:
    mtspr   272, 10                 # SPRG0
    mtspr   276, 11                 # SPRG4
    mfspr   10, 19                  # DAR
    mfspr   11, 274                 # SPRG2, page table
    rlwinm  10, 10, 12, 20, 29
    lwzx    11, 11, 10
    mtspr   275, 11
    mfspr   10, 272
    mfspr   11, 276
    rfi
