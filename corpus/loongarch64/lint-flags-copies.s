# SPDX-License-Identifier: Apache-2.0
# Look-alike: a field, a bit moved to the sign, and a bit of a shifted copy together are all of the work.
#: lint-args --config {here}/flags.toml
#! none
    .include "frame.inc"
    .text
    .globl handle_vint
handle_vint:
    ENTER_EXCEPTION
    SAVE_TEMP
    SAVE_STATIC
    CALL    do_vint
    ld.d    $t0, $tp, 8                 # thread_info, flags
test:
    bstrpick.d $t1, $t0, 3, 1
    bnez    $t1, work
    slli.d  $t1, $t0, 59                # bit 4 is the sign
    bltz    $t1, work
    srli.d  $t1, $t0, 3
    andi    $t1, $t1, 0x10              # bit 7
    beqz    $t1, restore
work:
    CALL    do_notify_resume
restore:
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint, do_notify_resume
