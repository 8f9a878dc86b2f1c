/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/field.h"

#include <stdbool.h>
#include <stddef.h>

const char *sass_read_number(const char *at, uint64_t *value)
{
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return at;
}

const char *sass_read_field(const char *at, const struct sass_word *word, uint64_t *value, unsigned *bits,
                            struct sass_word *named)
{
    *value = 0;
    *bits = 0;
    for (;; at++) {
        uint64_t first, last;
        at = sass_read_number(at, &first);
        last = first;
        if (*at == '-')
            at = sass_read_number(at + 1, &last);
        unsigned from = (unsigned)first, to = (unsigned)last;
        *value |= sass_bits(word, from, to) << *bits;
        *bits += to - from + 1;
        if (named)
            sass_set_bits(named, from, to);
        if (*at != ',')
            return at;
    }
}

static const char *choice_of(const char *choices, uint64_t number)
{
    for (; number; number--) {
        while (*choices && *choices != '|' && *choices != ' ' && *choices != '\'')
            choices++;
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
    bool single = bits == 1 && choices[sass_length_before(choices, '|', ' ')] != '|';
    return single ? (value ? choices : "") : choice_of(choices, value);
}
