# SPDX-License-Identifier: Apache-2.0
# The proposal of 2022 for LoongArch, cut down: the number of the system call is kept in thread_info, and only
# rt_sigreturn (139) reloads the nine temporaries. The path that every system call took is now two: rt_sigreturn's costs a
# store, a load and the test with its constant more (4 instructions), every other one nine loads less than that.
#~ handle_syscall changed
#~   user full: insns +4, loads +1, stores +1
#~   split user full -> user partial: insns -5, loads -8, stores +1
#~   kernel full: insns +4, loads +1, stores +1
#~   split kernel full -> kernel partial: insns -5, loads -8, stores +1
#~ new warning kernel-value-leak handle_syscall: registers t0 t1 t2 t3 t5 t6 t7 t8
    .include "frame.inc"
    .text
    .globl  handle_syscall
handle_syscall:
    ENTER_SYSCALL
    SAVE_STATIC
    .ifdef AFTER
    st.d    $a7, $tp, TI_SYSCALL
    .endif
    CALL    do_syscall
    .ifdef AFTER
    ld.d    $t3, $tp, TI_SYSCALL
    ori     $t4, $zero, NR_rt_sigreturn
    beq     $t3, $t4, 1f
    RESTORE_STATIC
    RESTORE_SOME
    RETURN
1:
    .endif
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_syscall
