/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/distinct.h"

#include "base/mix.h"

/* Counters of a set: the count, the numbers kept and the zeros that their hashes begin with, and the table of hashes
 * (open addressing; 0: free), which is never more than four fifths full. */
enum { COUNT, KEPT, LEVEL, TABLE };

uint32_t mnp_distinct_counters(uint32_t entries)
{
    return TABLE + entries + (entries + 3) / 4;
}

static uint32_t entries_of(uint32_t counters)
{
    return (counters - TABLE) / 5 * 4 + (counters - TABLE) % 5 * 4 / 5;
}

/* The hash of a number; never 0. */
static uint64_t hash_of(uint64_t number)
{
    return mnp_mix(number + 1);
}

/* The place of a hash: where it stands, or the free place where it would. The upper half chooses who is kept. */
static uint64_t *find(uint64_t *set, uint32_t counters, uint64_t hash)
{
    uint64_t *table = set + TABLE;
    uint32_t size = counters - TABLE, place = (uint32_t)((hash & UINT32_MAX) * size >> 32);
    while (table[place] && table[place] != hash)
        place = place + 1 < size ? place + 1 : 0;
    return &table[place];
}

/* Takes out a hash and moves those that stand behind it for want of its place (Knuth, The Art of Computer Programming,
 * volume 3, algorithm 6.4R). */
static void remove_at(uint64_t *set, uint32_t counters, uint32_t hole)
{
    uint64_t *table = set + TABLE;
    uint32_t size = counters - TABLE;
    table[hole] = 0;
    for (uint32_t next = hole + 1 < size ? hole + 1 : 0; table[next]; next = next + 1 < size ? next + 1 : 0) {
        uint64_t moved = table[next];
        table[next] = 0;
        *find(set, counters, moved) = moved;
    }
}

/* Keeps the hashes that begin with one zero more. */
static void thin_out(uint64_t *set, uint32_t counters)
{
    uint64_t *table = set + TABLE;
    set[LEVEL]++;
    for (uint32_t place = 0; place < counters - TABLE; place++)
        while (table[place] && (uint64_t)__builtin_clzll(table[place]) < set[LEVEL]) {
            remove_at(set, counters, place);
            set[KEPT]--;
        }
}

static void add_hash(uint64_t *set, uint32_t counters, uint64_t hash)
{
    if ((uint64_t)__builtin_clzll(hash) < set[LEVEL])
        return;
    uint64_t *place = find(set, counters, hash);
    if (*place)
        return;
    *place = hash;
    set[KEPT]++;
    while (set[KEPT] > entries_of(counters))
        thin_out(set, counters);
    set[COUNT] = set[KEPT] << set[LEVEL];
}

void mnp_distinct_add(uint64_t *set, uint32_t counters, uint64_t number)
{
    add_hash(set, counters, hash_of(number));
}

void mnp_distinct_join(uint64_t *into, const uint64_t *from, uint32_t counters)
{
    while (into[LEVEL] < from[LEVEL])
        thin_out(into, counters);
    for (uint32_t i = TABLE; i < counters; i++)
        if (from[i])
            add_hash(into, counters, from[i]);
    into[COUNT] = into[KEPT] << into[LEVEL];
}
