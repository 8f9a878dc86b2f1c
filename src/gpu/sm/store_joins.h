/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores of an SM that are merged into an earlier one, which still waits for the port to the GPC: write caching of the
 * L1 (NVIDIA, Tesla V100 whitepaper; Turing tuning guide: write-through).
 *
 * A store joins the last request to its line if that is a store of the same kernel, with four bytes a lane at most, of
 * all sectors that the later one writes. Its bytes go on top, and it is answered with the earlier one. Nothing
 * overtakes an access to its own line. Stores that the L2 performs, with values of their own, are left alone.
 */
#ifndef GPU_SM_STORE_JOINS_H
#define GPU_SM_STORE_JOINS_H

#include "base/arena.h"
#include "gpu/network/packets.h"
#include "gpu/sm/coalesce.h"

struct sm;

struct sm_store_join { /* a part of a store that has joined another's request */
    uint64_t line;
    uint16_t owner; /* the store with the request */
    uint16_t load;  /* the store that has joined */
    uint32_t reserved;
};

struct sm_store_joins_state {
    uint64_t count; /* entries of sm->store_joined, oldest first */
};

void sm_store_joins_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Merges a part of a store into a request that waits. False: it needs a request of its own. */
bool sm_store_joins(struct sm *sm, const struct sm_part *part, uint16_t load);

/* The request of a store's part is the port's last: others may join it, unless the store can have two for a line. */
void sm_store_joins_offer(struct sm *sm, uint16_t load);

/* The request of a store is answered, and so are those that have joined it. */
void sm_store_joins_answer(struct sm *sm, uint16_t owner, uint64_t line, uint64_t cycle);

#endif
