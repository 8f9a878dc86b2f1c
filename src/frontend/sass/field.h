/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of a word as the rows of forms name them (form.h): "40-53", "73,86". */
#ifndef FRONTEND_SASS_FIELD_H
#define FRONTEND_SASS_FIELD_H

#include "frontend/sass/word.h"

/* Reads the field that is named at `at`, pieces from the lowest to the highest, and its width in bits. Returns the
 * place behind its name. Sets the field's bits in `named`; NULL: nobody asks for them. */
const char *sass_read_field(const char *at, const struct sass_word *word, uint64_t *value, unsigned *bits,
                            struct sass_word *named);

/* What the field at `at` chooses of the words behind its colon; NULL: it has no word for its value. Sets the field's
 * bits in `named`. */
const char *sass_choice(const char *at, const struct sass_word *word, struct sass_word *named);

/* The next of the words that blanks separate. */
const char *sass_next_word(const char *at);

#endif
