# SPDX-License-Identifier: Apache-2.0
# The saved status is tested before a call of C and again after it. C can write the frame, but its privilege bits
# are taken to survive: of four walks two are paths.
# Imitates SAVE_SOME and RESTORE_SOME around a C handler (Linux 6.12).
#= vmlinux loongarch64
#= handle_fpe: exception-entry, paths 2, infeasible 2, nodes 17, instructions 17
#=   path user partial: exception-return user at +0x40 handle_fpe+0x40
#=     insns 17  loads 3/3/24  stores 2/2/16  frame 3/2  branches 0/2  calls 1/0  system 2  nops 2
#=     load 3, store 2, branch 2, call 1, return 1, system 2, nop 2, other 4
#=     +0x14 not taken
#=     call +0x1c do_fpe
#=   path kernel partial: exception-return kernel at +0x40 handle_fpe+0x40
#=     insns 15  loads 3/3/24  stores 2/2/16  frame 3/2  branches 2/0  calls 1/0  system 2
#=     load 3, store 2, branch 2, call 1, return 1, system 2, other 4
#=     +0x14 taken
#=     call +0x1c do_fpe
    .equ PT_PRMD, 288
    .text
    .globl handle_fpe
handle_fpe:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    csrrd   $a0, 1                  # PRMD
    st.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 1f
    nop
1:  bl      do_fpe
    ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, 1
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 2f
    nop
2:  ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn

    .type do_fpe, @function
do_fpe:
    ret
