/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads of the global space that cores repeat until a word changes, and that are not performed before it does (polls.c;
 * mesh/poll.c has the cores' end). */
#ifndef MANYCORE_POLLS_H
#define MANYCORE_POLLS_H

#include "manycore/mesh/block.h"

struct manycore_global;
struct manycore_polls;

void manycore_polls_release(struct manycore_polls *all);

/* The first cycle, from one on, in which a repeated read is to be performed; UINT64_MAX: there is none. */
uint64_t manycore_polls_next(const struct manycore_polls *all, uint64_t cycle);

/* Lets those of a cycle arrive. */
void manycore_polls_arrive(struct manycore_global *global, uint64_t cycle);

/* Whether a tile's access that has arrived is a read whose row goes on, as it finds what its core knows: then it is
 * done. Otherwise it is to be performed, and a row of the tile has ended. */
bool manycore_polls_keep(struct manycore_global *global, uint32_t tile, uint64_t cycle);

/* A tile's access has changed a word: who reads it is to arrive. */
void manycore_polls_change(struct manycore_global *global, uint32_t address, uint32_t writer, uint64_t cycle);

/* Whether a tile's reads are not performed; `request` becomes one of them, as it arrives. */
bool manycore_polls_under_way(const struct manycore_polls *all, uint32_t tile, struct manycore_packet *request);

#endif
