# SPDX-License-Identifier: Apache-2.0
# Look-alike: the switch of tasks returns with the next task's stack pointer and callee-saved registers. Neither lost
# track nor an imbalance.
# Imitates __switch_to of Linux 6.1.
#! none
    .text
    .globl __switch_to
    .type __switch_to, @function
__switch_to:
    .irp    n, 1, 3, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    stptr.d $r\n, $a0, 1024 + 8 * \n
    .endr
    .irp    n, 23, 24, 25, 26, 27, 28, 29, 30, 31, 1, 3, 22
    ldptr.d $r\n, $a1, 1024 + 8 * \n
    .endr
    move    $tp, $a2
    ret
