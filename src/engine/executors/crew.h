/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A leader and its workers, which synchronise by POSIX semaphores as in Wang & Gao's simulator: to begin a cycle, the
 * leader posts each worker's own semaphore; to end it, the leader waits on its own semaphore once for each worker. As
 * in the original, threads are scheduled by the system and not bound to processors.
 */
#ifndef MNP_ENGINE_EXECUTORS_CREW_H
#define MNP_ENGINE_EXECUTORS_CREW_H

#include <stdint.h>

struct mnp_crew;

/* The work of one cycle; worker 0 is the leader, for which the crew never calls it. */
typedef void mnp_crew_job(void *context, uint32_t worker);

/* Starts workers 1 … `threads`-1. If a thread cannot be started, the crew is smaller: see mnp_crew_size. */
struct mnp_crew *mnp_crew_start(uint32_t threads, mnp_crew_job *job, void *context);
uint32_t mnp_crew_size(const struct mnp_crew *crew); /* including the leader */

void mnp_crew_begin_cycle(struct mnp_crew *crew);
void mnp_crew_end_cycle(struct mnp_crew *crew);

void mnp_crew_stop(struct mnp_crew *crew);

#endif
