/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forms of machine code, as data: one row says which words are of the form, what the instruction is called, which bits
 * hold its modifiers and which its operands. Decoder and disassembler both read the rows; neither knows an instruction.
 *
 * Bits 8 to 0 of a word are the operation; bits 11 to 9, its kind, say for arithmetic where the flexible operand lies
 * and what it is:
 *
 *     1 register at 32    2 immediate, third      3 constant, third
 *     4 immediate         5 constant              6 uniform register, second      7 uniform register, third
 *
 * With kinds 2, 3 and 7 the flexible operand stands behind the register at bit 64, otherwise before it.
 *
 * Modifiers: words separated by blanks, in the order in which they are written behind the name.
 *     "80:FTZ"                 the bit adds .FTZ
 *     "78-79:|RM|RP|RZ"        the field chooses; an empty choice adds nothing, "?" is a reserved value
 *     "73,86:…"                a field of two pieces, the upper one last
 *     "=LUT"                   always
 *
 * Operands: words separated by blanks, in the order in which they are written.
 *     R24   register at bits 24 to 31        U32   uniform register at bits 32 to 37 (39 from sm_100 on)
 *     P87   predicate at bits 87 to 89       V81   uniform predicate
 *     X     the flexible operand, with the kind of its immediate behind it: Xf float, Xd double, Xh two halves,
 *           Xs signed, Xu unsigned; Y the register at 64 as its partner: both in the order of the kind
 *     I40-52  an unsigned number, i40-63 a signed one; I32-63f a float, I32-63d the upper half of a double
 *     W     the flexible operand of the uniform datapath
 *     C     constant c[bank][offset]         L     constant with a register, as LDC has it
 *     G32   address in global memory, whose uniform register lies at bit 32; S64 in shared or local memory
 *     B16   convergence barrier              Z72   special register
 *     T     target of a branch, relative to the next instruction; J the same, added to the register at 24
 *     =…    the text itself
 * Behind an operand: nN negated by bit N, aN absolute value by bit N, !N inverted by bit N, hN half selector at bits N
 * and N+1, wN multiplied as the two bits at N say (shared memory). Before it: ? it is not written where it is PT, RZ or
 * zero.
 */
#ifndef FRONTEND_SASS_FORM_H
#define FRONTEND_SASS_FORM_H

#include <stddef.h>
#include <stdint.h>

struct sass_form {
    uint16_t operation;    /* bits 8-0 */
    uint8_t kinds;         /* bits 11-9 that are of the form, one bit each */
    uint8_t from, to;      /* architectures, both included: 70 … 120 */
    const char *when;      /* further fields that decide: "91=1 76-78=3"; NULL: none */
    const char *name;      /* without modifiers */
    const char *modifiers; /* see above */
    const char *operands;
};

/* All forms, in groups. Of two rows that fit a word, the first is meant. */
struct sass_group {
    const struct sass_form *rows;
    size_t count;
};
extern const struct sass_group *const sass_groups[]; /* NULL behind the last */

#endif
