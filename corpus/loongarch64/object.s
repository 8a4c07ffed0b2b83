# SPDX-License-Identifier: Apache-2.0
# An object file, as a build leaves it: the call and the tail jump are known by their relocations only.
# Imitates arch/loongarch/kernel/entry.o of Linux 6.12.
#: link none
#: args --entry handle_syscall --entry ret_early
#= object loongarch64
#= handle_syscall: syscall-entry, paths 1, infeasible 0, nodes 7, instructions 7
#=   path user partial: exception-return user at +0x18 handle_syscall+0x18
#=     insns 7  loads 2/2/16  stores 1/1/8  frame 1/1  calls 1/0
#=     load 2, store 1, call 1, return 1, other 2
#=     call +0x10 do_syscall
#= ret_early: user-named, paths 2, infeasible 0, nodes 5, instructions 5
#=   path return: return at +0x10 ret_early+0x10
#=     insns 2  branches 1/0
#=     branch 1, return 1
#=     +0x0 taken
#=   path jump do_exit_early: jump at +0xc do_exit_early
#=     insns 4  branches 1/1
#=     branch 2, other 2
#=     +0x0 not taken
    .text
    .globl handle_syscall
handle_syscall:
    st.d    $a0, $sp, -8
    la.pcrel $a0, state
    ld.d    $a0, $a0, 0
    bl      do_syscall
    ld.d    $a0, $sp, -8
    ertn

    .globl ret_early
ret_early:
    beqz    $a0, 1f
    la.pcrel $t0, do_exit_early
    jr      $t0
1:  ret
    .data
state:
    .dword 0
