/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a program without an operating system begins: a stack, the floating-point unit (compilers use its registers), main. */
    .syntax unified
    .arm
    .global bare_start
    .section .text.start, "ax"
bare_start:
    ldr sp, =bare_stack_end
    mrc p15, 0, r0, c1, c0, 2
    orr r0, r0, #0xF00000
    mcr p15, 0, r0, c1, c0, 2
    isb
    mov r0, #0x40000000
    vmsr fpexc, r0
    bl main
    b .
    .bss
    .align 3
    .space 131072
bare_stack_end:
    .section .note.GNU-stack, "", %progbits
