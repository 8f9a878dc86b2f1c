/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Homes of units on a host with several NUMA nodes. A home is the node on which the unit's state is allocated. Threads
 * of that node run the unit, unless others are idle. First-touch allocation would not suffice: a run begins on one
 * thread, which touches the state of all units before other threads exist.
 */
#ifndef MNP_ENGINE_EXECUTORS_HOMES_H
#define MNP_ENGINE_EXECUTORS_HOMES_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_engine;
struct mnp_team;

struct mnp_homes {
    bool several;     /* if false, the other members are unused */
    uint32_t *unit;   /* [units] the home of each */
    uint32_t *worker; /* [workers] the node of each */
};

/* Assigns homes to the units of this process. Of each model's units, in their order, every worker gets an even,
 * contiguous share, whose home is the worker's node; workers that the team lacks are mapped to existing ones. Moves the
 * state there, and counts the moved bytes in engine->placed. */
void mnp_homes_init(struct mnp_homes *homes, struct mnp_engine *engine, const struct mnp_team *team, uint32_t workers);

/* Assigns homes for workers on the given nodes, without moving anything. */
void mnp_homes_divide(struct mnp_homes *homes, const struct mnp_engine *engine, const uint32_t *nodes,
                      uint32_t workers);
void mnp_homes_release(struct mnp_homes *homes);

#endif
