# SPDX-License-Identifier: Apache-2.0
# Look-alike: a run of identical branches, each to the next instruction, with the link register kept, fills the link
# stack on purpose; so does a loop of a known number of turns. The first has a jump behind it that patching may take out.
# Of the first two a sweep asks whether they return to the caller, since the address was kept so far away.
# Imitates flush_branch_caches (arch/powerpc/kernel/entry_64.S) and kvm_flush_link_stack, Linux 6.1.
#: args --entry flush*
#: sweep flush 129, balanced 2
#! none
    .text
    .globl flush_branch_caches
    .type flush_branch_caches, @function
flush_branch_caches:
    mflr    9
    .rept   64
    bl      .+4
    .endr
    b       1f
    nop
    nop
1:  mtlr    9
    li      9, 0x7fff
    mtctr   9
    blr
    .size flush_branch_caches, .-flush_branch_caches
    .globl flush_twice
    .type flush_twice, @function
flush_twice:
    mflr    0
    .rept   32
    bl      .+4
    .endr
    nop
    .rept   32
    bl      .+4
    .endr
    mtlr    0
    blr
    .size flush_twice, .-flush_twice
    .globl flush_in_a_loop
    .type flush_in_a_loop, @function
flush_in_a_loop:
    mflr    0
    li      9, 32
    mtctr   9
1:  bl      .+4
    bdnz    1b
    mtlr    0
    blr
    .size flush_in_a_loop, .-flush_in_a_loop
