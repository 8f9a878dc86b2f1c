/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser for the addresses of a memory access in a trace: "mode addresses…" behind the width. */
#ifndef MNP_FRONTEND_SASS_TRACE_ADDRESSES_H
#define MNP_FRONTEND_SASS_TRACE_ADDRESSES_H

#include "frontend/sass_trace/numbers.h"

/* Reads the words of `lanes` lanes (at least one): one address each or, if *strided is set, a base and a stride.
 * Returns the position behind them; NULL: malformed. */
static inline const char *trace_read_lanes(const char *at, uint32_t lanes, uint64_t words[static 32], bool *strided)
{
    char mode = *at;
    int64_t number;
    if (mode < '0' || mode > '2' || at[1] != ' ')
        return NULL;
    at = trace_skip_spaces(at + 1);
    *strided = mode == '1';
    if (mode == '0') {
        for (uint32_t i = 0; i < lanes; i++)
            if (!(at = trace_read_hex(trace_skip_spaces(at), &words[i])))
                return NULL;
        return at;
    }
    if (!(at = trace_read_hex(at, &words[0])))
        return NULL;
    for (uint32_t i = 1; i < (mode == '1' ? 2 : lanes); i++) {
        if (!(at = trace_read_decimal(trace_skip_spaces(at), &number)))
            return NULL;
        words[i] = (mode == '1' ? 0 : words[i - 1]) + (uint64_t)number;
    }
    return at;
}

#endif
