/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a host with several NUMA nodes, every unit has a home: the node on which its state lies, and whose threads run it
 * unless others have nothing left to do. A first touch alone would not do it: a run begins on one thread, which touches
 * the state of all units before there are others.
 */
#ifndef MNP_ENGINE_EXECUTORS_HOMES_H
#define MNP_ENGINE_EXECUTORS_HOMES_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_engine;
struct mnp_team;

struct mnp_homes {
    bool several;      /* otherwise all below is unused */
    uint32_t *unit;    /* [units] the home of each */
    uint32_t *worker;  /* [workers] the node of each */
};

/* Gives units that this process owns their homes: of each model's units, in their order, every worker an even,
 * contiguous share, whose home is the worker's node; a worker that the team lacks counts as one that it has. Moves
 * their state there, and counts it in engine->placed. */
void mnp_homes_init(struct mnp_homes *homes, struct mnp_engine *engine, const struct mnp_team *team,
                    uint32_t workers);

/* The same for workers on the nodes stated, without moving anything. */
void mnp_homes_divide(struct mnp_homes *homes, const struct mnp_engine *engine, const uint32_t *nodes,
                      uint32_t workers);
void mnp_homes_release(struct mnp_homes *homes);

#endif
