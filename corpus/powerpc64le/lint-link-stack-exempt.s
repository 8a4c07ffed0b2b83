# SPDX-License-Identifier: Apache-2.0
# Look-alikes of an unbalanced link stack: the exempt bcl 20, 31, $+4; the same as the base of a jump table, with the
# return address kept in r0; a local subroutine that returns; a function that is called on a condition; a way into
# little-endian mode, whose words are big-endian and stepped over (0x05009f42 is the exempt form, swapped).
# Imitates __get_datapage of the vDSO, Linux 5.6; FIXUP_ENDIAN, arch/powerpc/include/asm/ppc_asm.h; load_up_vsx.
#: args --entry __get_datapage --entry pick --entry twice --entry load_both --entry trampoline
#: sweep exempt 2, calls 2, balanced 2
#! none
    .text
    .globl __get_datapage
    .type __get_datapage, @function
__get_datapage:
    mflr    0
    bcl     20, 31, 1f
1:  mflr    3
    mtlr    0
    addi    3, 3, 0x10
    lwz     0, 0(3)
    add     3, 0, 3
    blr
    .size __get_datapage, .-__get_datapage

    .globl pick
    .type pick, @function
pick:                               # r3: which of four registers
    mflr    0
    rlwinm  3, 3, 3, 0x18
    bcl     20, 31, 1f
1:  mflr    5
    addi    5, 5, 2f - 1b
    add     5, 5, 3
    mtctr   5
    mtlr    0
    bctr
2:  mr      3, 14
    blr
    mr      3, 15
    blr
    mr      3, 16
    blr
    mr      3, 17
    blr
    .size pick, .-pick

    .globl twice
    .type twice, @function
twice:
    mflr    12
    bl      3f
    bl      3f
    mtlr    12
    blr
3:  addi    3, 3, 1
    blr
    .size twice, .-twice

    .globl load_both
    .type load_both, @function
load_both:
    mflr    12
    andi.   5, 3, 0x2000
    beql    load_one
    andi.   5, 3, 0x4000
    beql    load_one
    mtlr    12
    blr
    .size load_both, .-load_both
    .globl load_one
    .type load_one, @function
load_one:
    ori     3, 3, 0x2000
    blr
    .size load_one, .-load_one

    .globl trampoline
    .type trampoline, @function
trampoline:
    tdi     0, 0, 0x48
    b       1f
    .long   0xa600607d, 0x01006b69, 0x05009f42, 0xa602487d, 0x1c004a39, 0x2400004c
1:  mr      3, 4
    blr
    .size trampoline, .-trampoline
