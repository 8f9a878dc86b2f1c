/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bounded first-in first-out queue over an array of plain structs. The queue itself is only two numbers, so that it
 * can stand in a unit's state; the array and its capacity are the owner's and are passed in.
 *
 *     entries[mnp_queue_push(&queue, capacity)] = entry;
 *     struct entry *first = &entries[queue.head];        (while queue.count > 0)
 *     mnp_queue_pop(&queue, capacity);
 */
#ifndef MNP_PARTS_QUEUE_H
#define MNP_PARTS_QUEUE_H

#include "base/error.h"

#include <stdint.h>

struct mnp_queue {
    uint32_t head;  /* place of the oldest entry */
    uint32_t count; /* entries */
};

/* The place of entry number `i` from the oldest, i <= count. */
static inline uint32_t mnp_queue_place(const struct mnp_queue *queue, uint32_t capacity, uint32_t i)
{
    uint32_t place = queue->head + i;
    return place < capacity ? place : place - capacity;
}

/* Appends an entry and returns its place. Overflow is a bug: the owner looks for room first. */
static inline uint32_t mnp_queue_push(struct mnp_queue *queue, uint32_t capacity)
{
    MNP_REQUIRE(queue->count < capacity, "a queue of %u entries overflows", capacity);
    return mnp_queue_place(queue, capacity, queue->count++);
}

/* Removes the oldest entry. An empty queue begins at the array's start again, which keeps it in the host's cache. */
static inline void mnp_queue_pop(struct mnp_queue *queue, uint32_t capacity)
{
    queue->count--;
    queue->head = queue->count == 0 ? 0 : mnp_queue_place(queue, capacity, 1);
}

/* ===== chains: queues that share one pool of entries, linked by indices ===== */

#define MNP_NO_ENTRY UINT32_MAX

struct mnp_chain { /* one queue; an all-zero structure is not an empty queue: use MNP_EMPTY_CHAIN */
    uint32_t first, last;
};

#define MNP_EMPTY_CHAIN ((struct mnp_chain){MNP_NO_ENTRY, MNP_NO_ENTRY})

struct mnp_pool { /* the free entries, last freed first, so that few of them occupy the host's cache */
    uint32_t free;
    uint32_t used;
};

/* `next` has one element per entry of the pool. */
static inline void mnp_pool_init(struct mnp_pool *pool, uint32_t *next, uint32_t entries)
{
    *pool = (struct mnp_pool){.free = 0};
    for (uint32_t i = 0; i < entries; i++)
        next[i] = i + 1 < entries ? i + 1 : MNP_NO_ENTRY;
}

static inline uint32_t mnp_pool_take(struct mnp_pool *pool, const uint32_t *next)
{
    uint32_t entry = pool->free;
    MNP_REQUIRE(entry != MNP_NO_ENTRY, "a pool of entries overflows");
    pool->free = next[entry];
    pool->used++;
    return entry;
}

static inline void mnp_pool_give(struct mnp_pool *pool, uint32_t *next, uint32_t entry)
{
    next[entry] = pool->free;
    pool->free = entry;
    pool->used--;
}

/* Makes an entry the first of its chain; `before` it stands that one, MNP_NO_ENTRY: none. */
static inline void mnp_chain_promote(struct mnp_chain *chain, uint32_t *next, uint32_t before, uint32_t entry)
{
    if (before == MNP_NO_ENTRY)
        return;
    next[before] = next[entry];
    if (chain->last == entry)
        chain->last = before;
    next[entry] = chain->first;
    chain->first = entry;
}

static inline void mnp_chain_append(struct mnp_chain *chain, uint32_t *next, uint32_t entry)
{
    next[entry] = MNP_NO_ENTRY;
    if (chain->first == MNP_NO_ENTRY)
        chain->first = entry;
    else
        next[chain->last] = entry;
    chain->last = entry;
}

/* Takes the first entry out of a chain that has one. */
static inline uint32_t mnp_chain_pop(struct mnp_chain *chain, const uint32_t *next)
{
    uint32_t entry = chain->first;
    chain->first = next[entry];
    if (chain->first == MNP_NO_ENTRY)
        chain->last = MNP_NO_ENTRY;
    return entry;
}

#endif
