/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mshr.h"

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
    size_t buckets = (size_t)1 << bucket_bits(entries);
    return entries * sizeof(struct mnp_mshr_entry) + waiters * sizeof(uint32_t) + buckets * sizeof(uint32_t) +
           sizeof(struct mnp_mshr_pool) + (size_t)4 * MNP_CACHE_LINE;
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
    for (uint32_t i = 0; i < entries; i++)
        mshr->entries[i] = (struct mnp_mshr_entry){.next = i + 1 < entries ? i + 1 : MNP_NO_MSHR};
    for (uint32_t i = 0; i < waiters; i++)
        mshr->next[i] = i + 1 < waiters ? i + 1 : MNP_NO_MSHR;
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
        mshr->buckets[i] = MNP_NO_MSHR;
}

uint32_t mnp_mshr_allocate(struct mnp_mshr *mshr, uint64_t key)
{
    uint32_t entry = mshr->pool->free_entry;
    if (entry == MNP_NO_MSHR)
        return MNP_NO_MSHR;
    uint32_t *bucket = &mshr->buckets[mnp_mshr_bucket(mshr, key)];
    mshr->pool->free_entry = mshr->entries[entry].next;
    mshr->pool->entries++;
    mshr->entries[entry] =
        (struct mnp_mshr_entry){.key = key, .first = MNP_NO_MSHR, .last = MNP_NO_MSHR, .next = *bucket};
    *bucket = entry;
    return entry;
}

uint32_t mnp_mshr_merge(struct mnp_mshr *mshr, uint32_t entry)
{
    if (!mnp_mshr_can_merge(mshr, entry))
        return MNP_NO_MSHR;
    struct mnp_mshr_entry *known = &mshr->entries[entry];
    uint32_t waiter = mshr->pool->free_waiter;
    mshr->pool->free_waiter = mshr->next[waiter];
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
    uint32_t *link = &mshr->buckets[mnp_mshr_bucket(mshr, known->key)];
    while (*link != entry)
        link = &mshr->entries[*link].next;
    *link = known->next;
    *known = (struct mnp_mshr_entry){.next = mshr->pool->free_entry};
    mshr->pool->free_entry = entry;
    mshr->pool->entries--;
}
