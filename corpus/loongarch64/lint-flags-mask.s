# SPDX-License-Identifier: Apache-2.0
# What LoongArch would look like if its exit tested the flags in assembly: andi tests bits 1 to 8; 6 and 8 are no work.
#: lint-args --config {here}/flags.toml
#! warning thread-flags-mask handle_vint at test: flags TIF_NOHZ TIF_USEDFPU
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
    andi    $t1, $t0, 0x1de             # not 5
    beqz    $t1, restore
work:
    CALL    do_notify_resume
restore:
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint, do_notify_resume
