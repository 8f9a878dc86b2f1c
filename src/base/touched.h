/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the pages of private mmap memory that have ever been touched. Other pages are zero, and reading one would cost
 * a page fault: most of an idle machine's state is such memory.
 */
#ifndef MNP_BASE_TOUCHED_H
#define MNP_BASE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MNP_TOUCHED_ENTRIES = 512, /* number of pages per query to the system */
    /* memory of up to so many pages is not queried, because a query takes as long as some page faults */
    MNP_TOUCHED_WORTH = 16
};

/* Access to the system's answers, for any number of walks of one thread. */
struct mnp_page_map {
    int file;    /* /proc/self/pagemap; -1: unavailable, and all memory counts as touched */
    size_t page; /* size in bytes */
};

struct mnp_touched {
    int file; /* file of the map; -1: unavailable or not worthwhile, and all memory counts as touched */
    size_t page;
    uintptr_t base;
    size_t size, next;   /* size in bytes; bytes before `next` have been reported */
    size_t asked, known; /* range of bytes whose pages are in `entries`: asked ≤ i < known */
    uint64_t entries[MNP_TOUCHED_ENTRIES];
};

/* Opens the map of the process's pages, which mnp_page_map_close closes. */
struct mnp_page_map mnp_page_map_open(void);
void mnp_page_map_close(struct mnp_page_map *map);

/* Starts a walk at the beginning of `size` bytes of private, page-aligned memory. The map stays open until its end. */
void mnp_touched_begin(struct mnp_touched *touched, const struct mnp_page_map *map, const void *base, size_t size);

/* Returns the next range of bytes, from ≤ i < to, whose pages may be nonzero. The range consists of whole pages, except
 * at the end of the memory. Returns false if there is none. */
bool mnp_touched_next(struct mnp_touched *touched, size_t *from, size_t *to);

#endif
