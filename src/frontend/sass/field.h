/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit fields of a word, as named in the rows of forms (form.h): "40-53", "73,86". */
#ifndef FRONTEND_SASS_FIELD_H
#define FRONTEND_SASS_FIELD_H

#include "frontend/sass/word.h"

#include <stddef.h>
#include <stdint.h>

/* Reads the field named at `at` (pieces from the lowest to the highest) and its width in bits. Returns the position
 * behind the name. Adds the field's bits to `named`, unless it is NULL. */
const char *sass_read_field(const char *at, const struct sass_word *word, uint64_t *value, unsigned *bits,
                            struct sass_word *named);

/* Returns the word behind the colon that the field at `at` selects; NULL: there is none for its value. Adds the field's
 * bits to `named`. */
const char *sass_choice(const char *at, const struct sass_word *word, struct sass_word *named);

/* Reads a number in decimals. Returns the position behind it. */
const char *sass_read_number(const char *at, uint64_t *value);

/* The number of characters in front of `first`, `second` or the text's end. */
static inline size_t sass_length_before(const char *at, char first, char second)
{
    size_t length = 0;
    while (at[length] && at[length] != first && at[length] != second)
        length++;
    return length;
}

/* The next of the words that blanks separate. */
static inline const char *sass_next_word(const char *at)
{
    at += sass_length_before(at, ' ', ' ');
    while (*at == ' ')
        at++;
    return at;
}

#endif
