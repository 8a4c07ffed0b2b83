# SPDX-License-Identifier: Apache-2.0
# Look-alike of much: t0 and t1 are parked in scratch registers and read back; a0 carries PRMD and ERA on the way out;
# u0 is reloaded only for user mode, decided by a test of the saved status; both returns share their code; the a0 slot
# is copied to PT_ORIG_A0 on purpose. Every register comes back.
# Imitates the handlers of arch/loongarch/kernel/genex.S, Linux 6.1.
#: each ^st\.d \$(?!zero)\S+, \$sp, (?!256)
#: each ^ld\.d \$(ra|tp|sp|a[1-7]|t[0-8]|r21), \$sp
#: each ^ld\.d \$a0, \$sp, 32
#! none
    .include "frame.inc"
    .text
    .globl handle_reserved
handle_reserved:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    st.d    $a0, $sp, PT_ORIG_A0
    CALL    do_reserved
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_reserved
