/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tags of a tile's private cache: one word a line, because thousands of tiles have two of them each and every
 * access of the interpreter looks into one (so this is not src/parts/cache/cache.h, whose lines are sectored and
 * hold much more). Nor is replacement one of src/parts/cache/policies: the state of those stands beside the
 * tags and would double them, while LRU here is the order of the words themselves and FIFO a byte per set, which
 * translated code relies on. Size, ways, line, replacement and write policy are those of Raghav et al., TPDS 2015,
 * table 1.
 */
#ifndef MANYCORE_TAGS_H
#define MANYCORE_TAGS_H

#include "manycore/core/lanes.h"

#include <stdbool.h>
#include <stdint.h>

struct manycore_cache_shape {
    uint32_t sets, ways, line_shift;
    uint32_t set_mask; /* sets - 1 when that is a power of two, otherwise 0 and the set is a remainder */
    bool lru;          /* otherwise FIFO */
    bool write_back, write_allocate;
    uint32_t hit, miss, write_back_cycles;
};

struct manycore_tags {
    uint32_t *words; /* [sets · ways] line number · 4 + dirty · 2 + valid. LRU: newest first */
    uint8_t *next;   /* [sets] FIFO: the way to be replaced next */
    uint8_t *guess;  /* [MANYCORE_GUESSES] by line number: the way to look at first. No state: a wrong one costs time */
};

enum { MANYCORE_GUESSES = 1024 };

struct manycore_cache_counters {
    uint64_t accesses, misses, write_backs;
};

/* The result of a look-up: its time, and whether the line is in the cache now. */
struct manycore_lookup {
    uint32_t cycles;
    bool present;
};

MNP_DEVICE static inline uint32_t manycore_cache_set(const struct manycore_cache_shape *shape, uint32_t line)
{
    return shape->set_mask || shape->sets == 1 ? line & shape->set_mask : line % shape->sets;
}

/* The word where a line is, if it is there and nothing but its being written changes by an access: under LRU it must
 * be the newest of its set. */
MNP_DEVICE static inline uint32_t *manycore_tags_guess(const struct manycore_cache_shape *shape,
                                                       const struct manycore_tags *tags, uint32_t line)
{
    uint32_t way = shape->lru ? 0 : tags->guess[line % MANYCORE_GUESSES * MANYCORE_LANES];
    return tags->words + (manycore_cache_set(shape, line) * shape->ways + way) * MANYCORE_LANES;
}

/* Looks a line up and brings it in when the policy says so. */
MNP_DEVICE static inline struct manycore_lookup manycore_tags_look(const struct manycore_cache_shape *shape,
                                                                   const struct manycore_tags *tags,
                                                                   struct manycore_cache_counters *counters,
                                                                   uint32_t line, bool write)
{
    uint32_t set = manycore_cache_set(shape, line), *words = tags->words + set * shape->ways * MANYCORE_LANES;
    uint32_t soil = write && shape->write_back ? 2 : 0, wanted = line << 2 | 1, way = 0;
    struct manycore_lookup result = {.cycles = shape->hit, .present = true};
    counters->accesses++;
    while (way < shape->ways && (words[way * MANYCORE_LANES] & ~2u) != wanted)
        way++;
    uint32_t word = wanted | soil;
    if (way < shape->ways) {
        word |= words[way * MANYCORE_LANES];
    } else {
        counters->misses++;
        result.cycles = shape->miss;
        result.present = !write || shape->write_allocate;
        if (!result.present)
            return result;
        way = shape->lru ? shape->ways - 1 : tags->next[set * MANYCORE_LANES];
        tags->next[set * MANYCORE_LANES] = (uint8_t)(way + 1 == shape->ways ? 0 : way + 1);
        if ((words[way * MANYCORE_LANES] & 3) == 3) {
            counters->write_backs++;
            result.cycles += shape->write_back_cycles;
        }
    }
    if (shape->lru) {
        for (; way > 0; way--)
            words[way * MANYCORE_LANES] = words[(way - 1) * MANYCORE_LANES];
    }
    words[way * MANYCORE_LANES] = word;
    tags->guess[line % MANYCORE_GUESSES * MANYCORE_LANES] = (uint8_t)way;
    return result;
}

#endif
