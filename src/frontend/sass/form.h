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
 *     N24   constant with a uniform register, as LDCU has it
 *     u60-62,73-77  uniform register whose number lies in pieces
 *     G32   address in global memory, whose uniform register lies at bit 32 (0: there is none); S64 in shared or local
 *           memory. Behind it, where the parts do not lie as in most instructions: @16 the register, :44-63 the offset,
 *           x70 the bit that says that the register is a pair, d71 the one that there is a descriptor, z no URZ, + the
 *           descriptor stands in the next uniform register, s5 the offset counts 32 bytes
 *     Q24   an address in shared memory: a uniform register, and an offset at bits 40 to 63
 *     m24   a register in brackets           M32, Mdesc40  a uniform register in brackets, behind a word; M24+ the
 *           one behind it
 *     D32   address in tensor memory: a uniform register, and an offset at bits 40 to 63 and 72 to 79
 *     B16   convergence barrier              Z72   special register
 *     K44-46 a scoreboard counter            E32-37 a set of counters
 *     p64   predicate whose bits are inverted, so that zero is PT; v87 the same of the uniform datapath
 *     T     target of a branch in words, relative to the next instruction; t in bytes; A in words from the beginning of
 *           the code; J relative, added to the register at 24; j to the uniform register at 24
 *     #61-63:1D|2D   the field chooses the text
 *     =…    the text itself
 * Behind an operand: nN negated by bit N, aN absolute value by bit N, !N inverted by bit N, hN half selector at bits N
 * and N+1, wN multiplied as the two bits at N say (shared memory), rN it is kept in the register cache by slot N (8:
 * never),
 * 'COL@73/ROW a suffix where bit 73 is set, otherwise another, #81-82:A|B a suffix that the field chooses, which an
 * immediate does not have. Before it: ? it is not written where it is PT, RZ or zero; ~ not where all its bits are
 * ones.
 *
 * Bits that a form accounts for are those of its conditions, modifiers and operands, bit 91 where it reads a uniform
 * register, the guard and the control bits. A word with another bit set is not of any form: it is refused
 * (SASS_UNNAMED). A field that says nothing in a form, but in which compilers write a number, stands among the operands
 * with the numbers that are accepted: "64-71=255", a register that is not there (RZ); "87-90=0|15", a predicate (!PT)
 * or none; "74=1", a bit that the operation has.
 *
 * Conditions: words separated by blanks, all of which must hold: "91=1", "76-78=1|3", "32-63!=0", "32-63^" a power of
 * two above one.
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

/* All forms, in groups. If several rows match a word, the first one applies. */
struct sass_group {
    const struct sass_form *rows;
    size_t count;
};
extern const struct sass_group *const sass_groups[]; /* NULL behind the last */

#endif
