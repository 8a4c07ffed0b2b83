# SPDX-License-Identifier: Apache-2.0
# A routine that no table knows, asked for with --entry: a plain function with two returns.
# Imitates a leaf of arch/loongarch/lib (Linux 6.12).
#: args --entry find_byte
#= vmlinux loongarch64
#= find_byte: user-named, paths 2, infeasible 0, nodes 6, instructions 6
#=   path return #1: return at +0xc find_byte+0xc
#=     insns 4  loads 1/1/1  branches 0/1
#=     load 1, branch 1, return 1, other 1
#=     +0x4 not taken
#=   path return #2: return at +0x14 find_byte+0x14
#=     insns 4  loads 1/1/1  branches 1/0
#=     load 1, branch 1, return 1, other 1
#=     +0x4 taken
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
