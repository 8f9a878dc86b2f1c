/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement of threads on processors. Cores are used before their second hardware threads, and processors that share a
 * cache or a NUMA node are used together, so that a few threads are close to one another. */
#ifndef MNP_ENGINE_EXECUTORS_PLACEMENT_H
#define MNP_ENGINE_EXECUTORS_PLACEMENT_H

#include "engine/core/placed.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

struct mnp_placement {
    uint32_t *processors; /* [count] processor numbers of the system, in the order in which threads are placed */
    uint32_t *nodes;      /* [count] NUMA node of each, as numbered by the system */
    uint32_t count;
};

/* Reads the order for `threads` threads. If they occupy all usable processors of a host with one NUMA node, there is no
 * choice, and the topology, which takes milliseconds to read, is not read. */
struct mnp_placement mnp_placement_read(uint32_t threads);

/* Orders the given processors, always by the topology. */
struct mnp_placement mnp_placement_of(const cpu_set_t *usable);
void mnp_placement_release(struct mnp_placement *placement);

/* Binds a thread to processor number `place` of the order. A failure is harmless. */
void mnp_placement_bind_thread(const struct mnp_placement *placement, uint32_t place, pthread_t thread);

/* Number of NUMA nodes of the first `threads` processors of the order. */
uint32_t mnp_placement_count_nodes(const struct mnp_placement *placement, uint32_t threads);

/* Moves whole pages of a mapping to a NUMA node; pages that are still untouched will be allocated there. Returns false
 * if the host does not support it. */
bool mnp_placement_move(void *memory, size_t bytes, uint32_t node);

/* Describes the placement and its reason in lines of text, each after `prefix`. Reads the topology for the names of the
 * cores to which threads are bound. */
void mnp_placement_describe(const struct mnp_placed *placed, const char *prefix, FILE *out);

#endif
