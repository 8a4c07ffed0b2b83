# SPDX-License-Identifier: Apache-2.0
# The same code in another link: at another address, functions in another order, data elsewhere. No difference at all,
# though every branch, every address that is put together of two instructions, and every literal differs in its bytes.
#: link -Ttext=0x9000000000200000
#: link-after -Ttext=0x9000000000a4c000
#~ handle_syscall same
#~ handle_vint same
    .macro  SYSCALL
    .globl  handle_syscall
handle_syscall:
    csrrd   $t0, 0x33
    la.pcrel $t1, kernelsp          # pcalau12i and addi.d
    add.d   $t1, $t1, $t0
    ld.d    $sp, $t1, 0
    addi.d  $sp, $sp, -320
    st.d    $a0, $sp, 32
    la.abs  $t2, table              # four instructions
    ld.d    $t2, $t2, 8
    pcaddu12i $ra, 0                # the function as a value: la.pcrel would do the same
    bl      do_syscall
    beqz    $a0, 1f
    bl      trace
1:  ertn
    .endm
    .macro  VINT
    .globl  handle_vint
handle_vint:
    la.pcrel $t0, do_vint
    jirl    $ra, $t0, 0
    b       out
    .endm
    .macro  SHARED
    .globl  do_syscall, do_vint, trace
do_syscall: ret
do_vint: ret
trace: ret
out: ertn
    .endm

    .text
    .ifdef AFTER
    nop
    SHARED
    VINT
    .rept 1100
    nop
    .endr
    SYSCALL
    .else
    SYSCALL
    VINT
    SHARED
    .endif

    .data
    .ifdef AFTER
    .fill 5000
    .endif
    .globl  table
table: .dword 1, 2
    .size   table, 16
    .type   table, @object
    .globl  kernelsp
kernelsp: .dword 0
    .size   kernelsp, 8
    .type   kernelsp, @object
