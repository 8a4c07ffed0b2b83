# SPDX-License-Identifier: Apache-2.0
# Every system call reloads every register: clean but for t0-t8, whose slots nothing stored. They are loaded because
# rt_sigreturn writes them; for every other call they hold what lay on the stack.
# Imitates handle_syscall of Linux 6.1, the kernel before the proposal of 2022.
#: each ^st\.d \$(?!zero)\S+, \$sp
#: each ^(ld\.d \S+ \$sp|csrwr)
#! note slot-not-saved handle_syscall: registers t0 t1 t2 t3 t4 t5 t6 t7 t8; slots PT_R12 PT_R13 PT_R14 PT_R15 PT_R16 PT_R17 PT_R18 PT_R19 PT_R20
    .include "frame.inc"
    .text
    .globl handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    CALL    do_syscall
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
