/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine spread over processes (DESIGN §2.11). Every process builds the whole machine and runs a share of its units,
 * its own. The state of foreign units is never touched and therefore uses no memory. All processes choose the same
 * windows, from shared data (struct mnp_outlook), and packets for foreign units are sent between windows.
 *
 * A model with `everywhere` set, which distributes the work, is run by every process: its copies receive the same
 * packets and therefore behave identically. In this way each process opens the input itself and loads the work of its
 * own units.
 *
 * Order of calls: mnp_engine_freeze; mnp_ranks_spread; the run, in which window.c calls mnp_ranks_agree; afterwards or
 * between windows the gathering functions. All of them are collective. Without ranks (engine->ranks is NULL) they do
 * nothing, and the process owns everything.
 */
#ifndef MNP_ENGINE_SPREAD_RANKS_H
#define MNP_ENGINE_SPREAD_RANKS_H

#include "engine/core/engine.h"
#include "engine/count/results.h"
#include "engine/spread/transport.h"

/* Distributes the units: of each model's units, in their order, every process gets an even, contiguous share. */
void mnp_ranks_spread(struct mnp_engine *engine, const struct mnp_transport *transport);
void mnp_ranks_release(struct mnp_engine *engine);

/* Combines the outlooks of all processes, and exchanges packets between them. */
void mnp_ranks_agree(struct mnp_engine *engine, struct mnp_outlook *outlook);

/* Sends the writes of the epoch to all processes, if each has a copy of the whole memory. May be repeated. */
void mnp_ranks_share_writes(const struct mnp_engine *engine);

/* Sends the error of the first fault to all processes. */
void mnp_ranks_share_error(struct mnp_engine *engine);

/* Sends to process 0 the counters of all units, in one slot or in all slots. */
enum { MNP_ALL_SLOTS = 0xffffffff };
void mnp_ranks_gather_counters(struct mnp_engine *engine, uint32_t slot);

/* Sends to process 0 the state of all units, and the numbers of packets on their links, for a report. */
void mnp_ranks_gather_states(struct mnp_engine *engine);

/* Adds the values of all processes, element by element, with wrap-around. */
void mnp_ranks_sum(const struct mnp_engine *engine, uint64_t *values, size_t count);

/* Concatenates the bytes of all processes, in the order of ranks, on process 0; the others get none. The caller frees
 * `*all`. Returns its length. */
size_t mnp_ranks_collect(const struct mnp_engine *engine, const void *mine, size_t length, void **all);

/* Whether this process runs a unit. */
static inline bool mnp_engine_owns(const struct mnp_engine *engine, uint32_t unit)
{
    return !engine->foreign || !engine->foreign[unit];
}

/* Whether this process reports for a unit; for units that all processes run, that is process 0. */
bool mnp_ranks_speaks_for(const struct mnp_engine *engine, const struct mnp_unit *unit);

/* Whether this process is the first of the run, or the only one. */
bool mnp_ranks_is_first(const struct mnp_engine *engine);

/* Number of processes of this run on the same processors as this one, including itself. */
uint32_t mnp_ranks_neighbours(const struct mnp_engine *engine);

/* Records the number of processes, and the cost of exchanges for this one. */
void mnp_ranks_describe(const struct mnp_engine *engine, struct mnp_run_info *info);

#endif
