/* SPDX-License-Identifier: BSD-3-Clause */
/* Places: of tiles in a block, of queues in a router, of words in the tables of a bank; and sums of a router's
 * counts. */
#ifndef MANYCORE_PLACE_H
#define MANYCORE_PLACE_H

#include "manycore/mesh/block.h"

MNP_DEVICE static inline uint32_t manycore_queue(uint32_t port, uint32_t channel)
{
    return channel / 2 * MANYCORE_MESH_QUEUES + port * 2 + channel % 2;
}

/* Queues that a router of this machine has. */
MNP_DEVICE static inline uint32_t manycore_queues(const struct manycore_parameters *parameters)
{
    return parameters->mesh_torus ? MANYCORE_QUEUES : MANYCORE_MESH_QUEUES;
}

/* Global number of a tile of the block, and back. */
MNP_DEVICE static inline uint32_t manycore_tile_of(const struct manycore_block *block, uint32_t place, uint32_t width)
{
    uint32_t line = block->across == 1 ? block->columns : block->rows, major = place / line, minor = place % line;
    uint32_t x = block->across == 1 ? minor : major, y = block->across == 1 ? major : minor;
    return (block->top + y) * width + block->left + x;
}

MNP_DEVICE static inline uint32_t manycore_place_of(const struct manycore_block *block, uint32_t tile, uint32_t width)
{
    return (tile / width - block->top) * block->down + (tile % width - block->left) * block->across;
}

MNP_DEVICE static inline struct manycore_bank manycore_bank_of(const struct manycore_block *block, uint32_t place)
{
    return (struct manycore_bank){block->versions, block->tile[place].writers, MANYCORE_WRITERS};
}

/* The bin of the histogram of latencies that a number of cycles belongs to (mnp_histogram_bin, for GPUs too). */
MNP_DEVICE static inline uint32_t manycore_latency_bin(uint64_t cycles)
{
    enum { MOST = MANYCORE_LATENCY_BINS - 1 };
    uint32_t few = cycles >> MOST ? UINT32_MAX : (uint32_t)cycles, bin = few ? 32 - (uint32_t)__builtin_clz(few) : 0;
    return bin < MOST ? bin : MOST;
}

/* The core of this tile spins, and is not computed (local.c). */
MNP_DEVICE static inline bool manycore_is_spinning(const struct manycore_block *block, uint32_t place)
{
    return block->spinning[place / 64] >> place % 64 & 1;
}

/* Cycles before `now` in which packets asked for an output and none could go. */
MNP_DEVICE static inline uint64_t manycore_stalled(const struct manycore_node *node, uint32_t out, uint64_t now)
{
    uint32_t open = (uint32_t)now - node->use.since[out];
    return node->use.stalled[out] + (node->claims.asked >> out & 1 && (int32_t)open > 0 ? open : 0);
}

/* Packets that a router has moved, to other routers and to its own tile. */
MNP_DEVICE static inline uint64_t manycore_routed(const struct manycore_use *use)
{
    uint64_t packets = 0;
    for (uint32_t out = 0; out < MANYCORE_PORTS; out++)
        packets += use->out[out];
    return packets;
}

/* Cycles before `now` in which a router held packets and could move none. */
MNP_DEVICE static inline uint64_t manycore_blocked(const struct manycore_use *use, uint64_t now)
{
    return use->blocked + (use->blocked_since < now ? now - use->blocked_since : 0);
}

#endif
