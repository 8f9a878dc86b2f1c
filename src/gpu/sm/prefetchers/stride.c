/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefetching by stride (J. W. C. Fu, J. H. Patel and B. L. Janssens, "Stride directed prefetching in scalar
 * processors", MICRO 1992; by warp, as J. Lee et al., "Many-thread aware prefetching mechanisms for GPGPU
 * applications", MICRO 2010): a table by instruction and warp holds the address last used and the distance from the one
 * before. A distance that comes again is a stride, and the next accesses at this stride are asked for.
 */
#include "engine/declare/declare.h"
#include "gpu/sm/prefetchers/prefetcher.h"

struct entry {
    uint64_t pc, last;
    int64_t stride;
    uint16_t warp;
    uint8_t taken;  /* in use */
    uint8_t proved; /* the stride has come twice in a row */
    uint8_t reserved[4];
};

struct values {
    uint64_t entries, degree;
};

#define MNP_TABLE_OF struct values
static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("stride.entries", "entry", entries, "64", 1, 65536, "of the table of strides", "by choice"),
    MNP_NUMBER_ROW("stride.degree", "access", degree, "2", 1, SM_PREFETCH_MOST, "accesses asked for ahead",
                   "by choice"),
};

enum { PROVED };
static const struct mnp_statistic statistics[] = {
    [PROVED] = MNP_COUNTER_ROW("stride_proved", "look-up", "look-ups of the L1 whose instruction had a stride"),
};

static uint64_t bytes(const uint64_t *values)
{
    return values[0] * sizeof(struct entry);
}

static uint32_t observe(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters,
                        uint64_t asked[SM_PREFETCH_MOST])
{
    const struct mnp_cache_access *access = &look_up->access;
    uint64_t hash = (access->pc ^ (uint64_t)access->warp << 40) * UINT64_C(0x9e3779b97f4a7c15);
    struct entry *entry = (struct entry *)state + (hash >> 32) % values[0];
    if (!look_up->leads)
        return 0;
    if (!entry->taken || entry->pc != access->pc || entry->warp != access->warp) {
        *entry = (struct entry){.pc = access->pc, .last = look_up->first, .warp = access->warp, .taken = true};
        return 0;
    }
    int64_t stride = (int64_t)(look_up->first - entry->last);
    entry->proved = stride && stride == entry->stride;
    entry->stride = stride;
    entry->last = look_up->first;
    if (!entry->proved)
        return 0;
    counters[PROVED]++;
    uint32_t count = 0;
    for (uint64_t i = 1; i <= values[1]; i++)
        asked[count++] = look_up->first + i * (uint64_t)stride;
    return count;
}

const struct sm_prefetcher sm_stride_prefetcher = {
    .part = {.name = "stride",
             .help = "the next accesses of an instruction whose addresses have a constant distance",
             .source = "Fu et al., MICRO 1992; Lee et al., MICRO 2010",
             .parameters = parameters,
             .parameter_count = MNP_ROWS(parameters),
             .statistics = statistics,
             .statistic_count = MNP_ROWS(statistics)},
    .bytes = bytes,
    .observe = observe,
};
