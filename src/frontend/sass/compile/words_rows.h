/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on words, one row per instruction: the function of execute/lanes/words.h that performs it, the roles of
 * its operands, and the bits of its modifiers. `operands` has a letter for each operand, in the order of the text: d
 * result; a b c sources (upper case if 64-bit); o a predicate that is written; p one that is read; l and L truth
 * tables; s an amount; - ignored.
 */
#ifndef FRONTEND_SASS_COMPILE_WORDS_ROWS_H
#define FRONTEND_SASS_COMPILE_WORDS_ROWS_H

#include <stdint.h>

struct sass_modifier_bits {
    const char *text;
    uint32_t bits; /* bits of struct execute_words.modifiers */
};

struct sass_words_row {
    const char *name;
    const char *when; /* modifiers that all are there; "" none in particular */
    const char *operands;
    uint8_t plain;    /* enum execute_words_name */
    uint8_t modified; /* function if sources or results are modified; 0: the same */
    uint8_t rounded;  /* function if rounding is not to nearest even; 0: the same */
    uint8_t outs;     /* function if a predicate is written that may be read later; 0: the same */
    const struct sass_modifier_bits *modifiers; /* further ones, ended by NULL; NULL: any, which say nothing here */
    uint32_t bits;                              /* always */
};

extern const struct sass_words_row sass_words_rows[]; /* ended by a name NULL; of two that fit, the first */

#endif
