/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages run groups of units of a machine in turn, so that most units can run for a longer time at once (DESIGN §2.9).
 *
 * A flat window is as long as the shortest link. The actual bound of a unit is less strict: a packet that it causes
 * returns only after a loop of several links. Therefore units that relay (mnp_model.relays) run separately from the
 * others, and each stage runs up to the earliest time at which a packet may still reach one of its units: the minimum
 * over all units of the time at which a unit acts plus the shortest path over links from it to the stage. If relays
 * separate all other units from one another, the others run from one end of a span (engine.h) to the next in one
 * window, with two shorter windows of the relays around it.
 *
 * A round takes all stages from one time to another: the end of a span, a sample, the limit, or the end of the epoch in
 * which the run ends. Only at the end of a round does the engine detect the end of the run, apply writes, take hashes
 * and samples, and call on_window. Only relays end a run: they stop at the end of every epoch, and the others run past
 * it after them.
 *
 * A run with more threads than relays uses flat windows, because most threads would be idle in windows of relays.
 *
 * A model of relays may allow other units to send to one another directly (mnp_model.nears). During that time, spans
 * are epochs and windows are flat.
 */
#ifndef MNP_ENGINE_CORE_STAGES_H
#define MNP_ENGINE_CORE_STAGES_H

#include "engine/core/engine.h"

/* Called when the machine is frozen and the epoch is known: assigns units to stages, computes the shortest paths
 * between them and the stages, and the length of a span. */
void mnp_stages_freeze(struct mnp_engine *engine);
void mnp_stages_release(struct mnp_engine *engine);

/* Begins the span that contains `time`, if it has not begun. No unit acts between engine.now and `time`. */
void mnp_stages_enter_span(struct mnp_engine *engine, mnp_time time);

/* Whether the next windows are windows of stages. */
bool mnp_stages_apply(const struct mnp_engine *engine);

/* Begins a round from `start` to `end`, which are in the same span, and its first window. */
void mnp_stages_begin(struct mnp_engine *engine, mnp_time start, mnp_time end);

/* Begins the next window of an unfinished round: sets window_stages, window_start and window_end. */
void mnp_stages_next(struct mnp_engine *engine);

/* The time up to which units of the other stage have run, when a unit runs in the current window. */
static inline mnp_time mnp_stages_beyond(const struct mnp_engine *engine, uint32_t unit)
{
    bool together = engine->window_stages == MNP_ALL_STAGES;
    return together ? engine->window_end : engine->reached[MNP_STAGES - 1 - engine->stage[unit]];
}

/* Whether the current window is not the last one of a round. */
bool mnp_stages_go_on(const struct mnp_engine *engine);

/* Ends a window of a round. Returns false if it was the last one. */
bool mnp_stages_end(struct mnp_engine *engine);

#endif
