# SPDX-License-Identifier: Apache-2.0
# A routine that no table knows, asked for with --entry: a plain function with two returns.
# Imitates a leaf of arch/loongarch/lib (Linux 6.12).
#: args --entry find_byte
    .text
    .globl find_byte
    .type find_byte, @function
find_byte:
    ld.bu   $t0, $a0, 0
    beq     $t0, $a1, 1f
    move    $a0, $zero
    ret
1:  ori     $a0, $zero, 1
    ret
    .size find_byte, .-find_byte
