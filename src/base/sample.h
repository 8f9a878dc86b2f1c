/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a stream, one in each block of it, at a place that looks random and depends on the block and a key. */
#ifndef MNP_BASE_SAMPLE_H
#define MNP_BASE_SAMPLE_H

#include "base/mix.h"

/* The number of the item that is taken of block `block`, each of which has `every` items. `key`: of the stream. */
static inline uint64_t mnp_sample_of_block(uint64_t block, uint64_t every, uint64_t key)
{
    return block * every + (mnp_mix_upper(block + key) >> 32) % every;
}

#endif
