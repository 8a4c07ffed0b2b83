# SPDX-License-Identifier: Apache-2.0
# A field of bits 1 to 4 is cut out; bit 7, TIF_UPROBE, is missed.
#: lint-args --config {here}/flags.toml
#! warning thread-flags-mask handle_vint at test: flags TIF_UPROBE
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
    bstrpick.d $t1, $t0, 4, 1
    beqz    $t1, restore
work:
    CALL    do_notify_resume
restore:
    RESTORE_STATIC
    RESTORE_TEMP
    RESTORE_SOME
    RETURN
    FUNCTIONS do_vint, do_notify_resume
