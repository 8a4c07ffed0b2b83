# SPDX-License-Identifier: Apache-2.0
# Look-alikes whose return address comes from elsewhere, so that nothing can be said of it: a signal trampoline, which
# calls the handler so that the handler's return matches; a long jump; a tracing trampoline, whose return address is the
# result of a call; a function that ends in a jump to another.
# Imitates __kernel_start_sigtramp_rt64, longjmp and return_to_handler, Linux 6.1.
#: args --entry sigtramp --entry longjmp --entry return_to_handler --entry tail_call
#: sweep exempt 1, calls 1, undecided 2
#! none
    .text
    .globl sigtramp
    .type sigtramp, @function
sigtramp:
    bctrl
    addi    1, 1, 128
    li      0, 172
    sc
    .size sigtramp, .-sigtramp
    .globl longjmp
    .type longjmp, @function
longjmp:
    ld      0, 0(3)
    mtlr    0
    cmpwi   4, 0
    mr      3, 4
    bnelr
    li      3, 1
    blr
    .size longjmp, .-longjmp
    .globl return_to_handler
    .type return_to_handler, @function
return_to_handler:
    std     3, -32(1)
    stdu    1, -112(1)
    bl      original_address
    nop
    mtlr    3
    addi    1, 1, 112
    ld      3, -32(1)
    blr
    .size return_to_handler, .-return_to_handler
    .globl original_address
    .type original_address, @function
original_address:
    ld      3, 8(13)
    blr
    .size original_address, .-original_address
    .globl tail_call
    .type tail_call, @function
tail_call:
    bcl     20, 31, 1f
1:  mflr    3
    mtlr    12
    b       original_address
    .size tail_call, .-tail_call
