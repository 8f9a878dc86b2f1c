/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Miss status holding registers: which lines (or sectors: the key is the owner's choice) are being fetched, and who
 * waits for each. After D. Kroft, "Lockup-free instruction fetch/prefetch cache organization", ISCA 1981.
 *
 * There is a bounded number of entries, of waiters per entry, and of waiters in all. A waiter is an index from
 * 0 … waiters-1 for which the owner keeps what it likes in an array of its own. Waiters of an entry form a chain in
 * order of arrival.
 *
 * Order of calls: mnp_mshr_find; mnp_mshr_allocate when there is none; mnp_mshr_merge to wait. When data come, walk the
 * chain with mnp_mshr_first and mnp_mshr_next or take waiters out of it with mnp_mshr_remove; a waiter taken out stays
 * the owner's until mnp_mshr_free. An entry with no waiters is given back with mnp_mshr_release.
 *
 * State: all arrays lie in the arena given to mnp_mshr_init and hold indices only.
 */
#ifndef MNP_PARTS_MSHR_H
#define MNP_PARTS_MSHR_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define MNP_NO_MSHR UINT32_MAX

struct mnp_mshr_entry {
    uint64_t key;
    uint32_t first, last; /* waiters; MNP_NO_MSHR: none */
    uint32_t next;        /* next entry in the hash bucket, or in the list of free entries */
    uint32_t waiters;     /* length of the chain */
    uint64_t owner;       /* the owner's own, 0 at first */
};

struct mnp_mshr_pool {     /* the few numbers of the state */
    uint32_t entries;      /* number of entries in use */
    uint32_t waiters;      /* number of waiters in use */
    uint32_t free_entry;   /* chain of entries given back */
    uint32_t free_waiter;  /* chain of waiters given back */
    uint32_t fresh_entry;  /* entries from here on have never been used */
    uint32_t fresh_waiter; /* waiters from here on have never been used */
};

struct mnp_mshr {
    uint32_t entry_count, waiter_count, merge; /* limits */
    uint32_t bucket_shift;

    struct mnp_mshr_entry *entries; /* [entry_count] */
    uint32_t *next;                 /* [waiter_count] the next of the chain */
    uint32_t *buckets;              /* first entry by hash of the key, plus one; 0: none */
    struct mnp_mshr_pool *pool;
};

/* Bytes that mnp_mshr_init takes from the arena. */
size_t mnp_mshr_size(uint32_t entries, uint32_t waiters);

/* Initialises `entries` entries (1 … 2^20), with up to `merge` waiters each (0: no limit) and `waiters` waiters in
 * total. */
void mnp_mshr_init(struct mnp_mshr *mshr, uint32_t entries, uint32_t merge, uint32_t waiters, struct mnp_arena *arena);

static inline uint32_t mnp_mshr_bucket(const struct mnp_mshr *mshr, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> mshr->bucket_shift);
}

/* The entry of a key, or MNP_NO_MSHR. */
static inline uint32_t mnp_mshr_find(const struct mnp_mshr *mshr, uint64_t key)
{
    uint32_t entry = mshr->buckets[mnp_mshr_bucket(mshr, key)] - 1; /* 0 becomes MNP_NO_MSHR */
    while (entry != MNP_NO_MSHR && mshr->entries[entry].key != key)
        entry = mshr->entries[entry].next;
    return entry;
}

static inline bool mnp_mshr_full(const struct mnp_mshr *mshr)
{
    return mshr->pool->entries == mshr->entry_count;
}

static inline bool mnp_mshr_waiters_full(const struct mnp_mshr *mshr)
{
    return mshr->pool->waiters == mshr->waiter_count;
}

/* Whether an entry takes one more waiter. */
static inline bool mnp_mshr_can_merge(const struct mnp_mshr *mshr, uint32_t entry)
{
    return mshr->entries[entry].waiters < mshr->merge && !mnp_mshr_waiters_full(mshr);
}

/* A new entry for a key that has none; MNP_NO_MSHR when all are in use. */
uint32_t mnp_mshr_allocate(struct mnp_mshr *mshr, uint64_t key);

/* Appends a waiter to an entry and returns it; MNP_NO_MSHR when a limit is reached. */
uint32_t mnp_mshr_merge(struct mnp_mshr *mshr, uint32_t entry);

static inline uint32_t mnp_mshr_first(const struct mnp_mshr *mshr, uint32_t entry)
{
    return mshr->entries[entry].first;
}

static inline uint32_t mnp_mshr_next(const struct mnp_mshr *mshr, uint32_t waiter)
{
    return mshr->next[waiter];
}

/* Removes `waiter`, whose predecessor in the chain is `before` (MNP_NO_MSHR if it is the first), and returns its
 * successor. */
uint32_t mnp_mshr_remove(struct mnp_mshr *mshr, uint32_t entry, uint32_t before, uint32_t waiter);

/* Gives a waiter that has been taken out back to the pool. */
void mnp_mshr_free(struct mnp_mshr *mshr, uint32_t waiter);

/* Gives an entry without waiters back. */
void mnp_mshr_release(struct mnp_mshr *mshr, uint32_t entry);

#endif
