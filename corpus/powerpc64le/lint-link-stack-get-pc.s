# SPDX-License-Identifier: Apache-2.0
# Three ways to learn the own address that leave it on the link stack: bcl over a data word, bl to the next instruction,
# and bcl 20, 31 to the next instruction with the hint bit, which is another encoding than the exempt one. The first has a
# conditional return behind it: one finding for both paths.
# Imitates __get_datapage of the vDSO, Linux 5.5, and __kernel_get_syscall_map.
#: args --entry __get_datapage --entry get_syscall_map --entry get_tbfreq
#: sweep found 3
#! warning link-stack-imbalance __get_datapage at over_data
#! warning link-stack-imbalance get_syscall_map at to_next
#! warning link-stack-imbalance get_tbfreq at with_hint
    .text
    .globl __get_datapage
    .type __get_datapage, @function
__get_datapage:
    mflr    0
over_data:
    bcl     20, 31, 2f
1:  .long   0
2:  mflr    3
    mtlr    0
    lwz     0, 0(3)
    cmpwi   0, 0
    beqlr
    add     3, 0, 3
    blr
    .size __get_datapage, .-__get_datapage
    .globl get_syscall_map
    .type get_syscall_map, @function
get_syscall_map:
    mflr    12
to_next:
    bl      1f
1:  mflr    3
    mtlr    12
    addi    3, 3, 0x80
    blr
    .size get_syscall_map, .-get_syscall_map
    .globl get_tbfreq
    .type get_tbfreq, @function
get_tbfreq:
    mflr    12
with_hint:
    bcl     21, 31, 1f
1:  mflr    3
    mtlr    12
    ld      3, 0x38(3)
    blr
    .size get_tbfreq, .-get_tbfreq
