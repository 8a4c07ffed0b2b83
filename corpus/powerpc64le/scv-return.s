# SPDX-License-Identifier: Apache-2.0
# The end of an `scv` system call is rfscv, a word that LLVM 22 does not know (Power ISA 3.0B, Book III: opcode 19,
# extended opcode 82). Store-conditional clears the reservation on the way out.
# Imitates system_call_vectored_common of Linux 6.1.
#= vmlinux powerpc64le
#= system_call_vectored_common: syscall-entry, paths 1, infeasible 0, nodes 9, instructions 9
#=   path user partial: exception-return user at +0x20 system_call_vectored_common+0x20
#=     insns 9  loads 3/3/24  stores 3/3/24  frame 2/3  calls 1/0  atomics 1
#=     load 3, store 3, call 1, return 1, other 1
#=     call +0x10 system_call_exception
    .text
    .globl system_call_vectored_common
system_call_vectored_common:
    mr      10, 1
    ld      1, 0x28(13)
    std     10, 0(1)
    std     3, 0x80(1)
    bl      system_call_exception
    stdcx.  0, 0, 1
    ld      3, 0x80(1)
    ld      1, 0(1)
    .long   0x4c0000a4              # rfscv

    .globl system_call_exception
    .type system_call_exception, @function
system_call_exception:
    blr
