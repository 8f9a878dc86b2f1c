/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listeners of a block: where cores stop for samples (`--sample`), what each instruction costs (`--by-instruction`),
 * and when accesses to shared memory were under way (`--timeline`). A block without a watch tests one pointer each time
 * that a core is run.
 *
 * Samples are cut at multiples of an interval. A core runs ahead of its block, but not across such a cycle: it stops at
 * the first instruction that begins there or behind it, and goes on when its block has come so far. How far a core runs
 * at a time changes nothing else.
 */
#ifndef MANYCORE_WATCH_H
#define MANYCORE_WATCH_H

#include "manycore/mesh/block.h"

#ifdef __CUDACC__ /* no listeners on a GPU: these options are refused there */
MNP_DEVICE static bool manycore_is_watched(const struct manycore_block *)
{
    return false;
}
MNP_DEVICE static uint64_t manycore_watch_limit(const struct manycore_block *block, uint64_t)
{
    return block->common->limit;
}
MNP_DEVICE static void manycore_watch_start(struct manycore_block *, uint32_t, uint64_t)
{
}
MNP_DEVICE static void manycore_watch_step(struct manycore_block *, uint32_t)
{
}
MNP_DEVICE static void manycore_watch_answer(struct manycore_block *, uint32_t, uint64_t)
{
}
#else
#include "base/range.h"
#include "engine/count/tally.h"
#include "engine/count/timeline.h"

struct manycore_costs { /* costs of an instruction, by enum mnp_tally_count */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct manycore_watched { /* a tile */
    struct mnp_timeline spans;
    uint64_t given; /* the core's cycles before this one are given to instructions */
    uint32_t pc;    /* PC of the instruction that began last */
    bool open;      /* … whose own cycle has not been spent */
};

struct manycore_watch {
    uint64_t interval;                          /* cycles between two samples; 0: there are none */
    uint64_t from, to;                          /* cycles: accesses that overlap them are written down; to 0: none */
    struct manycore_watched *tiles;             /* [tiles] */
    struct manycore_costs *costs[MNP_SEGMENTS]; /* [code][words] of the image; NULL: they are not tallied */
    bool tallies;
};

static inline bool manycore_is_watched(const struct manycore_block *block)
{
    return __builtin_expect(block->watch != NULL, 0);
}

/* The cycle that no core runs across which has come to `clock`: the next sample, or the run's limit. */
static inline uint64_t manycore_watch_limit(const struct manycore_block *block, uint64_t clock)
{
    uint64_t limit = block->common->limit, interval = manycore_is_watched(block) ? block->watch->interval : 0;
    return interval ? mnp_min(limit, (clock / interval + 1) * interval) : limit;
}

/* A core begins to run alone, at most to cycle `until`. */
void manycore_watch_start(struct manycore_block *block, uint32_t place, uint64_t until);

/* A core that has stopped for a sample goes on. */
void manycore_watch_step(struct manycore_block *block, uint32_t place);

/* The access of a core is answered at `cycle`. */
void manycore_watch_answer(struct manycore_block *block, uint32_t place, uint64_t cycle);

/* Ends the record of a block: attributes the cycles of its cores up to `now`, and records accesses that are still
 * pending. */
void manycore_watch_end(struct manycore_block *block, uint64_t now);
#endif

#endif
