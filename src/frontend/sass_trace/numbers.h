/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in the text of a trace, which ends in a line's end. */
#ifndef MNP_FRONTEND_SASS_TRACE_NUMBERS_H
#define MNP_FRONTEND_SASS_TRACE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline int hex_digit(char c)
{
    static const signed char values[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
        ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
        ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
    return values[(unsigned char)c] - 1;
}

/* Reads hexadecimal digits, with or without 0x; NULL when there are none, or more than 16. */
static inline const char *trace_read_hex(const char *at, uint64_t *value)
{
    if (at[0] == '0' && at[1] == 'x')
        at += 2;
    const char *first = at;
    uint64_t number = 0;
    for (int digit; (digit = hex_digit(*at)) >= 0; at++)
        number = number << 4 | (uint64_t)digit;
    *value = number;
    return at == first || at - first > 16 ? NULL : at;
}

static inline const char *trace_read_decimal(const char *at, int64_t *value)
{
    bool negative = *at == '-';
    at += negative;
    const char *first = at;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *value = (int64_t)(negative ? 0 - number : number);
    return at == first || at - first > 19 ? NULL : at;
}

static inline const char *trace_skip_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

#endif
