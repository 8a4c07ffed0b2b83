# SPDX-License-Identifier: Apache-2.0
# A name that --entry does not find is an error that offers the nearest names.
# Made up; handle_ade stands in Linux 6.12.
#: args --entry handle_adr
#: exit 2
#: error no function named handle_adr; did you mean handle_ade?
    .text
    .globl handle_ade
handle_ade:
    ertn
