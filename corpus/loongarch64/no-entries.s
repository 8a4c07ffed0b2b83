# SPDX-License-Identifier: Apache-2.0
# An image without any routine of the table is an error, not an empty report.
# Made up: a program that is no kernel.
#: exit 2
#: error no entry routine found for loongarch64 (looked for handle_syscall, *); name one with --entry
    .text
    .globl start
start:
    ret
