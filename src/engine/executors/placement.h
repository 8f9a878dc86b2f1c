/* SPDX-License-Identifier: BSD-3-Clause */
/* On which processors threads are to be placed: cores before their second hardware threads, those of one cache and one
 * NUMA node together, so that a few threads are close to one another. */
#ifndef MNP_ENGINE_EXECUTORS_PLACEMENT_H
#define MNP_ENGINE_EXECUTORS_PLACEMENT_H

#include "engine/core/placed.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

struct mnp_placement {
    uint32_t *processors; /* [count] operating-system numbers, in the order in which threads take them */
    uint32_t *nodes;      /* [count] the NUMA node of each, the system's number */
    uint32_t count;
};

/* For so many threads. When they take all usable processors of a host with one NUMA node there is nothing to choose,
 * and the topology, which takes milliseconds to read, is left alone. */
struct mnp_placement mnp_placement_read(uint32_t threads);

/* The same of these processors, by the topology in any case. */
struct mnp_placement mnp_placement_of(const cpu_set_t *usable);
void mnp_placement_release(struct mnp_placement *placement);

/* Binds a thread to processor number `place` of the order. Failing is harmless. */
void mnp_placement_bind_thread(const struct mnp_placement *placement, uint32_t place, pthread_t thread);

/* NUMA nodes of the first `threads` places. */
uint32_t mnp_placement_count_nodes(const struct mnp_placement *placement, uint32_t threads);

/* Brings whole pages of a mapping to a NUMA node, and those of its pages that nobody has touched yet when they are.
 * False: the host cannot. */
bool mnp_placement_move(void *memory, size_t bytes, uint32_t node);

/* Says in lines of text, each after `prefix`, what was done and why. Reads the topology for the names of what bound
 * threads are on. */
void mnp_placement_describe(const struct mnp_placed *placed, const char *prefix, FILE *out);

#endif
