/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine spread over processes (DESIGN §2.11). Every process builds the whole machine and runs a share of its units,
 * its own; the others' state is never touched, and so costs no memory. Windows are chosen in all processes alike, from
 * what all know (struct mnp_outlook), and packets for foreign units are sent between windows.
 *
 * A model with `everywhere` set, which gives out the work, is run by every process: its copies see the same packets and
 * so do the same. That way each process opens the input itself and loads what is placed on its own units.
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

/* Shares the units out: of each model's units, in their order, every process gets an even, contiguous share. */
void mnp_ranks_spread(struct mnp_engine *engine, const struct mnp_transport *transport);
void mnp_ranks_release(struct mnp_engine *engine);

/* Combines what all processes see ahead, and hands over the packets that cross between them. */
void mnp_ranks_agree(struct mnp_engine *engine, struct mnp_outlook *outlook);

/* Brings the writes of the epoch to all processes, where each has the whole memory. May be repeated. */
void mnp_ranks_share_writes(const struct mnp_engine *engine);

/* Brings the error of the first fault to all processes. */
void mnp_ranks_share_error(struct mnp_engine *engine);

/* Brings to process 0 the counters that all units keep in a slot, or in all of them. */
enum { MNP_ALL_SLOTS = 0xffffffff };
void mnp_ranks_gather_counters(struct mnp_engine *engine, uint32_t slot);

/* Brings to process 0 the state of all units, and how many packets their links hold, for a report. */
void mnp_ranks_gather_states(struct mnp_engine *engine);

/* Adds the values of all processes, place by place; wraps around. */
void mnp_ranks_sum(const struct mnp_engine *engine, uint64_t *values, size_t count);

/* Joins the bytes of all processes, in the order of ranks, for process 0; the others get none. `*all` is to be freed.
 * Returns its length. */
size_t mnp_ranks_collect(const struct mnp_engine *engine, const void *mine, size_t length, void **all);

/* Whether this process runs a unit. */
static inline bool mnp_engine_owns(const struct mnp_engine *engine, uint32_t unit)
{
    return !engine->foreign || !engine->foreign[unit];
}

/* Whether this process is the one that speaks for a unit: of one that all run, process 0. */
bool mnp_ranks_speaks_for(const struct mnp_engine *engine, const struct mnp_unit *unit);

/* Whether this process is the first of the run, or the only one. */
bool mnp_ranks_is_first(const struct mnp_engine *engine);

/* Processes of this run on the same processors as this one, itself included. */
uint32_t mnp_ranks_neighbours(const struct mnp_engine *engine);

/* States how many processes there are, and what exchanges have cost this one. */
void mnp_ranks_describe(const struct mnp_engine *engine, struct mnp_run_info *info);

#endif
