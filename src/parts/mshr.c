/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/mshr.h"

#include "base/error.h"

/* log2 of the number of buckets: at least two per entry. */
static uint32_t bucket_bits(uint32_t entries)
{
    uint32_t bits = 1;
    while ((UINT32_C(1) << bits) < 2 * entries)
        bits++;
    return bits;
}

size_t mnp_mshr_size(uint32_t entries, uint32_t waiters)
{
    struct mnp_mshr mshr;
    struct mnp_arena arena;
    mnp_arena_measure(&arena);
    mnp_mshr_init(&mshr, entries, 0, waiters, &arena);
    return arena.used;
}

void mnp_mshr_init(struct mnp_mshr *mshr, uint32_t entries, uint32_t merge, uint32_t waiters, struct mnp_arena *arena)
{
    MNP_REQUIRE(entries >= 1 && entries <= 1u << 20 && waiters >= 1, "%u MSHRs with %u waiters", entries, waiters);
    uint32_t bits = bucket_bits(entries);
    *mshr = (struct mnp_mshr){
        .entry_count = entries,
        .waiter_count = waiters,
        .merge = merge ? merge : UINT32_MAX,
        .bucket_shift = 64 - bits,
    };
    mshr->entries = mnp_arena_take(arena, entries, sizeof *mshr->entries);
    mshr->next = mnp_arena_take(arena, waiters, sizeof *mshr->next);
    mshr->buckets = mnp_arena_take(arena, (size_t)1 << bits, sizeof *mshr->buckets);
    mshr->pool = mnp_arena_take(arena, 1, sizeof *mshr->pool);
    if (!arena->measures)
        *mshr->pool = (struct mnp_mshr_pool){.free_entry = MNP_NO_MSHR, .free_waiter = MNP_NO_MSHR};
}

/* An entry given back, else one that has never been used; MNP_NO_MSHR when there is neither. */
static uint32_t take_entry(struct mnp_mshr *mshr)
{
    struct mnp_mshr_pool *pool = mshr->pool;
    uint32_t entry = pool->free_entry;
    if (entry != MNP_NO_MSHR)
        pool->free_entry = mshr->entries[entry].next;
    else if (pool->fresh_entry < mshr->entry_count)
        entry = pool->fresh_entry++;
    return entry;
}

static uint32_t take_waiter(struct mnp_mshr *mshr)
{
    struct mnp_mshr_pool *pool = mshr->pool;
    uint32_t waiter = pool->free_waiter;
    if (waiter != MNP_NO_MSHR)
        pool->free_waiter = mshr->next[waiter];
    else
        waiter = pool->fresh_waiter++;
    return waiter;
}

uint32_t mnp_mshr_allocate(struct mnp_mshr *mshr, uint64_t key)
{
    uint32_t entry = take_entry(mshr);
    if (entry == MNP_NO_MSHR)
        return MNP_NO_MSHR;
    uint32_t *bucket = &mshr->buckets[mnp_mshr_bucket(mshr, key)];
    mshr->pool->entries++;
    mshr->entries[entry] =
        (struct mnp_mshr_entry){.key = key, .first = MNP_NO_MSHR, .last = MNP_NO_MSHR, .next = *bucket - 1};
    *bucket = entry + 1;
    return entry;
}

uint32_t mnp_mshr_merge(struct mnp_mshr *mshr, uint32_t entry)
{
    if (!mnp_mshr_can_merge(mshr, entry))
        return MNP_NO_MSHR;
    struct mnp_mshr_entry *known = &mshr->entries[entry];
    uint32_t waiter = take_waiter(mshr);
    mshr->pool->waiters++;
    mshr->next[waiter] = MNP_NO_MSHR;
    if (known->first == MNP_NO_MSHR)
        known->first = waiter;
    else
        mshr->next[known->last] = waiter;
    known->last = waiter;
    known->waiters++;
    return waiter;
}

uint32_t mnp_mshr_remove(struct mnp_mshr *mshr, uint32_t entry, uint32_t before, uint32_t waiter)
{
    struct mnp_mshr_entry *known = &mshr->entries[entry];
    uint32_t after = mshr->next[waiter];
    if (before == MNP_NO_MSHR)
        known->first = after;
    else
        mshr->next[before] = after;
    if (known->last == waiter)
        known->last = before;
    known->waiters--;
    mshr->next[waiter] = MNP_NO_MSHR;
    return after;
}

void mnp_mshr_free(struct mnp_mshr *mshr, uint32_t waiter)
{
    mshr->next[waiter] = mshr->pool->free_waiter;
    mshr->pool->free_waiter = waiter;
    mshr->pool->waiters--;
}

void mnp_mshr_release(struct mnp_mshr *mshr, uint32_t entry)
{
    struct mnp_mshr_entry *known = &mshr->entries[entry];
    MNP_REQUIRE(known->waiters == 0, "an MSHR with %u waiters is released", known->waiters);
    uint32_t *bucket = &mshr->buckets[mnp_mshr_bucket(mshr, known->key)], before = *bucket - 1;
    if (before == entry) {
        *bucket = known->next + 1;
    } else {
        while (mshr->entries[before].next != entry)
            before = mshr->entries[before].next;
        mshr->entries[before].next = known->next;
    }
    *known = (struct mnp_mshr_entry){.next = mshr->pool->free_entry};
    mshr->pool->free_entry = entry;
    mshr->pool->entries--;
}
