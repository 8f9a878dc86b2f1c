/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of a coprocessor program. A core starts with its number in r0, the number of cores in r1, the width of
 * the mesh in r2 and the bytes of a bank in r3, and with its stack pointer set. Private memory is zero at first. */
    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    ldr r4, =mc_place
    stmia r4, {r0, r1, r2, r3}
    bl mc_main
    b mc_exit
    .size _start, . - _start
