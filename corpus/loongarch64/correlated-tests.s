# SPDX-License-Identifier: Apache-2.0
# The privilege bits of the saved PRMD are tested three times and nothing changes them in between: of the eight walks
# that the graph allows only two are paths, six are infeasible. Imitates RESTORE_SOME of Linux 6.12, which tests
# PRMD to decide on u0, three times over.
#= vmlinux loongarch64
#= handle_bce: exception-entry, paths 2, infeasible 6, nodes 23, instructions 23
#=   path user partial: exception-return user at +0x58 handle_bce+0x58
#=     insns 22  loads 6/6/48  stores 4/4/32  frame 6/4  branches 1/2  system 2
#=     load 6, store 4, branch 3, return 1, system 2, other 6
#=     +0x1c not taken
#=   path kernel partial: exception-return kernel at +0x58 handle_bce+0x58
#=     insns 21  loads 5/5/40  stores 4/4/32  frame 5/4  branches 2/1  system 2  nops 1
#=     load 5, store 4, branch 3, return 1, system 2, nop 1, other 5
#=     +0x1c taken
    .equ PT_ERA, 264
    .equ PT_PRMD, 288
    .text
    .globl handle_bce
handle_bce:
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    st.d    $a1, $sp, 40
    st.d    $r21, $sp, 168
    csrrd   $a0, 1                  # PRMD
    st.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 1f
    move    $a1, $zero
1:  ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    beqz    $a0, 2f
    ld.d    $r21, $sp, 168
2:  ld.d    $a0, $sp, PT_PRMD
    csrwr   $a0, 1
    ld.d    $a0, $sp, PT_PRMD
    andi    $a0, $a0, 3
    bnez    $a0, 3f
    nop
3:  ld.d    $a1, $sp, 40
    ld.d    $a0, $sp, 32
    addi.d  $sp, $sp, 320
    ertn
