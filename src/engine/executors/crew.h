/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A leader and its workers, which meet on POSIX semaphores as in Wang & Gao's simulator: the leader posts each
 * worker's own semaphore to begin a cycle, and waits on one of its own as many times as there are workers to end it.
 * As there, threads are left to the system's scheduler, not bound to processors.
 */
#ifndef MNP_ENGINE_EXECUTORS_CREW_H
#define MNP_ENGINE_EXECUTORS_CREW_H

#include <stdint.h>

struct mnp_crew;

/* The work of one cycle; worker 0 is the leader, which the crew never calls. */
typedef void mnp_crew_job(void *context, uint32_t worker);

/* Starts workers 1 … `threads`-1. Where a thread cannot be started the crew is smaller: see mnp_crew_size. */
struct mnp_crew *mnp_crew_start(uint32_t threads, mnp_crew_job *job, void *context);
uint32_t mnp_crew_size(const struct mnp_crew *crew); /* the leader included */

void mnp_crew_begin_cycle(struct mnp_crew *crew);
void mnp_crew_end_cycle(struct mnp_crew *crew);

void mnp_crew_stop(struct mnp_crew *crew);

#endif
