/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memo of the last parsed line of each instruction within a CTA: programs are repetitive, and so are lines of their
 * traces. After an instruction, the one that followed it last time is expected. If its line begins in the same way,
 * that part is not parsed again; if the instruction had no addresses, nothing is parsed.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_MEMO_H
#define MNP_FRONTEND_SASS_TRACE_MEMO_H

#include "frontend/sass_trace/static_table.h"

struct memo_line {
    const char *line; /* position in the CTA's text */
    uint32_t length;  /* that must be equal: up to the memory width, or with the line's end */
    uint32_t mask;
    uint64_t stamp; /* number of the parse to which it belongs */
    uint16_t next;  /* index of the instruction that followed */
    bool whole;     /* there are no addresses, and `length` is that of the complete line */
};

struct memo {
    struct memo_line *lines; /* [MOST_INSTRUCTIONS] by index; reserved address space, as for static tables */
    uint64_t stamp;
    uint16_t last; /* index of the last instruction */
    struct memo *next;
};

/* NULL: there is no memory for it. */
struct memo *trace_memo_new(void);
void trace_memo_free(struct memo *memo);

/* A new text, or the same one with another table. */
static inline void memo_start(struct memo *memo)
{
    memo->stamp++;
    memo->last = 0;
}

/* Returns the expected line if the text matches it; NULL: it must be parsed. */
static inline const struct memo_line *memo_match(struct memo *memo, const char *line, const char *end)
{
    const struct memo_line *last = &memo->lines[memo->last];
    const struct memo_line *expected = &memo->lines[last->next];
    if (expected->stamp != memo->stamp || expected->length > (size_t)(end - line) ||
        memcmp(expected->line, line, expected->length) != 0)
        return NULL;
    return expected;
}

/* The index of the line that memo_match has found. */
static inline uint16_t memo_index(const struct memo *memo, const struct memo_line *found)
{
    return (uint16_t)(found - memo->lines);
}

static inline void memo_step(struct memo *memo, uint16_t index)
{
    memo->lines[memo->last].next = index;
    memo->last = index;
}

/* Notes a line that has been read. `width`: where its memory width begins, `behind`: the next line. */
static inline void memo_put(struct memo *memo, uint16_t index, uint32_t mask, const char *line, const char *width,
                            const char *behind, bool whole)
{
    struct memo_line *known = &memo->lines[index];
    known->line = line;
    known->length = (uint32_t)((whole ? behind : width) - line);
    known->mask = mask;
    known->stamp = memo->stamp;
    known->whole = whole;
    memo_step(memo, index);
}

#endif
