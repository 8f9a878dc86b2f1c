/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flat memory: 64-bit addresses, with contents that are zero until written. Pages are created when they are first
 * written.
 *
 * Every page belongs to one of MNP_PAGES_BUCKETS tables, by a hash of its number. Threads that access disjoint sets of
 * tables may write concurrently: nothing is locked; only the count of pages in use is shared. Pages never move.
 *
 * Order of calls: init; then find, read and write in any order; release.
 */
#ifndef MNP_ENGINE_MEMORY_PAGES_H
#define MNP_ENGINE_MEMORY_PAGES_H

#include "base/arena.h"
#include "base/error.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    MNP_MEMORY_PAGE = 64 * 1024, /* bytes */
    MNP_PAGES_BUCKETS = 64,
};

struct mnp_page {
    uint64_t number;     /* address / MNP_MEMORY_PAGE */
    unsigned char *data; /* NULL: a free entry of the table */
    uint64_t hash;       /* hash of the contents when last hashed; 0 for a page of zeros */
    bool stale;          /* written since the last hash */
};

/* A table of pages: open addressing, doubled when half full. */
struct mnp_page_table {
    alignas(MNP_CACHE_LINE) struct mnp_page *pages; /* [mask + 1] */
    uint32_t mask;
    uint32_t count;
};

struct mnp_pages {
    struct mnp_page_table tables[MNP_PAGES_BUCKETS];
    struct mnp_arena pool;  /* [limit] pages */
    struct mnp_arena spill; /* additional pages, see mnp_pages_spill */
    uint32_t limit;
    _Atomic uint32_t count; /* pages in use; more than `limit` is a fault */
    unsigned char *window;  /* contents of pages `first` and on, where another process sees them too; NULL: none do */
    uint64_t window_first, window_count;
    bool window_made; /* all pages of the window count as made: what others have written there is read */
};

/* Initialises an empty memory (all zeros) of at most `limit` pages. Address space is reserved but not used. */
void mnp_pages_init(struct mnp_pages *pages, uint32_t limit);
void mnp_pages_release(struct mnp_pages *pages);

/* Zeroes all contents. */
void mnp_pages_clear(struct mnp_pages *pages);

/* Zeroes `count` pages from number `first` on; they stay in use. */
void mnp_pages_clear_range(struct mnp_pages *pages, uint64_t first, uint64_t count);

/* Zeroes a page of the window, whose memory goes back to the system, for all processes. False: it is none, or the
 * system cannot. */
bool mnp_pages_empty(struct mnp_pages *pages, uint64_t number);

/* Pages with `count` numbers from `first` on lie at `window` from now on, in memory that other processes have mapped as
 * well; none of them has been made yet. They do not count towards the limit, and mnp_pages_empty alone makes them
 * zero. A page that this process has not made reads as zeros here, whatever others have written to it; `made`: as what
 * they have written. */
void mnp_pages_share(struct mnp_pages *pages, unsigned char *window, uint64_t first, uint64_t count, bool made);

/* Provides space for `count` pages beyond the limit, replacing any space provided before, so that no write of a span is
 * dropped; mnp_pages_check detects these pages afterwards. */
void mnp_pages_spill(struct mnp_pages *pages, size_t count);

/* Whether the number of pages in use is within the limit; the error names the remedy. */
bool mnp_pages_check(const struct mnp_pages *pages, struct mnp_error *error);

/* ===== look-up ===== */

static inline uint64_t mnp_pages_mix(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

/* The table to which a page belongs. */
static inline uint32_t mnp_pages_bucket(uint64_t number)
{
    return (uint32_t)(mnp_pages_mix(number) >> 16) % MNP_PAGES_BUCKETS;
}

/* The entry of a page in its table, or the free entry where it would be inserted. */
static inline struct mnp_page *mnp_pages_place(const struct mnp_page_table *table, uint64_t number)
{
    uint32_t i = (uint32_t)mnp_pages_mix(number) & table->mask;
    while (table->pages[i].data && table->pages[i].number != number)
        i = (i + 1) & table->mask;
    return &table->pages[i];
}

/* Contents of page number `number`; NULL if never written, i.e. all zeros. */
static inline const unsigned char *mnp_pages_find(const struct mnp_pages *pages, uint64_t number)
{
    const unsigned char *data = mnp_pages_place(&pages->tables[mnp_pages_bucket(number)], number)->data;
    if (data || !pages->window_made || number - pages->window_first >= pages->window_count)
        return data;
    return pages->window + (number - pages->window_first) * MNP_MEMORY_PAGE;
}

/* Bytes from `address` to the end of its unit (a power of two) or of the access, whichever comes first. */
static inline uint64_t mnp_pages_piece(uint64_t address, uint64_t bytes, uint64_t unit)
{
    uint64_t room = unit - address % unit;
    return bytes < room ? bytes : room;
}

/* ===== access ===== */

/* Returns the page for writing, creating it if necessary. With several threads, only the owner of the table may call
 * it. */
struct mnp_page *mnp_pages_make(struct mnp_pages *pages, uint64_t number);

/* Like mnp_pages_make, but a page beyond the limit is an error: returns NULL. */
struct mnp_page *mnp_pages_make_within(struct mnp_pages *pages, uint64_t number, struct mnp_error *error);

void mnp_pages_read(const struct mnp_pages *pages, uint64_t address, uint64_t bytes, void *out);

/* Returns false, with an error, if the pages are exhausted. */
bool mnp_pages_write(struct mnp_pages *pages, uint64_t address, uint64_t bytes, const void *in,
                     struct mnp_error *error);

/* Hash of the contents. It depends neither on the order in which pages were created, nor on whether a page of zeros
 * exists. */
uint64_t mnp_pages_hash(struct mnp_pages *pages);

#endif
