/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/field.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *sass_read_field(const char *at, const struct sass_word *word, uint64_t *value, unsigned *bits,
                            struct sass_word *named)
{
    *value = 0;
    *bits = 0;
    for (;; at++) {
        char *end;
        unsigned from = (unsigned)strtoul(at, &end, 10), to = from;
        if (*end == '-')
            to = (unsigned)strtoul(end + 1, &end, 10);
        *value |= sass_bits(word, from, to) << *bits;
        *bits += to - from + 1;
        if (named)
            sass_set_bits(named, from, to);
        at = end;
        if (*at != ',')
            return at;
    }
}

const char *sass_next_word(const char *at)
{
    at += strcspn(at, " ");
    return at + strspn(at, " ");
}

static const char *choice_of(const char *choices, uint64_t number)
{
    for (; number; number--) {
        choices += strcspn(choices, "| '");
        if (*choices != '|')
            return NULL;
        choices++;
    }
    return choices;
}

const char *sass_choice(const char *at, const struct sass_word *word, struct sass_word *named)
{
    uint64_t value;
    unsigned bits;
    const char *choices = sass_read_field(at, word, &value, &bits, named) + 1;
    bool single = bits == 1 && choices[strcspn(choices, "| ")] != '|';
    return single ? (value ? choices : "") : choice_of(choices, value);
}
