/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages: the units of a machine in turn, so that most of them run for longer at a time (DESIGN §2.9).
 *
 * A flat window is as long as the shortest link. What bounds a unit is less strict: a packet that it causes comes back
 * over a loop of links. So units that relay (mnp_model.relays) run apart from the others, and each stage runs up to the
 * least time at which a packet may still reach one of its units: the least over all units of the time at which a unit
 * acts plus the shortest walk over links from it to the stage. Where relays stand between all other units, these go
 * from one end of a span (engine.h) to the next in one window, with two shorter windows of the relays around it.
 *
 * A round takes all stages from one time to another: the end of a span, a sample, the limit, or the end of the epoch in
 * which the run ends. There alone the engine decides about ends, applies writes, takes hashes and samples, and calls
 * on_window. Relays alone end a run: they stop at the end of every epoch, and the others pass it after them.
 *
 * A run on more threads than there are relays has flat windows: in windows of relays most threads would be idle.
 *
 * A model of relays may let others send to one another without them (mnp_model.nears). While it does, spans are epochs
 * and windows are flat.
 */
#ifndef MNP_ENGINE_CORE_STAGES_H
#define MNP_ENGINE_CORE_STAGES_H

#include "engine/core/engine.h"

/* At the end of the building, once the epoch is known: divides the units, finds the shortest walks between them and the
 * stages, and the length of a span. */
void mnp_stages_freeze(struct mnp_engine *engine);
void mnp_stages_release(struct mnp_engine *engine);

/* Begins the span that `time` lies in, unless it has begun. Nobody acts between engine.now and `time`. */
void mnp_stages_enter_span(struct mnp_engine *engine, mnp_time time);

/* Whether the next windows are those of stages. */
bool mnp_stages_apply(const struct mnp_engine *engine);

/* Begins a round from `start` to `end`, which lie in one span, and its first window. */
void mnp_stages_begin(struct mnp_engine *engine, mnp_time start, mnp_time end);

/* The next window of a round that is not over: sets window_stages, window_start and window_end. */
void mnp_stages_next(struct mnp_engine *engine);

/* Up to when units of other stages than a unit's have run when it runs in the present window. */
static inline mnp_time mnp_stages_beyond(const struct mnp_engine *engine, uint32_t unit)
{
    bool together = engine->window_stages == MNP_ALL_STAGES;
    return together ? engine->window_end : engine->reached[MNP_STAGES - 1 - engine->stage[unit]];
}

/* Whether the present window is not the last one of a round. */
bool mnp_stages_go_on(const struct mnp_engine *engine);

/* Ends a window of a round; false: it was the last one. */
bool mnp_stages_end(struct mnp_engine *engine);

#endif
