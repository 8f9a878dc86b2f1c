/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pages of private memory from mmap have ever been touched. The others are zero, and looking into one would cost
 * a page fault: most of an idle machine's state is such memory.
 */
#ifndef MNP_BASE_TOUCHED_H
#define MNP_BASE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MNP_TOUCHED_ENTRIES = 512, /* pages that the system is asked about at a time */
    MNP_TOUCHED_WORTH = 16     /* pages up to which it is not asked: that takes as long as some page faults */
};

struct mnp_touched {
    int file; /* the system's answers, -1: none are asked for or given, and all memory counts as touched */
    size_t page;
    uintptr_t base;
    size_t size, next;   /* bytes; those before `next` have been told of */
    size_t asked, known; /* the bytes whose pages are in `entries`: asked ≤ i < known */
    uint64_t entries[MNP_TOUCHED_ENTRIES];
};

/* Looks at `size` bytes of private memory that begins with a page. */
void mnp_touched_begin(struct mnp_touched *touched, const void *base, size_t size);

/* The next bytes, from ≤ i < to of the memory, whose pages may hold anything: whole pages but for the memory's end.
 * False: there are no more, and nothing is to be ended. */
bool mnp_touched_next(struct mnp_touched *touched, size_t *from, size_t *to);

#endif
