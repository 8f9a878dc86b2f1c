/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relaxed synchronisation (Raghav et al., TPDS 2015, section 6.3 and figure 4), for executor `s-events`. While no
 * access to shared memory (an s-event) is under way, all cores run freely, each on its own clock, until one of them
 * meets such an access: it sets a flag, at which the others stop where they are. The least time stamp of the accesses
 * found is the lower bound on time stamps; cores behind it catch up with it, and all then go on in lock step, a cycle
 * each between two meetings, until every access that has been found is answered.
 *
 * The model is not affected: what a core computes alone does not depend on how far it runs at a time, and what is to
 * be seen of it at the end of an epoch is where it would have come by `core.run_ahead`, so that unfinished cores are
 * run on to that place before anybody looks.
 */
#ifndef MANYCORE_FREE_H
#define MANYCORE_FREE_H

#include "manycore/mesh/block.h"

/* Common to all blocks of a machine. */
struct manycore_free {
    uint64_t flag;  /* least cycle of an access to shared memory that was found in this phase; UINT64_MAX: none */
    uint64_t bound; /* cores run to this cycle; UINT64_MAX: until the flag is set */
};

/* A core of a block begins to run alone, at most to cycle `until`: in lock step, up to the next cycle. */
MNP_DEVICE void manycore_free_start(struct manycore_block *block, uint32_t place, uint64_t until);

/* Whether a core has begun and has not come to where it would stop by itself. */
MNP_DEVICE static inline bool manycore_free_is_unfinished(const struct manycore_block *block, uint32_t place)
{
    return block->place[place].until != 0;
}

/* Lock step: an unfinished core runs up to the next cycle. */
MNP_DEVICE void manycore_free_step(struct manycore_block *block, uint32_t place);

/* Outside of windows: the unfinished cores of a block run up to the bound, or until there is a flag. */
MNP_DEVICE void manycore_free_phase(struct manycore_block *block);

/* Unfinished cores run to where they would stop by themselves. */
MNP_DEVICE void manycore_free_settle(struct manycore_block *block);

#endif
