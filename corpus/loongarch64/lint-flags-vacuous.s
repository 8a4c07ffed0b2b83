# SPDX-License-Identifier: Apache-2.0
# A bit is asked for after the field that it is in was shifted out.
#: lint-args --config {here}/flags.toml
#! warning flags-test-vacuous handle_vint at test+0x10
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
    andi    $t1, $t0, 0x9e
    beqz    $t1, restore
    srli.d  $t1, $t1, 4
    andi    $t1, $t1, 0x10              # of bits 0, 3
    bnez    $t1, restore
work:
    CALL    do_notify_resume
restore:
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint, do_notify_resume
