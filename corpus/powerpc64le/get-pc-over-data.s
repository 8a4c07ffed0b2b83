# SPDX-License-Identifier: Apache-2.0
# The older form jumps over a data word whose address it learns. That is a jump as well: the word is on no path.
# Imitates __get_datapage of the vDSO, Linux 5.5, where this form unbalanced the link stack.
#: args --entry __get_datapage
    .text
    .globl __get_datapage
    .type __get_datapage, @function
__get_datapage:
    mflr    0
    bcl     20, 31, 2f
1:  .long   0
2:  mflr    3
    mtlr    0
    lwz     0, 0(3)
    add     3, 0, 3
    blr
    .size __get_datapage, .-__get_datapage
